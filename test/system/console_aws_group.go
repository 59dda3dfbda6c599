package system

import (
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// A GroupConsole is what people do to DB parameter groups of RDS.
type GroupConsole struct{ rds *rds.Client }

// Groups is what people do to the DB parameter groups of the account.
func (c *Cloud) Groups() *GroupConsole { return &GroupConsole{rds.NewFromConfig(awsConfig(c))} }

// Names returns the groups that somebody made.
func (g *GroupConsole) Names(t testing.TB) (names []string) {
	t.Helper()
	for _, group := range call(t, g.rds.DescribeDBParameterGroups, &rds.DescribeDBParameterGroupsInput{}).DBParameterGroups {
		names = append(names, *group.DBParameterGroupName)
	}
	return names
}

// Of returns what somebody set in a group.
func (g *GroupConsole) Of(t testing.TB, group string) map[string]string {
	t.Helper()
	set := map[string]string{}
	for _, p := range call(t, g.rds.DescribeDBParameters, &rds.DescribeDBParametersInput{DBParameterGroupName: &group, Source: awssdk.String("user")}).Parameters {
		set[*p.ParameterName] = *p.ParameterValue
	}
	return set
}

// Set sets a dynamic parameter of a group.
func (g *GroupConsole) Set(t testing.TB, group, name, value string) {
	t.Helper()
	call(t, g.rds.ModifyDBParameterGroup, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: &group, Parameters: []rdstypes.Parameter{
		{ParameterName: &name, ParameterValue: &value, ApplyMethod: rdstypes.ApplyMethodImmediate},
	}})
}

// Tags returns the tags of a group.
func (g *GroupConsole) Tags(t testing.TB, group string) map[string]string {
	t.Helper()
	tags := map[string]string{}
	for _, group := range call(t, g.rds.DescribeDBParameterGroups, &rds.DescribeDBParameterGroupsInput{DBParameterGroupName: &group}).DBParameterGroups {
		for _, tag := range call(t, g.rds.ListTagsForResource, &rds.ListTagsForResourceInput{ResourceName: group.DBParameterGroupArn}).TagList {
			tags[*tag.Key] = *tag.Value
		}
	}
	return tags
}
