package localcloud

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

func setting(name, value string, method rdstypes.ApplyMethod) rdstypes.Parameter {
	return rdstypes.Parameter{ParameterName: &name, ParameterValue: &value, ApplyMethod: method}
}

const immediate, atRestart = rdstypes.ApplyMethodImmediate, rdstypes.ApplyMethodPendingReboot

// A group that is attached takes effect at a restart; after that dynamic parameters do so at once, and static ones at the next restart.
func TestRDSParameterGroups(t *testing.T) {
	cloud, _ := startAWS(t, Durations{})
	client := rdsClient(cloud, ownAccount, "eu-west-1")
	status := func(when, group, want string) {
		t.Helper()
		if g := describe(t, client, "shop").DBParameterGroups; len(g) != 1 || *g[0].DBParameterGroupName != group || *g[0].ParameterApplyStatus != want {
			t.Errorf("%s: group %s is %s, want %s, %s", when, *g[0].DBParameterGroupName, *g[0].ParameterApplyStatus, group, want)
		}
	}
	reboot := func() {
		t.Helper()
		check.Need(client.RebootDBInstance(t.Context(), &rds.RebootDBInstanceInput{DBInstanceIdentifier: new("shop")}))(t)
	}
	set := func(parameters ...rdstypes.Parameter) {
		t.Helper()
		check.Need(client.ModifyDBParameterGroup(t.Context(), &rds.ModifyDBParameterGroupInput{DBParameterGroupName: new("Shop-A"), Parameters: parameters}))(t)
	}
	check.Need(client.CreateDBInstance(t.Context(), someInstance("shop")))(t)
	status("at first", "default.postgres16", "in-sync")
	check.Need(client.CreateDBParameterGroup(t.Context(), &rds.CreateDBParameterGroupInput{
		DBParameterGroupName: new("Shop-A"), DBParameterGroupFamily: new("postgres16"), Description: new("of shop"), Tags: []rdstypes.Tag{{Key: new("owner"), Value: new("me")}},
	}))(t)
	set(setting("work_mem", "8192", immediate), setting("max_connections", "50", atRestart))
	status("while it has no members", "default.postgres16", "in-sync")
	check.Need(client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), DBParameterGroupName: new("shop-a"), ApplyImmediately: new(true)}))(t)
	status("attached", "shop-a", "pending-reboot")
	reboot()
	status("restarted", "shop-a", "in-sync")
	set(setting("work_mem", "4096", immediate))
	status("a dynamic parameter", "shop-a", "in-sync")
	set(setting("max_connections", "60", atRestart))
	status("a static parameter", "shop-a", "pending-reboot")
	reboot()
	status("restarted again", "shop-a", "in-sync")

	_, err := client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), EngineVersion: new("17"), AllowMajorVersionUpgrade: new(true), ApplyImmediately: new(true)})
	wantCode(t, err, "InvalidParameterCombination")
	check.Need(client.CopyDBParameterGroup(t.Context(), &rds.CopyDBParameterGroupInput{
		SourceDBParameterGroupIdentifier: new("shop-a"), TargetDBParameterGroupIdentifier: new("shop-copy"), TargetDBParameterGroupDescription: new("a copy"),
	}))(t)
	if got := userValues(t, client, "shop-copy"); !slices.Equal(got, []string{"max_connections=60", "work_mem=4096"}) {
		t.Errorf("the copy has %v", got)
	}
	check.Need(client.CreateDBParameterGroup(t.Context(), &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("shop-b"), DBParameterGroupFamily: new("postgres17"), Description: new("of shop")}))(t)
	check.Need(client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: new("shop"), EngineVersion: new("17"), AllowMajorVersionUpgrade: new(true), DBParameterGroupName: new("shop-b"), ApplyImmediately: new(true),
	}))(t)
	status("upgraded", "shop-b", "in-sync")
	_, err = client.DeleteDBParameterGroup(t.Context(), &rds.DeleteDBParameterGroupInput{DBParameterGroupName: new("shop-b")})
	wantCode(t, err, "InvalidDBParameterGroupState")
	check.Need(client.DeleteDBParameterGroup(t.Context(), &rds.DeleteDBParameterGroupInput{DBParameterGroupName: new("shop-a")}))(t)
	_, err = client.DescribeDBParameters(t.Context(), &rds.DescribeDBParametersInput{DBParameterGroupName: new("shop-a")})
	wantCode(t, err, "DBParameterGroupNotFound")
}

// userValues returns what somebody set in a group, of all pages.
func userValues(t *testing.T, client *rds.Client, group string) (all []string) {
	t.Helper()
	pages := rds.NewDescribeDBParametersPaginator(client, &rds.DescribeDBParametersInput{DBParameterGroupName: &group, Source: new("user"), MaxRecords: new(int32(20))})
	for pages.HasMorePages() {
		page := check.Need(pages.NextPage(t.Context()))(t)
		for _, p := range page.Parameters {
			all = append(all, *p.ParameterName+"="+aws.ToString(p.ParameterValue))
		}
	}
	return all
}

// A group refuses what RDS refuses, and is as it was then.
func TestRDSParametersAreRefused(t *testing.T) {
	cloud, _ := startAWS(t, Durations{})
	client := rdsClient(cloud, ownAccount, "eu-west-1")
	check.Need(client.CreateDBParameterGroup(t.Context(), &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("shop"), DBParameterGroupFamily: new("postgres16"), Description: new("of shop")}))(t)
	many := make([]rdstypes.Parameter, 21)
	for i := range many {
		many[i] = setting("work_mem", fmt.Sprint(64+i), immediate)
	}
	for name, test := range map[string]struct {
		group      string
		parameters []rdstypes.Parameter
		code       string
	}{
		"an unknown name":          {"shop", []rdstypes.Parameter{setting("work_mem", "64", immediate), setting("work_memory", "64", immediate)}, "InvalidParameterValue"},
		"too small":                {"shop", []rdstypes.Parameter{setting("work_mem", "63", immediate)}, "InvalidParameterValue"},
		"a word for a switch":      {"shop", []rdstypes.Parameter{setting("log_connections", "on", immediate)}, "InvalidParameterValue"},
		"a static one at once":     {"shop", []rdstypes.Parameter{setting("max_connections", "60", immediate)}, "InvalidParameterCombination"},
		"one that nobody can set":  {"shop", []rdstypes.Parameter{setting("archive_timeout", "60", immediate)}, "InvalidParameterValue"},
		"of another engine":        {"shop", []rdstypes.Parameter{setting("slow_query_log", "1", immediate)}, "InvalidParameterValue"},
		"more than 20":             {"shop", many, "InvalidParameterValue"},
		"a default group":          {"default.postgres16", []rdstypes.Parameter{setting("work_mem", "64", immediate)}, "InvalidDBParameterGroupState"},
		"a group that is not here": {"shops", []rdstypes.Parameter{setting("work_mem", "64", immediate)}, "DBParameterGroupNotFound"},
	} {
		_, err := client.ModifyDBParameterGroup(t.Context(), &rds.ModifyDBParameterGroupInput{DBParameterGroupName: &test.group, Parameters: test.parameters})
		if t.Run(name, func(t *testing.T) { wantCode(t, err, test.code) }); len(userValues(t, client, "shop")) > 0 {
			t.Errorf("%s: the group has %v", name, userValues(t, client, "shop"))
		}
	}
	for name, in := range map[string]rds.CreateDBParameterGroupInput{
		"DBParameterGroupAlreadyExists": {DBParameterGroupName: new("SHOP"), DBParameterGroupFamily: new("postgres16"), Description: new("x")},
		"InvalidParameterValue":         {DBParameterGroupName: new("pay"), DBParameterGroupFamily: new("postgres99"), Description: new("x")},
	} {
		_, err := client.CreateDBParameterGroup(t.Context(), &in)
		wantCode(t, err, name)
	}
	_, err := client.CreateDBInstance(t.Context(), someInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.EngineVersion, in.DBParameterGroupName = new("17"), new("shop")
	}))
	wantCode(t, err, "InvalidParameterCombination")
}
