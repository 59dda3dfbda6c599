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

func TestRDSLifecycle(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute, Modify: 5 * time.Minute, Delete: 3 * time.Minute, Snapshot: time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	name := aws.String("orders")
	created := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("Orders")))(t).DBInstance
	if *created.DBInstanceIdentifier != "orders" || *created.DBInstanceStatus != "creating" || created.Endpoint != nil {
		t.Errorf("got %q in state %q at %v", *created.DBInstanceIdentifier, *created.DBInstanceStatus, created.Endpoint)
	}
	_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, DeletionProtection: aws.Bool(true)})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	clock.Advance(6 * time.Minute)
	if db := sdk.WantInstance(t, client, "ORDERS", "backing-up"); db.Endpoint == nil || *db.DbiResourceId != *created.DbiResourceId {
		t.Errorf("got endpoint %v, id %s", db.Endpoint, *db.DbiResourceId)
	}
	clock.Advance(2 * time.Minute)
	if db := sdk.WantInstance(t, client, "orders", "available"); len(db.TagList) != 1 || *db.EngineVersion != "16.3" || *db.AllocatedStorage != 50 {
		t.Errorf("got tags %v, version %s, storage %d", db.TagList, *db.EngineVersion, *db.AllocatedStorage)
	}

	class := func(class string, now bool) *types.DBInstance {
		return check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
			DBInstanceIdentifier: name, DBInstanceClass: aws.String(class), ApplyImmediately: aws.Bool(now),
		}))(t).DBInstance
	}
	if db := class("db.t4g.small", false); *db.DBInstanceStatus != "available" || aws.ToString(db.PendingModifiedValues.DBInstanceClass) != "db.t4g.small" {
		t.Errorf("deferred: got %s, pending %v", *db.DBInstanceStatus, db.PendingModifiedValues)
	}
	if db := class("db.t4g.micro", false); db.PendingModifiedValues.DBInstanceClass != nil {
		t.Errorf("asking for the current class did not cancel: %v", db.PendingModifiedValues)
	}
	if db := class("db.t4g.medium", true); *db.DBInstanceStatus != "modifying" || *db.DBInstanceClass != "db.t4g.micro" {
		t.Errorf("at once: got %s, class %s", *db.DBInstanceStatus, *db.DBInstanceClass)
	}
	clock.Advance(5 * time.Minute)
	if db := sdk.WantInstance(t, client, "orders", "available"); *db.DBInstanceClass != "db.t4g.medium" || db.PendingModifiedValues.DBInstanceClass != nil {
		t.Errorf("got class %s, pending %v", *db.DBInstanceClass, db.PendingModifiedValues)
	}

	remove := func(snapshot string) error {
		in := &rds.DeleteDBInstanceInput{DBInstanceIdentifier: name, SkipFinalSnapshot: aws.Bool(snapshot == "")}
		if snapshot != "" {
			in.FinalDBSnapshotIdentifier = aws.String(snapshot)
		}
		_, err := client.DeleteDBInstance(ctx, in)
		return err
	}
	_, err = client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: name})
	sdk.WantCode(t, err, "InvalidParameterCombination")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, DeletionProtection: aws.Bool(true)}))(t)
	sdk.WantInstance(t, client, "orders", "available")
	sdk.WantCode(t, remove("orders-final"), "InvalidParameterCombination")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, DeletionProtection: aws.Bool(false)}))(t)
	sdk.WantCode(t, remove("orders-final"), "")
	sdk.WantCode(t, remove("orders-final"), "InvalidDBInstanceState")
	clock.Advance(time.Minute)
	sdk.WantInstance(t, client, "orders", "deleting")
	snapshots := check.Need(client.DescribeDBSnapshots(ctx, &rds.DescribeDBSnapshotsInput{DBSnapshotIdentifier: aws.String("orders-final")}))(t).DBSnapshots
	if len(snapshots) != 1 || *snapshots[0].Status != "available" {
		t.Errorf("got snapshots %v", snapshots)
	}
	clock.Advance(3 * time.Minute)
	_, err = client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: name})
	sdk.WantCode(t, err, "DBInstanceNotFound")
	sdk.WantCode(t, remove(""), "DBInstanceNotFound")

	if again := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t).DBInstance; *again.DbiResourceId == *created.DbiResourceId {
		t.Error("the new instance has the id of the old one")
	}
	clock.Advance(8 * time.Minute)
	sdk.WantCode(t, remove("orders-final"), "DBSnapshotAlreadyExists")
	sdk.WantCode(t, remove(""), "")
}
