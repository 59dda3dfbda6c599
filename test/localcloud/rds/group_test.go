package rds_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A group that is attached takes effect at a restart; after that dynamic parameters do so at once, and static ones at the next restart.
func TestRDSParameterGroups(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	status := func(when, group, want string) {
		t.Helper()
		if g := sdk.Describe(t, client, "shop").DBParameterGroups; len(g) != 1 || *g[0].DBParameterGroupName != group || *g[0].ParameterApplyStatus != want {
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
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("shop")))(t)
	status("at first", "default.postgres16", "in-sync")
	check.Need(client.CreateDBParameterGroup(t.Context(), &rds.CreateDBParameterGroupInput{
		DBParameterGroupName: new("Shop-A"), DBParameterGroupFamily: new("postgres16"), Description: new("of shop"), Tags: []rdstypes.Tag{{Key: new("owner"), Value: new("me")}},
	}))(t)
	set(sdk.Setting("work_mem", "8192", sdk.Immediate), sdk.Setting("max_connections", "50", sdk.AtRestart))
	status("while it has no members", "default.postgres16", "in-sync")
	check.Need(client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), DBParameterGroupName: new("shop-a"), ApplyImmediately: new(true)}))(t)
	status("attached", "shop-a", "pending-reboot")
	reboot()
	status("restarted", "shop-a", "in-sync")
	set(sdk.Setting("work_mem", "4096", sdk.Immediate))
	status("a dynamic parameter", "shop-a", "in-sync")
	set(sdk.Setting("max_connections", "60", sdk.AtRestart))
	status("a static parameter", "shop-a", "pending-reboot")
	reboot()
	status("restarted again", "shop-a", "in-sync")

	_, err := client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), EngineVersion: new("17"), AllowMajorVersionUpgrade: new(true), ApplyImmediately: new(true)})
	sdk.WantCode(t, err, "InvalidParameterCombination")
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
	sdk.WantCode(t, err, "InvalidDBParameterGroupState")
	check.Need(client.DeleteDBParameterGroup(t.Context(), &rds.DeleteDBParameterGroupInput{DBParameterGroupName: new("shop-a")}))(t)
	_, err = client.DescribeDBParameters(t.Context(), &rds.DescribeDBParametersInput{DBParameterGroupName: new("shop-a")})
	sdk.WantCode(t, err, "DBParameterGroupNotFound")
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
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBParameterGroup(t.Context(), &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("shop"), DBParameterGroupFamily: new("postgres16"), Description: new("of shop")}))(t)
	many := make([]rdstypes.Parameter, 21)
	for i := range many {
		many[i] = sdk.Setting("work_mem", fmt.Sprint(64+i), sdk.Immediate)
	}
	for name, test := range map[string]struct {
		group      string
		parameters []rdstypes.Parameter
		code       string
	}{
		"an unknown name":          {"shop", []rdstypes.Parameter{sdk.Setting("work_mem", "64", sdk.Immediate), sdk.Setting("work_memory", "64", sdk.Immediate)}, "InvalidParameterValue"},
		"too small":                {"shop", []rdstypes.Parameter{sdk.Setting("work_mem", "63", sdk.Immediate)}, "InvalidParameterValue"},
		"a word for a switch":      {"shop", []rdstypes.Parameter{sdk.Setting("log_connections", "on", sdk.Immediate)}, "InvalidParameterValue"},
		"a static one at once":     {"shop", []rdstypes.Parameter{sdk.Setting("max_connections", "60", sdk.Immediate)}, "InvalidParameterCombination"},
		"one that nobody can set":  {"shop", []rdstypes.Parameter{sdk.Setting("archive_timeout", "60", sdk.Immediate)}, "InvalidParameterValue"},
		"of another engine":        {"shop", []rdstypes.Parameter{sdk.Setting("slow_query_log", "1", sdk.Immediate)}, "InvalidParameterValue"},
		"more than 20":             {"shop", many, "InvalidParameterValue"},
		"a default group":          {"default.postgres16", []rdstypes.Parameter{sdk.Setting("work_mem", "64", sdk.Immediate)}, "InvalidDBParameterGroupState"},
		"a group that is not here": {"shops", []rdstypes.Parameter{sdk.Setting("work_mem", "64", sdk.Immediate)}, "DBParameterGroupNotFound"},
	} {
		_, err := client.ModifyDBParameterGroup(t.Context(), &rds.ModifyDBParameterGroupInput{DBParameterGroupName: &test.group, Parameters: test.parameters})
		if t.Run(name, func(t *testing.T) { sdk.WantCode(t, err, test.code) }); len(userValues(t, client, "shop")) > 0 {
			t.Errorf("%s: the group has %v", name, userValues(t, client, "shop"))
		}
	}
	for name, in := range map[string]rds.CreateDBParameterGroupInput{
		"DBParameterGroupAlreadyExists": {DBParameterGroupName: new("SHOP"), DBParameterGroupFamily: new("postgres16"), Description: new("x")},
		"InvalidParameterValue":         {DBParameterGroupName: new("pay"), DBParameterGroupFamily: new("postgres99"), Description: new("x")},
	} {
		_, err := client.CreateDBParameterGroup(t.Context(), &in)
		sdk.WantCode(t, err, name)
	}
	_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.EngineVersion, in.DBParameterGroupName = new("17"), new("shop")
	}))
	sdk.WantCode(t, err, "InvalidParameterCombination")
}
