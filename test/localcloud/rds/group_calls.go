package rds

import (
	"maps"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

func (c *call) createGroup(in *rds.CreateDBParameterGroupInput) (any, error) {
	family := strings.ToLower(aws.ToString(in.DBParameterGroupFamily))
	if !isFamily(family) {
		return nil, invalidFamily(family)
	}
	g, err := c.newGroup(in.DBParameterGroupName, &rdsGroup{family: family, description: aws.ToString(in.Description), tags: in.Tags})
	if err != nil {
		return nil, err
	}
	shown := c.shownGroup(g)
	return &rds.CreateDBParameterGroupOutput{DBParameterGroup: &shown}, nil
}

// newGroup makes a group known. RDS stores its name in lower case.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBParameterGroup.html
func (c *call) newGroup(name *string, g *rdsGroup) (*rdsGroup, error) {
	key := c.key(aws.ToString(name))
	if !rdsGroupNames.MatchString(key.name) || len(key.name) > 255 || g.description == "" {
		return nil, invalidValue("The parameter DBParameterGroupName is not a valid identifier, or there is no description")
	}
	if err := validRDSTags(g.tags); err != nil {
		return nil, err
	}
	switch {
	case c.made(key) != nil:
		return nil, amazon.Err(http.StatusBadRequest, "DBParameterGroupAlreadyExists", "Parameter group "+key.name+" already exists")
	case count(own(c, c.groups)) >= rdsGroupQuota && c.cloud.Options.InstanceQuota >= 0:
		return nil, amazon.Err(http.StatusBadRequest, "DBParameterGroupQuotaExceeded", "You have reached the quota of DB parameter groups")
	}
	g.name = key.name
	if g.values == nil {
		g.values = map[string]rdsValue{}
	}
	c.groups[key] = g
	return g, nil
}

func (c *call) copyGroup(in *rds.CopyDBParameterGroupInput) (any, error) {
	source, err := c.group(in.SourceDBParameterGroupIdentifier)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(source.name, "default.") {
		return nil, invalidValue("Default parameter groups can't be copied: %s", source.name)
	}
	g, err := c.newGroup(in.TargetDBParameterGroupIdentifier, &rdsGroup{
		family: source.family, description: aws.ToString(in.TargetDBParameterGroupDescription), tags: in.Tags, values: maps.Clone(source.values),
	})
	if err != nil {
		return nil, err
	}
	shown := c.shownGroup(g)
	return &rds.CopyDBParameterGroupOutput{DBParameterGroup: &shown}, nil
}

// shownGroups are the groups that somebody made. The default ones are there without being listed.
func (c *call) shownGroups(*rds.DescribeDBParameterGroupsInput) (all []rdstypes.DBParameterGroup, _ error) {
	for _, g := range own(c, c.groups) {
		all = append(all, c.shownGroup(g))
	}
	return all, nil
}

func (c *call) namedGroup(name string) (rdstypes.DBParameterGroup, error) {
	g, err := c.group(&name)
	if err != nil {
		return rdstypes.DBParameterGroup{}, err
	}
	return c.shownGroup(g), nil
}

// groupParameters are the parameters of a group.
func (c *call) groupParameters(in *rds.DescribeDBParametersInput) (all []rdstypes.Parameter, _ error) {
	g, err := c.group(in.DBParameterGroupName)
	if err != nil {
		return nil, err
	}
	for _, s := range settingsOf(g.family) {
		all = append(all, s.shown(g))
	}
	return all, nil
}

// defaultParameters is the catalogue of a family.
func defaultParameters(in *rds.DescribeEngineDefaultParametersInput) (all []rdstypes.Parameter, _ error) {
	family := *in.DBParameterGroupFamily
	if !isFamily(family) {
		return nil, invalidFamily(family)
	}
	for _, s := range settingsOf(family) {
		all = append(all, s.shown(nil))
	}
	return all, nil
}

func invalidFamily(name string) *amazon.Error {
	return invalidValue("ParameterGroupFamily %s is not a valid parameter group family", name)
}

func defaultsAnswer(in *rds.DescribeEngineDefaultParametersInput, page []rdstypes.Parameter, marker *string) *rds.DescribeEngineDefaultParametersOutput {
	return &rds.DescribeEngineDefaultParametersOutput{EngineDefaults: &rdstypes.EngineDefaults{
		DBParameterGroupFamily: in.DBParameterGroupFamily, Parameters: page, Marker: marker,
	}}
}

// modifyGroup sets parameters. A group that waits for a restart of its members says so in them. No recording shows the refusals.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBParameterGroup.html
func (c *call) modifyGroup(in *rds.ModifyDBParameterGroupInput) (any, error) {
	g, err := c.ownGroup(in.DBParameterGroupName)
	if err != nil {
		return nil, err
	}
	if len(in.Parameters) == 0 || len(in.Parameters) > 20 {
		return nil, invalidValue("A call takes 1 to 20 parameters")
	}
	next, change := maps.Clone(g.values), rdsGroupChange{}
	for _, p := range in.Parameters {
		if err := changeable(g, p, p.ParameterValue); err != nil {
			return nil, err
		}
		next[*p.ParameterName] = rdsValue{*p.ParameterValue, p.ApplyMethod}
		change.add(p, p.ParameterValue)
	}
	g.values = next
	c.carryOutInMembers(g, change)
	return &rds.ModifyDBParameterGroupOutput{DBParameterGroupName: &g.name}, nil
}

// changeable refuses a change of a parameter; value is nil for a reset.
func changeable(g *rdsGroup, p rdstypes.Parameter, value *string) error {
	name := aws.ToString(p.ParameterName)
	s := settingOf(g.family, name)
	switch {
	case s == nil:
		return invalidValue("Could not find parameter with name: %s", name)
	case s.fixed:
		return invalidValue("The parameter %s cannot be modified.", name)
	case s.static && p.ApplyMethod != rdstypes.ApplyMethodPendingReboot:
		return invalidCombination("cannot use immediate apply method for static parameter")
	case p.ApplyMethod != rdstypes.ApplyMethodPendingReboot && p.ApplyMethod != rdstypes.ApplyMethodImmediate:
		return invalidValue("Invalid apply method for parameter %s", name)
	case value != nil && !s.takes(*value):
		return invalidValue("Invalid parameter value: %s for: %s allowed values are: %s", *value, name, s.allowed)
	}
	return nil
}

func (c *call) resetGroup(in *rds.ResetDBParameterGroupInput) (any, error) {
	g, err := c.ownGroup(in.DBParameterGroupName)
	if err != nil {
		return nil, err
	}
	next, change := maps.Clone(g.values), rdsGroupChange{}
	for _, p := range in.Parameters {
		if err := changeable(g, p, nil); err != nil {
			return nil, err
		}
		delete(next, *p.ParameterName)
		change.add(p, nil)
	}
	if aws.ToBool(in.ResetAllParameters) {
		next = map[string]rdsValue{}
		change = allReset(g)
	}
	g.values = next
	c.carryOutInMembers(g, change)
	return &rds.ResetDBParameterGroupOutput{DBParameterGroupName: &g.name}, nil
}

// deleteGroup deletes a group without members. One that is not there is no error, as in the recordings.
func (c *call) deleteGroup(in *rds.DeleteDBParameterGroupInput) (any, error) {
	g, err := c.ownGroup(in.DBParameterGroupName)
	if err != nil {
		return nil, err
	}
	if len(c.members(g)) > 0 {
		return nil, amazon.Err(http.StatusBadRequest, "InvalidDBParameterGroupState",
			"One or more database instances are still members of this parameter group "+g.name+", so the group cannot be deleted")
	}
	delete(c.groups, c.key(g.name))
	return &rds.DeleteDBParameterGroupOutput{}, nil
}

// askGroup makes an instance a member of another group. The family has to be that of the version that the instance will have.
// No recording shows the refusals: the words of the first are those that people report of a cluster.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.html (parameter groups)
// https://github.com/aws-controllers-k8s/community/issues/2778
func (c *call) askGroup(next *Instance, in *rds.ModifyDBInstanceInput) error {
	version := *orElse(next.db.PendingModifiedValues.EngineVersion, *next.db.EngineVersion)
	family := familyOf(*next.db.Engine, version)
	if in.DBParameterGroupName == nil {
		if own := c.made(c.key(next.groupName())); own != nil && own.family != family && in.EngineVersion != nil {
			return invalidCombination("The current DB instance parameter group %s is custom. You must explicitly specify a new DB instance parameter group, either default or custom, for the engine version upgrade.", own.name)
		}
		return nil
	}
	g, err := c.group(in.DBParameterGroupName)
	if err != nil {
		return err
	}
	if g.family != family {
		return invalidCombination("The parameter group %s with DBParameterGroupFamily %s can't be used for this instance. Please use a parameter group with DBParameterGroupFamily %s", g.name, g.family, family)
	}
	if g.name != next.groupName() {
		next.joinGroup(g.name, "pending-reboot")
		next.taking.group = c.now.Add(c.cloud.Options.Durations.Modify)
	}
	return nil
}
