package rds_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestRDSRefusedUpgrade: with something in the way of a major version, an upgrade changes nothing, and an event says why, for as long as it is asked for. A minor version does not mind.
func TestRDSRefusedUpgrade(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("others")))(t)
	sdk.Describe(t, client, "orders")
	if !cloud.SetRDSUpgradeObstacle(sdk.OwnAccount, "eu-west-1", "orders", "a reg type") || cloud.SetRDSUpgradeObstacle(sdk.OwnAccount, "eu-west-1", "none", "a reg type") {
		t.Error("which instance there is was not told")
	}
	upgrade := func(version string) string {
		t.Helper()
		check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
			DBInstanceIdentifier: aws.String("orders"), EngineVersion: &version, AllowMajorVersionUpgrade: aws.Bool(true), ApplyImmediately: aws.Bool(true),
		}))(t)
		if status := *sdk.Describe(t, client, "orders").DBInstanceStatus; status != "upgrading" {
			t.Errorf("the status is %s", status)
		}
		clock.Advance(time.Minute)
		return *sdk.Describe(t, client, "orders").EngineVersion
	}
	events := func(in rds.DescribeEventsInput) []types.Event {
		t.Helper()
		return check.Need(client.DescribeEvents(ctx, &in))(t).Events
	}
	if got := upgrade("16.4"); got != "16.4" || len(events(rds.DescribeEventsInput{})) > 0 {
		t.Errorf("after a minor upgrade the version is %s, the events %v", got, events(rds.DescribeEventsInput{}))
	}
	if got := upgrade("17.6"); got != "16.4" {
		t.Errorf("after an upgrade that was refused, the version is %s", got)
	}
	orders := rds.DescribeEventsInput{SourceType: types.SourceTypeDbInstance, SourceIdentifier: aws.String("orders"), EventCategories: []string{"maintenance"}, Duration: aws.Int32(600)}
	if got := events(orders); len(got) != 1 || *got[0].Message != "Database instance is in a state that cannot be upgraded: a reg type" || *got[0].SourceIdentifier != "orders" || got[0].EventCategories[0] != "maintenance" {
		t.Errorf("the events are %+v", got)
	}
	for name, edit := range map[string]func(*rds.DescribeEventsInput){
		"another instance": func(in *rds.DescribeEventsInput) { in.SourceIdentifier = aws.String("others") },
		"another category": func(in *rds.DescribeEventsInput) { in.EventCategories = []string{"failover"} },
		"another source":   func(in *rds.DescribeEventsInput) { in.SourceType = types.SourceTypeDbSnapshot },
	} {
		in := orders
		if edit(&in); len(events(in)) > 0 {
			t.Errorf("%s has events", name)
		}
	}
	clock.Advance(2 * time.Hour)
	if unless, asked := events(rds.DescribeEventsInput{}), events(orders); len(unless) > 0 || len(asked) != 1 {
		t.Errorf("after two hours there are %d events, and %d of the last ten hours", len(unless), len(asked))
	}
	_, err := client.DescribeEvents(ctx, &rds.DescribeEventsInput{SourceIdentifier: aws.String("orders")})
	sdk.WantCode(t, err, "InvalidParameterCombination")
	_, err = client.DescribeEvents(ctx, &rds.DescribeEventsInput{Duration: aws.Int32(15 * 24 * 60)})
	sdk.WantCode(t, err, "InvalidParameterValue")
	cloud.SetRDSUpgradeObstacle(sdk.OwnAccount, "eu-west-1", "orders", "")
	if got := upgrade("17.6"); got != "17.6" {
		t.Errorf("with nothing in the way the version is %s", got)
	}
}
