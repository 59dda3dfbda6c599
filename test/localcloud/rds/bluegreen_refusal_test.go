package rds_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestRDSBlueGreenRefusals are of deployments that there can't be.
func TestRDSBlueGreenRefusals(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, remote := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
	arn := func(name string) string { return "arn:aws:rds:eu-west-1:" + sdk.OwnAccount + ":db:" + name }
	creates := func(name, engine, version string, edits ...func(*rds.CreateDBInstanceInput)) {
		t.Helper()
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(name, append(edits, func(in *rds.CreateDBInstanceInput) {
			in.Engine, in.EngineVersion = &engine, &version
		})...)))(t)
	}
	replicate := func(of *rds.Client, name, source string) {
		t.Helper()
		check.Need(of.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica(name, source)))(t)
	}
	for _, name := range []string{"orders", "leads-far", "leads-chain", "taken"} {
		creates(name, "postgres", "16.3")
	}
	creates("no-backups", "postgres", "16.3", func(in *rds.CreateDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(0) })
	creates("managed", "mysql", "8.4.4", func(in *rds.CreateDBInstanceInput) {
		in.MasterUserPassword, in.ManageMasterUserPassword = nil, aws.Bool(true)
	})
	creates("mysql", "mysql", "8.0.40")
	creates("stopped", "postgres", "16.3")
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String("stopped")}))(t)
	replicate(remote, "far", arn("leads-far"))
	replicate(client, "chain-1", "leads-chain")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("chain-1"), BackupRetentionPeriod: aws.Int32(1), ApplyImmediately: aws.Bool(true)}))(t)
	replicate(client, "chain-2", "chain-1")
	taken := *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("taken", arn("taken"))))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier

	type input = rds.CreateBlueGreenDeploymentInput
	version := func(to string) func(*input) { return func(in *input) { in.TargetEngineVersion = &to } }
	group := func(name string) func(*input) {
		return func(in *input) { in.TargetDBParameterGroupName = &name }
	}
	for name, test := range map[string]struct {
		in   *input
		code string
	}{
		"no name":                   {someDeployment("", arn("orders")), "InvalidParameterValue"},
		"bad name":                  {someDeployment("a--b", arn("orders")), "InvalidParameterValue"},
		"long name":                 {someDeployment(strings.Repeat("a", 61), arn("orders")), "InvalidParameterValue"},
		"name taken":                {someDeployment("taken", arn("orders")), "BlueGreenDeploymentAlreadyExistsFault"},
		"no ARN":                    {someDeployment("new", "orders"), "InvalidParameterValue"},
		"no such source":            {someDeployment("new", arn("none")), "DBInstanceNotFound"},
		"another account":           {someDeployment("new", "arn:aws:rds:eu-west-1:999999999999:db:orders"), "DBInstanceNotFound"},
		"a cluster":                 {someDeployment("new", "arn:aws:rds:eu-west-1:"+sdk.OwnAccount+":cluster:orders"), "DBClusterNotFoundFault"},
		"a deployment that is":      {someDeployment("new", arn("taken")), "InvalidDBInstanceState"},
		"without backups":           {someDeployment("new", arn("no-backups")), "InvalidDBInstanceState"},
		"stopped":                   {someDeployment("new", arn("stopped")), "InvalidDBInstanceState"},
		"with a secret":             {someDeployment("new", arn("managed")), "SourceDatabaseNotSupportedFault"},
		"a replica":                 {someDeployment("new", arn("chain-1")), "SourceDatabaseNotSupportedFault"},
		"replica in another region": {someDeployment("new", arn("leads-far")), "SourceDatabaseNotSupportedFault"},
		"replica of a replica":      {someDeployment("new", arn("leads-chain")), "SourceDatabaseNotSupportedFault"},
		"no such version":           {someDeployment("new", arn("orders"), version("16.99")), "InvalidParameterCombination"},
		"older version":             {someDeployment("new", arn("orders"), version("15.12")), "InvalidParameterCombination"},
		"major without parameter":   {someDeployment("new", arn("orders"), version("17.5")), "SourceDatabaseNotSupportedFault"},
		"no such group":             {someDeployment("new", arn("orders"), group("none")), "DBParameterGroupNotFound"},
		"group of another version":  {someDeployment("new", arn("orders"), group("later")), "InvalidParameterCombination"},
		"group of the old version":  {someDeployment("new", arn("mysql"), version("8.4.5"), group("default.mysql8.0")), "InvalidParameterCombination"},
		"bad class":                 {someDeployment("new", arn("orders"), func(in *input) { in.TargetDBInstanceClass = aws.String("db.big") }), "InvalidParameterValue"},
		"bad storage":               {someDeployment("new", arn("orders"), func(in *input) { in.TargetStorageType = aws.String("floppy") }), "InvalidParameterValue"},
		"small io2":                 {someDeployment("new", arn("orders"), func(in *input) { in.TargetStorageType = aws.String("io2") }), "InvalidParameterValue"},
		"bad tag":                   {someDeployment("new", arn("orders"), func(in *input) { in.Tags = []types.Tag{{Key: aws.String("aws:x")}} }), "InvalidParameterValue"},
		"of Aurora":                 {someDeployment("new", arn("orders"), func(in *input) { in.TargetDBClusterParameterGroupName = aws.String("x") }), "NotImplemented"},
		"for single members": {someDeployment("new", arn("orders"), func(in *input) {
			in.TargetResourceConfigurations = []types.TargetResourceConfiguration{{SourceArn: aws.String(arn("orders"))}}
		}), "NotImplemented"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.CreateBlueGreenDeployment(ctx, test.in)
			sdk.WantCode(t, err, test.code)
		})
	}
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{NoCapacity: []string{"db.r8g.large"}})
	_, err := client.CreateBlueGreenDeployment(ctx, someDeployment("new", arn("orders"), func(in *input) { in.TargetDBInstanceClass = aws.String("db.r8g.large") }))
	sdk.WantCode(t, err, "InsufficientDBInstanceCapacity")
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{Instances: 1})
	_, err = client.CreateBlueGreenDeployment(ctx, someDeployment("new", arn("orders")))
	sdk.WantCode(t, err, "InstanceQuotaExceeded")
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{})

	none := aws.String("bgd-none")
	for what, call := range map[string]func() error{
		"Describe": func() error {
			_, err := client.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: none})
			return err
		},
		"Switchover": func() error {
			_, err := client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: none})
			return err
		},
		"Delete": func() error {
			_, err := client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: none})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) { sdk.WantCode(t, call(), "BlueGreenDeploymentNotFoundFault") })
	}
	_, err = client.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{Filters: []types.Filter{{Name: aws.String("engine"), Values: []string{"mysql"}}}})
	sdk.WantCode(t, err, "InvalidParameterValue")
	_, err = remote.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: &taken})
	sdk.WantCode(t, err, "BlueGreenDeploymentNotFoundFault")

	// While a source is in a deployment it keeps its backups, and runs on.
	_, err = client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("taken"), BackupRetentionPeriod: aws.Int32(0)})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	_, err = client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String("taken")})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
}

// TestRDSBlueGreenMajor: an upgrade of PostgreSQL to another major version needs a parameter that is in effect, and MySQL's does not.
func TestRDSBlueGreenMajor(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	own, later := aws.String("own"), aws.String("later")
	check.Need(client.CreateDBParameterGroup(ctx, &rds.CreateDBParameterGroupInput{DBParameterGroupName: own, DBParameterGroupFamily: aws.String("postgres16"), Description: own}))(t)
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) { in.DBParameterGroupName = own })))(t)
	check.Need(client.ModifyDBParameterGroup(ctx, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: own, Parameters: []types.Parameter{
		{ParameterName: aws.String("rds.logical_replication"), ParameterValue: aws.String("1"), ApplyMethod: types.ApplyMethodPendingReboot},
	}}))(t)
	upgrade := someDeployment("upgrade", *sdk.Describe(t, client, "orders").DBInstanceArn, func(in *rds.CreateBlueGreenDeploymentInput) {
		in.TargetEngineVersion, in.TargetDBParameterGroupName = aws.String("17"), later
	})
	_, err := client.CreateBlueGreenDeployment(ctx, upgrade)
	sdk.WantCode(t, err, "SourceDatabaseNotSupportedFault")
	check.Need(client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: aws.String("orders")}))(t)
	id := *check.Need(client.CreateBlueGreenDeployment(ctx, upgrade))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
	wantDeployment(t, client, id, "AVAILABLE")
	check.Need(client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id}))(t)
	if db := sdk.WantInstance(t, client, "orders", "available"); *db.EngineVersion != "17.6" || *db.DBParameterGroups[0].DBParameterGroupName != "later" {
		t.Errorf("after the upgrade: %s, %+v", *db.EngineVersion, db.DBParameterGroups)
	}
	if db := sdk.WantInstance(t, client, "orders-old1", "available"); *db.EngineVersion != "16.3" || *db.DBParameterGroups[0].DBParameterGroupName != "own" {
		t.Errorf("the old instance after the upgrade: %s, %+v", *db.EngineVersion, db.DBParameterGroups)
	}

	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("mysql", func(in *rds.CreateDBInstanceInput) {
		in.Engine, in.EngineVersion = aws.String("mysql"), aws.String("8.0.40")
	})))(t)
	mysql := *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("mysql", *sdk.Describe(t, client, "mysql").DBInstanceArn)))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
	target := *wantDeployment(t, client, mysql, "AVAILABLE").Target
	green := target[strings.LastIndex(target, ":")+1:]
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: &green, EngineVersion: aws.String("8.4.5"), AllowMajorVersionUpgrade: aws.Bool(true), ApplyImmediately: aws.Bool(true),
	}))(t)
	if db := sdk.WantInstance(t, client, green, "available"); *db.EngineVersion != "8.4.5" {
		t.Errorf("the green instance has %s", *db.EngineVersion)
	}
}

// TestRDSBlueGreenList: deployments are listed by pages and have tags.
func TestRDSBlueGreenList(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	cloud.SetPageLimit(2)
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	ids := map[string]bool{}
	var last string
	for i := range 5 {
		name := fmt.Sprintf("db-%d", i)
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(name)))(t)
		last = *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment(name, *sdk.Describe(t, client, name).DBInstanceArn)))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
		ids[last] = true
	}
	pages := rds.NewDescribeBlueGreenDeploymentsPaginator(client, &rds.DescribeBlueGreenDeploymentsInput{})
	for n := 0; pages.HasMorePages(); n++ {
		page := check.Need(pages.NextPage(ctx))(t)
		if len(page.BlueGreenDeployments) > 2 {
			t.Errorf("page %d has %d deployments", n, len(page.BlueGreenDeployments))
		}
		for _, d := range page.BlueGreenDeployments {
			delete(ids, *d.BlueGreenDeploymentIdentifier)
		}
	}
	if len(ids) != 0 {
		t.Errorf("no page has %v", ids)
	}
	target := *describeDeployment(t, client, last).Target
	for name, value := range map[string]string{"blue-green-deployment-identifier": last, "target": target} {
		got := check.Need(client.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{Filters: []types.Filter{{Name: &name, Values: []string{value}}}}))(t).BlueGreenDeployments
		if len(got) != 1 || *got[0].BlueGreenDeploymentIdentifier != last {
			t.Errorf("by %s: %+v", name, got)
		}
	}
	resource := aws.String("arn:aws:rds:eu-west-1:" + sdk.OwnAccount + ":deployment:" + last)
	check.Need(client.AddTagsToResource(ctx, &rds.AddTagsToResourceInput{ResourceName: resource, Tags: []types.Tag{{Key: aws.String("a"), Value: aws.String("b")}}}))(t)
	if got := check.Need(client.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: resource}))(t).TagList; len(got) != 1 || len(describeDeployment(t, client, last).TagList) != 1 {
		t.Errorf("the tags are %+v", got)
	}
}
