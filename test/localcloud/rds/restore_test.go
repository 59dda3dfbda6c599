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
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// someRestore is a valid request to restore a snapshot, changed by edits.
func someRestore(name, snapshot string, edits ...func(*rds.RestoreDBInstanceFromDBSnapshotInput)) *rds.RestoreDBInstanceFromDBSnapshotInput {
	in := &rds.RestoreDBInstanceFromDBSnapshotInput{DBInstanceIdentifier: aws.String(name), DBSnapshotIdentifier: aws.String(snapshot)}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// TestRDSRestoreData: a restored instance has what was written before the snapshot, and not what was written after it. The password is the old one until it is changed.
func TestRDSRestoreData(t *testing.T) {
	t.Parallel()
	for _, w := range []struct {
		name  string
		query func(t *testing.T, at check.Server, user, password, database, sql string) (string, error)
	}{{"postgres", check.QueryPostgres}, {"mariadb", check.QueryMariaDB}} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, engine.Available(w.name))
			cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
			defer func() {
				if err := cloud.Close(); err != nil {
					t.Error(err)
				}
			}()
			ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
			check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
				in.Engine, in.EngineVersion, in.DBName = aws.String(w.name), nil, aws.String("shop")
			})))(t)
			run := func(of types.DBInstance, password, sql string) (string, error) {
				ca := check.Need(cloud.RDSAuthorities())(t)
				return w.query(t, check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}, "mooring", password, "shop", sql)
			}
			source := sdk.AwaitStatus(t, client, "orders", "available")
			check.Need(run(source, "correct-horse", "CREATE TABLE t (n int)"))(t)
			check.Need(run(source, "correct-horse", "INSERT INTO t VALUES (1)"))(t)
			check.Need(client.CreateDBSnapshot(ctx, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: aws.String("orders"), DBSnapshotIdentifier: aws.String("one")}))(t)
			sdk.AwaitStatus(t, client, "orders", "available")
			check.Need(run(source, "correct-horse", "INSERT INTO t VALUES (2)"))(t)
			check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), FinalDBSnapshotIdentifier: aws.String("two")}))(t)
			sdk.AwaitStatus(t, client, "orders", "")
			for snapshot, rows := range map[string]string{"one": "1", "two": "2"} {
				check.Need(client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("from-"+snapshot, snapshot)))(t)
				check.Need(client.DeleteDBSnapshot(ctx, &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: aws.String(snapshot)}))(t) // which the restore outlives
				restored := sdk.AwaitStatus(t, client, "from-"+snapshot, "available")
				if got, err := run(restored, "correct-horse", "SELECT count(*) FROM t"); got != rows || err != nil {
					t.Errorf("restored %q rows of snapshot %s, want %s: %v", got, snapshot, rows, err)
				}
				check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
					DBInstanceIdentifier: restored.DBInstanceIdentifier, MasterUserPassword: aws.String("battery-staple"), ApplyImmediately: aws.Bool(true),
				}))(t)
				sdk.AwaitStatus(t, client, "from-"+snapshot, "available")
				if _, err := run(restored, "correct-horse", "SELECT 1"); err == nil {
					t.Error("the password of the source works still")
				}
				check.Need(run(restored, "battery-staple", "SELECT 1"))(t)
			}
		})
	}
}

// TestRDSSnapshotOfStopped: the final snapshot of a stopped instance has its data, and the instance does not go before.
func TestRDSSnapshotOfStopped(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	db := sdk.AwaitStatus(t, client, "orders", "available")
	query := func(db types.DBInstance, sql string) string {
		ca := check.Need(cloud.RDSAuthorities())(t)
		return check.Need(check.QueryPostgres(t, check.Server{Host: *db.Endpoint.Address, Port: int(*db.Endpoint.Port), CA: ca}, "mooring", "correct-horse", "", sql))(t)
	}
	query(db, "CREATE TABLE t (n int)")
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String("orders")}))(t)
	sdk.AwaitStatus(t, client, "orders", "stopped")
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), FinalDBSnapshotIdentifier: aws.String("final")}))(t)
	sdk.AwaitStatus(t, client, "orders", "")
	check.Need(client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("orders", "final")))(t)
	if got := query(sdk.AwaitStatus(t, client, "orders", "available"), "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("the table has %q rows, want 0", got)
	}
}

// TestRDSRestoreSettings: what the call does not say is as the reference has it, some of it as the source was and some of it as a new instance is.
func TestRDSRestoreSettings(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute, Snapshot: time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	source := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.DBInstanceClass, in.AllocatedStorage, in.BackupRetentionPeriod, in.Port = aws.String("db.t4g.medium"), aws.Int32(500), aws.Int32(9), aws.Int32(6543)
		in.Iops, in.StorageThroughput, in.MaxAllocatedStorage = aws.Int32(13000), aws.Int32(600), aws.Int32(1000)
		in.StorageEncrypted, in.MultiAZ, in.DeletionProtection, in.EnableIAMDatabaseAuthentication = aws.Bool(true), aws.Bool(true), aws.Bool(true), aws.Bool(true)
		in.KmsKeyId, in.DBName = aws.String("alias/shop"), aws.String("shop")
		in.DBSubnetGroupName, in.EnableCloudwatchLogsExports = aws.String("shop"), []string{"postgresql"}
	})))(t).DBInstance
	clock.Advance(8 * time.Minute)
	made := check.Need(client.CreateDBSnapshot(ctx, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: aws.String("orders"), DBSnapshotIdentifier: aws.String("one")}))(t).DBSnapshot
	if *made.Port != 6543 || *made.OptionGroupName != "default:postgres-16" || *made.StorageThroughput != 600 || *made.VpcId != *source.DBSubnetGroup.VpcId ||
		!*made.IAMDatabaseAuthenticationEnabled || made.OriginalSnapshotCreateTime == nil || *made.SnapshotTarget != "region" {
		t.Errorf("the snapshot is %+v", made)
	}
	_, err := client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("again", "one"))
	sdk.WantCode(t, err, "InvalidDBSnapshotState")
	clock.Advance(time.Minute)

	answered := check.Need(client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("Again", "ONE")))(t).DBInstance
	if *answered.DBInstanceStatus != "creating" || answered.Endpoint != nil || answered.AvailabilityZone != nil || *answered.DbiResourceId == *source.DbiResourceId {
		t.Errorf("the answer is %+v", answered)
	}
	clock.Advance(8 * time.Minute)
	db := sdk.WantInstance(t, client, "again", "available")
	if !db.InstanceCreateTime.After(*made.SnapshotCreateTime) {
		t.Errorf("it was created at %v", db.InstanceCreateTime)
	}
	if *db.DBInstanceClass != "db.t4g.medium" || *db.AllocatedStorage != 500 || *db.BackupRetentionPeriod != 9 || *db.Endpoint.Port != 6543 ||
		*db.StorageType != "gp3" || *db.Iops != 13000 || *db.StorageThroughput != 600 || !*db.StorageEncrypted || *db.KmsKeyId != *source.KmsKeyId ||
		*db.MasterUsername != "mooring" || *db.EngineVersion != "16.3" || *db.DBName != "shop" || len(db.TagList) != 1 {
		t.Errorf("not as the source: %+v", db)
	}
	if *db.MultiAZ || *db.DeletionProtection || *db.IAMDatabaseAuthenticationEnabled || *db.PubliclyAccessible || db.MaxAllocatedStorage != nil ||
		*db.DBSubnetGroup.DBSubnetGroupName != "default" || len(db.EnabledCloudwatchLogsExports) != 0 || *db.DBParameterGroups[0].DBParameterGroupName != "default.postgres16" {
		t.Errorf("not as a new instance: %+v", db)
	}
	asked := check.Need(client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("other", "one", func(in *rds.RestoreDBInstanceFromDBSnapshotInput) {
		in.DBInstanceClass, in.AllocatedStorage, in.BackupRetentionPeriod, in.Port = aws.String("db.t4g.micro"), aws.Int32(600), aws.Int32(0), aws.Int32(5432)
		in.StorageType, in.MultiAZ, in.DeletionProtection, in.DBSubnetGroupName = aws.String("gp2"), aws.Bool(true), aws.Bool(true), aws.String("pay")
		in.Tags = []types.Tag{{Key: aws.String("owner"), Value: aws.String("you")}}
	})))(t).DBInstance
	if *asked.DBInstanceClass != "db.t4g.micro" || *asked.AllocatedStorage != 600 || *asked.BackupRetentionPeriod != 0 || *asked.StorageType != "gp2" || asked.Iops != nil ||
		!*asked.MultiAZ || !*asked.DeletionProtection || *asked.DBSubnetGroup.DBSubnetGroupName != "pay" || len(asked.TagList) != 1 || *asked.TagList[0].Value != "you" {
		t.Errorf("not as asked for: %+v", asked)
	}
}

// TestRDSRestoreRefusals are of a snapshot that is complete.
func TestRDSRestoreRefusals(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute, Snapshot: time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	clock.Advance(8 * time.Minute)
	check.Need(client.CreateDBSnapshot(ctx, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: aws.String("orders"), DBSnapshotIdentifier: aws.String("one")}))(t)
	clock.Advance(time.Minute)
	type input = rds.RestoreDBInstanceFromDBSnapshotInput
	for name, test := range map[string]struct {
		edit func(*input)
		code string
	}{
		"no snapshot":      {func(in *input) { in.DBSnapshotIdentifier = nil }, "InvalidParameterCombination"},
		"no such snapshot": {func(in *input) { in.DBSnapshotIdentifier = aws.String("two") }, "DBSnapshotNotFound"},
		"another's snapshot": {func(in *input) {
			in.DBSnapshotIdentifier = aws.String("arn:aws:rds:eu-west-1:999999999999:snapshot:one")
		}, "DBSnapshotNotFound"},
		"name taken":         {func(in *input) { in.DBInstanceIdentifier = aws.String("Orders") }, "DBInstanceAlreadyExists"},
		"bad name":           {func(in *input) { in.DBInstanceIdentifier = aws.String("or--ders") }, "InvalidParameterValue"},
		"another engine":     {func(in *input) { in.Engine = aws.String("mysql") }, "InvalidParameterCombination"},
		"another licence":    {func(in *input) { in.LicenseModel = aws.String("general-public-license") }, "InvalidParameterCombination"},
		"smaller disk":       {func(in *input) { in.AllocatedStorage = aws.Int32(49) }, "InvalidParameterValue"},
		"managed password":   {func(in *input) { in.ManageMasterUserPassword = aws.Bool(true) }, "InvalidParameterCombination"},
		"name of a database": {func(in *input) { in.DBName = aws.String("shop") }, "InvalidParameterCombination"},
		"zone and two zones": {func(in *input) { in.MultiAZ, in.AvailabilityZone = aws.Bool(true), aws.String("eu-west-1a") }, "InvalidParameterCombination"},
		"no such group":      {func(in *input) { in.DBSubnetGroupName = aws.String("none") }, "DBSubnetGroupNotFoundFault"},
		"no such parameters": {func(in *input) { in.DBParameterGroupName = aws.String("none") }, "DBParameterGroupNotFound"},
		"no such class":      {func(in *input) { in.DBInstanceClass = aws.String("db.none") }, "InvalidParameterValue"},
		"bad tag":            {func(in *input) { in.Tags = []types.Tag{{Key: aws.String("aws:x")}} }, "InvalidParameterValue"},
		"not served":         {func(in *input) { in.Domain = aws.String("d-1234567890") }, "NotImplemented"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("again", "one", test.edit))
			sdk.WantCode(t, err, test.code)
		})
	}
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{Instances: 1})
	_, err := client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("again", "one"))
	sdk.WantCode(t, err, "InstanceQuotaExceeded")
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.micro"}})
	_, err = client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("again", "one"))
	sdk.WantCode(t, err, "InsufficientDBInstanceCapacity")
}

// TestRDSRestoreFails: a restore that fails late leaves an instance that can only be deleted.
func TestRDSRestoreFails(t *testing.T) {
	for code, want := range map[string]string{"": "restore-error", "incompatible-restore": "incompatible-restore"} {
		cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute})
		ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
		clock.Advance(8 * time.Minute)
		check.Need(client.CreateDBSnapshot(ctx, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: aws.String("orders"), DBSnapshotIdentifier: aws.String("one")}))(t)
		cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "RestoreDBInstanceFromDBSnapshot", Resource: "again"}, Kind: localcloud.FailLate, Code: code})
		check.Need(client.RestoreDBInstanceFromDBSnapshot(ctx, someRestore("again", "one")))(t)
		sdk.WantInstance(t, client, "again", "creating")
		clock.Advance(8 * time.Minute)
		sdk.WantInstance(t, client, "again", want)
		_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("again"), FinalDBSnapshotIdentifier: aws.String("final")})
		sdk.WantCode(t, err, "InvalidDBInstanceState")
		check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("again"), SkipFinalSnapshot: aws.Bool(true)}))(t)
	}
}
