package rds_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// What an account has no more of is refused, at the creation, a change and a start, and is given again when there is more.
func TestRDSLimits(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("db")
	create := func() error {
		_, err := client.CreateDBInstance(ctx, sdk.SomeInstance("db"))
		return err
	}
	modify := func(in rds.ModifyDBInstanceInput) error {
		in.DBInstanceIdentifier, in.ApplyImmediately = name, aws.Bool(true)
		_, err := client.ModifyDBInstance(ctx, &in)
		return err
	}
	for code, limits := range map[string]localcloud.RDSLimits{
		"InstanceQuotaExceeded": {Instances: -1}, "StorageQuotaExceeded": {StorageGiB: 19}, "InsufficientDBInstanceCapacity": {NoCapacity: []string{"db.t4g.micro"}},
	} {
		cloud.LimitRDS(sdk.OwnAccount, limits)
		sdk.WantCode(t, create(), code)
	}
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.micro"}, FoundLate: true})
	sdk.WantCode(t, create(), "")
	sdk.WantInstance(t, client, "db", "insufficient-capacity")
	sdk.WantCode(t, modify(rds.ModifyDBInstanceInput{DBInstanceClass: aws.String("db.t4g.small")}), "InvalidDBInstanceState")
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: name, SkipFinalSnapshot: aws.Bool(true)}))(t)

	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{StorageGiB: 100, NoCapacity: []string{"db.t4g.small"}})
	sdk.WantCode(t, create(), "")
	sdk.WantCode(t, modify(rds.ModifyDBInstanceInput{AllocatedStorage: aws.Int32(101)}), "StorageQuotaExceeded")
	sdk.WantCode(t, modify(rds.ModifyDBInstanceInput{DBInstanceClass: aws.String("db.t4g.small")}), "InsufficientDBInstanceCapacity")
	sdk.WantInstance(t, client, "db", "available")
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: name}))(t)
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.micro"}})
	_, err := client.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: name})
	sdk.WantCode(t, err, "InsufficientDBInstanceCapacity")
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{})
	check.Need(client.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: name}))(t)
	sdk.WantCode(t, modify(rds.ModifyDBInstanceInput{AllocatedStorage: aws.Int32(200), DBInstanceClass: aws.String("db.t4g.small")}), "")
	sdk.WantInstance(t, client, "db", "available")
}

// An instance whose disk is full takes a larger one, and nothing without that.
func TestRDSStorageFull(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	size := *sdk.Describe(t, client, "db").AllocatedStorage
	if !cloud.SetRDSStatus(sdk.OwnAccount, "eu-west-1", "db", "storage-full") || cloud.SetRDSStatus(sdk.OwnAccount, "eu-west-1", "other", "storage-full") {
		t.Error("which instance there is was not told")
	}
	sdk.WantInstance(t, client, "db", "storage-full")
	modify := func(gib int32) error {
		_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
			DBInstanceIdentifier: aws.String("db"), AllocatedStorage: aws.Int32(gib), BackupRetentionPeriod: aws.Int32(5), ApplyImmediately: aws.Bool(true),
		})
		return err
	}
	sdk.WantCode(t, modify(size), "InvalidDBInstanceState")
	sdk.WantCode(t, modify(2*size), "")
	sdk.WantInstance(t, client, "db", "available")
}

// A server does not start with more buffers than its class has memory. It can be restarted then, and not be modified.
func TestRDSIncompatibleParameters(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	in, group := sdk.SomeInstance("db"), aws.String("db-a")
	check.Need(client.CreateDBParameterGroup(ctx, &rds.CreateDBParameterGroupInput{
		DBParameterGroupName: group, DBParameterGroupFamily: aws.String("postgres16"), Description: group,
	}))(t)
	set := func(pages string) {
		t.Helper()
		check.Need(client.ModifyDBParameterGroup(ctx, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: group, Parameters: []rdstypes.Parameter{
			{ParameterName: aws.String("shared_buffers"), ParameterValue: &pages, ApplyMethod: rdstypes.ApplyMethodPendingReboot},
		}}))(t)
	}
	reboot := func(want string) {
		t.Helper()
		check.Need(client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: aws.String("db")}))(t)
		sdk.WantInstance(t, client, "db", want)
	}
	in.DBParameterGroupName, in.EngineVersion = group, aws.String("16")
	set("131072") // 1 GiB
	check.Need(client.CreateDBInstance(ctx, in))(t)
	sdk.WantInstance(t, client, "db", "incompatible-parameters")
	_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), BackupRetentionPeriod: aws.Int32(5)})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	reboot("incompatible-parameters")
	set("16384")
	sdk.WantInstance(t, client, "db", "incompatible-parameters")
	reboot("available")
	set("131072")
	sdk.WantInstance(t, client, "db", "available")
	reboot("incompatible-parameters")
}

// An account has so many manual snapshots in a region, final ones among them: a deletion that can't take its own is refused, and the instance stays.
func TestSnapshotQuota(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders")))(t)
	clock.Advance(time.Hour)
	final := func(name string) error {
		_, err := client.DeleteDBInstance(t.Context(), &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), FinalDBSnapshotIdentifier: &name})
		return err
	}
	for n := range localrds.SnapshotQuota {
		check.Need(client.CreateDBSnapshot(t.Context(), &rds.CreateDBSnapshotInput{DBInstanceIdentifier: aws.String("orders"), DBSnapshotIdentifier: aws.String(fmt.Sprintf("s-%d", n))}))(t)
	}
	_, err := client.CreateDBSnapshot(t.Context(), &rds.CreateDBSnapshotInput{DBInstanceIdentifier: aws.String("orders"), DBSnapshotIdentifier: aws.String("one-more")})
	sdk.WantCode(t, err, "SnapshotQuotaExceeded")
	sdk.WantCode(t, final("final"), "SnapshotQuotaExceeded")
	sdk.WantInstance(t, client, "orders", "available")
	check.Need(client.DeleteDBSnapshot(t.Context(), &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: aws.String("s-0")}))(t)
	sdk.WantCode(t, final("final"), "")
}
