package rds_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// TestRDSReplicaData: what is written to the source arrives on its replicas, in its region and in another one, which refuse writes until they are promoted.
func TestRDSReplicaData(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client, remote := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
	query := func(of types.DBInstance, sql string) (string, error) {
		ca := check.Need(cloud.RDSAuthorities())(t)
		return check.QueryPostgres(t, check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}, "mooring", "correct-horse", "shop", sql)
	}
	run := func(of types.DBInstance, sql string) {
		t.Helper()
		check.Need(query(of, sql))(t)
	}
	follows := func(of types.DBInstance, rows string) {
		t.Helper()
		check.AwaitValue(t, "rows of "+*of.DBInstanceIdentifier, rows, func() (string, error) { return query(of, "SELECT count(*) FROM t") })
	}
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) { in.DBName = aws.String("shop") })))(t)
	source := sdk.AwaitStatus(t, client, "orders", "available")
	run(source, "CREATE TABLE t (n int)")
	check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("near", "orders")))(t)
	check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("next", "orders")))(t)
	check.Need(remote.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("far", *source.DBInstanceArn)))(t)
	near, next, far := sdk.AwaitStatus(t, client, "near", "available"), sdk.AwaitStatus(t, client, "next", "available"), sdk.AwaitStatus(t, remote, "far", "available")
	run(source, "INSERT INTO t VALUES (1)")
	for _, replica := range []types.DBInstance{near, next, far} {
		follows(replica, "1")
		_, err := query(replica, "INSERT INTO t VALUES (0)")
		check.ReadOnly(t, "a write on "+*replica.DBInstanceIdentifier, err)
	}
	check.Need(client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: aws.String("near")}))(t)
	run(source, "INSERT INTO t VALUES (2)")
	sdk.AwaitStatus(t, client, "near", "available")
	follows(near, "2")

	check.Need(client.PromoteReadReplica(ctx, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: aws.String("near")}))(t)
	sdk.AwaitStatus(t, client, "near", "available")
	run(near, "INSERT INTO t VALUES (3), (4)")
	run(source, "INSERT INTO t VALUES (3)")
	follows(next, "3")
	follows(far, "3")
	follows(near, "4")

	// The log of one that was promoted begins with its backups.
	awaitRestorable(t, client, "near")
	run(near, "INSERT INTO t VALUES (5)")
	check.Need(client.RestoreDBInstanceToPointInTime(ctx, &rds.RestoreDBInstanceToPointInTimeInput{
		SourceDBInstanceIdentifier: aws.String("near"), TargetDBInstanceIdentifier: aws.String("again"), UseLatestRestorableTime: aws.Bool(true),
	}))(t)
	again := sdk.AwaitStatus(t, client, "again", "available")
	run(again, "INSERT INTO t VALUES (6)")

	// Without the source, the replica in its region is promoted; the one in another region stays as it is.
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), SkipFinalSnapshot: aws.Bool(true)}))(t)
	sdk.AwaitStatus(t, client, "orders", "")
	check.AwaitValue(t, "a write on a replica whose source is gone", "", func() (string, error) {
		sdk.Describe(t, client, "next")
		return query(next, "INSERT INTO t VALUES (4)")
	})
	follows(next, "4")
	follows(far, "3")
	_, err := query(far, "INSERT INTO t VALUES (0)")
	check.ReadOnly(t, "a write on a replica that was not promoted", err)
	if db := sdk.Describe(t, remote, "far"); *db.StatusInfos[0].Status != "terminated" || *db.StatusInfos[0].Normal {
		t.Errorf("the replica in another region is %+v", db.StatusInfos)
	}
	check.Need(remote.PromoteReadReplica(ctx, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: aws.String("far")}))(t)
	sdk.AwaitStatus(t, remote, "far", "available")
	run(far, "INSERT INTO t VALUES (4)")
}

// TestRDSReplicaOfMySQL: in another region too, it is promoted once its source is gone.
func TestRDSReplicaOfMySQL(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("mysql"))
	cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client, remote := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
	query := func(of types.DBInstance, sql string) (string, error) {
		ca := check.Need(cloud.RDSAuthorities())(t)
		return check.QueryMariaDB(t, check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}, "mooring", "correct-horse", "shop", sql)
	}
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.Engine, in.EngineVersion, in.DBName = aws.String("mysql"), nil, aws.String("shop")
	})))(t)
	source := sdk.AwaitStatus(t, client, "orders", "available")
	check.Need(query(source, "CREATE TABLE t (n int)"))(t)
	check.Need(remote.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("far", *source.DBInstanceArn)))(t)
	far := sdk.AwaitStatus(t, remote, "far", "available")
	check.Need(query(source, "INSERT INTO t VALUES (1)"))(t)
	check.AwaitValue(t, "rows of the replica", "1", func() (string, error) { return query(far, "SELECT count(*) FROM t") })
	if _, err := query(far, "INSERT INTO t VALUES (0)"); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a write on a replica: %v, want the refusal of a read-only server", err)
	}
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), SkipFinalSnapshot: aws.Bool(true)}))(t)
	sdk.AwaitStatus(t, client, "orders", "")
	check.AwaitValue(t, "the source of the replica", "", func() (string, error) {
		return aws.ToString(sdk.Describe(t, remote, "far").ReadReplicaSourceDBInstanceIdentifier), nil
	})
	check.Need(query(far, "INSERT INTO t VALUES (2)"))(t)
}

// awaitRestorable waits until an instance can be restored to a point in time.
func awaitRestorable(t *testing.T, client *rds.Client, name string) {
	t.Helper()
	check.AwaitValue(t, "the automated backups of "+name, "true", func() (string, error) {
		return fmt.Sprint(sdk.Describe(t, client, name).LatestRestorableTime != nil), nil
	})
}

// TestRDSReplica leads a replica through its life, as the API shows it.
func TestRDSReplica(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute, Modify: 5 * time.Minute, Delete: 3 * time.Minute})
	ctx, client, remote := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
	source := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.DBInstanceClass, in.AllocatedStorage, in.BackupRetentionPeriod, in.Port = aws.String("db.t4g.medium"), aws.Int32(500), aws.Int32(9), aws.Int32(6543)
		in.Iops, in.StorageThroughput, in.MaxAllocatedStorage = aws.Int32(13000), aws.Int32(600), aws.Int32(1000)
		in.StorageEncrypted, in.KmsKeyId, in.DBName = aws.Bool(true), aws.String("alias/shop"), aws.String("shop")
		in.MultiAZ, in.DeletionProtection, in.EnableIAMDatabaseAuthentication, in.CopyTagsToSnapshot = aws.Bool(true), aws.Bool(true), aws.Bool(true), aws.Bool(true)
		in.DBSubnetGroupName, in.EnableCloudwatchLogsExports, in.AutoMinorVersionUpgrade = aws.String("shop"), []string{"postgresql"}, aws.Bool(false)
	})))(t).DBInstance
	clock.Advance(8 * time.Minute)
	answered := check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("Copy", "Orders")))(t).DBInstance
	if *answered.DBInstanceStatus != "creating" || answered.Endpoint != nil || *answered.ReadReplicaSourceDBInstanceIdentifier != "orders" || answered.StatusInfos != nil {
		t.Errorf("the answer is %+v", answered)
	}
	clock.Advance(8 * time.Minute)
	db := sdk.WantInstance(t, client, "copy", "available")
	if *db.DBInstanceClass != "db.t4g.medium" || *db.AllocatedStorage != 500 || *db.Endpoint.Port != 6543 || *db.StorageType != "gp3" || *db.Iops != 13000 ||
		*db.MaxAllocatedStorage != 1000 || !*db.StorageEncrypted || *db.KmsKeyId != *source.KmsKeyId || *db.MasterUsername != "mooring" || *db.DBName != "shop" ||
		*db.EngineVersion != "16.3" || *db.DBSubnetGroup.DBSubnetGroupName != "shop" || *db.AutoMinorVersionUpgrade || *db.PreferredBackupWindow != *source.PreferredBackupWindow {
		t.Errorf("not as the source: %+v", db)
	}
	if *db.BackupRetentionPeriod != 0 || db.LatestRestorableTime != nil || *db.MultiAZ || *db.DeletionProtection || *db.IAMDatabaseAuthenticationEnabled || *db.CopyTagsToSnapshot ||
		len(db.EnabledCloudwatchLogsExports) != 0 || len(db.TagList) != 0 || *db.MonitoringInterval != 0 {
		t.Errorf("not as a new replica: %+v", db)
	}
	if info := db.StatusInfos; len(info) != 1 || *info[0].StatusType != "read replication" || *info[0].Status != "replicating" || !*info[0].Normal || info[0].Message != nil {
		t.Errorf("the replication is %+v", info)
	}
	asked := check.Need(remote.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("far", *source.DBInstanceArn, func(in *rds.CreateDBInstanceReadReplicaInput) {
		in.DBInstanceClass, in.AllocatedStorage, in.StorageType, in.Port, in.KmsKeyId = aws.String("db.t4g.micro"), aws.Int32(600), aws.String("gp2"), aws.Int32(5432), aws.String("alias/far")
		in.MultiAZ, in.DeletionProtection, in.DBSubnetGroupName, in.PubliclyAccessible = aws.Bool(true), aws.Bool(true), aws.String("spare"), aws.Bool(true)
		in.Tags = []types.Tag{{Key: aws.String("owner"), Value: aws.String("you")}}
	})))(t).DBInstance
	if *asked.DBInstanceClass != "db.t4g.micro" || *asked.AllocatedStorage != 600 || *asked.StorageType != "gp2" || asked.Iops != nil || *asked.KmsKeyId == *source.KmsKeyId ||
		!*asked.MultiAZ || !*asked.DeletionProtection || *asked.DBSubnetGroup.DBSubnetGroupName != "spare" || !*asked.PubliclyAccessible || len(asked.TagList) != 1 ||
		*asked.ReadReplicaSourceDBInstanceIdentifier != *source.DBInstanceArn {
		t.Errorf("not as asked for: %+v", asked)
	}
	clock.Advance(8 * time.Minute)
	if got := sdk.Describe(t, client, "orders").ReadReplicaDBInstanceIdentifiers; !slices.Equal(got, []string{"copy", *asked.DBInstanceArn}) {
		t.Errorf("the source has the replicas %v", got)
	}

	// With backups, it can have a replica, whatever becomes of it.
	retain := func(name string, days int32) error {
		_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String(name), BackupRetentionPeriod: aws.Int32(days), ApplyImmediately: aws.Bool(true)})
		clock.Advance(5 * time.Minute)
		return err
	}
	if err := retain("copy", 2); err != nil {
		t.Fatal(err)
	}
	check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("third", "copy")))(t)
	clock.Advance(8 * time.Minute)
	promoted := check.Need(client.PromoteReadReplica(ctx, &rds.PromoteReadReplicaInput{
		DBInstanceIdentifier: aws.String("copy"), BackupRetentionPeriod: aws.Int32(5), PreferredBackupWindow: aws.String("07:00-07:30"),
	}))(t).DBInstance
	if *promoted.DBInstanceStatus != "modifying" || promoted.ReadReplicaSourceDBInstanceIdentifier == nil {
		t.Errorf("while it is promoted: %+v", promoted)
	}
	clock.Advance(5 * time.Minute)
	db = sdk.WantInstance(t, client, "copy", "available")
	if db.ReadReplicaSourceDBInstanceIdentifier != nil || db.StatusInfos != nil || *db.BackupRetentionPeriod != 5 || *db.PreferredBackupWindow != "07:00-07:30" ||
		db.LatestRestorableTime == nil || !slices.Equal(db.ReadReplicaDBInstanceIdentifiers, []string{"third"}) {
		t.Errorf("once it is promoted: %+v", db)
	}
	if got := sdk.Describe(t, client, "orders").ReadReplicaDBInstanceIdentifiers; !slices.Equal(got, []string{*asked.DBInstanceArn}) {
		t.Errorf("the source has the replicas %v", got)
	}
	if got := sdk.WantInstance(t, client, "third", "available"); aws.ToString(got.ReadReplicaSourceDBInstanceIdentifier) != "copy" {
		t.Errorf("the replica of the replica follows %v", got.ReadReplicaSourceDBInstanceIdentifier)
	}

	// A replica in the region of a source that goes is promoted, and keeps the days of backups that it had.
	_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("copy"), FinalDBSnapshotIdentifier: aws.String("final")})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(3 * time.Minute)
	sdk.WantInstance(t, client, "third", "modifying")
	clock.Advance(5 * time.Minute)
	if got := sdk.WantInstance(t, client, "third", "available"); got.ReadReplicaSourceDBInstanceIdentifier != nil || *got.BackupRetentionPeriod != 0 {
		t.Errorf("the replica without a source is %+v", got)
	}
}

// TestRDSReplicaRefusals are of calls about sources and replicas that are there.
func TestRDSReplicaRefusals(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, remote := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
	creates := func(name, engine, version string, edits ...func(*rds.CreateDBInstanceInput)) {
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(name, append(edits, func(in *rds.CreateDBInstanceInput) {
			in.Engine, in.EngineVersion = aws.String(engine), aws.String(version)
		})...)))(t)
	}
	creates("orders", "postgres", "16.3")
	creates("old", "postgres", "13.20")
	creates("no-backups", "postgres", "16.3", func(in *rds.CreateDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(0) })
	creates("managed", "mysql", "8.4.4", func(in *rds.CreateDBInstanceInput) {
		in.MasterUserPassword, in.ManageMasterUserPassword = nil, aws.Bool(true)
	})
	creates("mysql", "mysql", "8.4.4")
	creates("secret", "postgres", "16.3", func(in *rds.CreateDBInstanceInput) { in.StorageEncrypted = aws.Bool(true) })
	creates("stopped", "postgres", "16.3")
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String("stopped")}))(t)
	arn := func(name string) string { return *sdk.Describe(t, client, name).DBInstanceArn }
	replicate := func(of *rds.Client, name, source string) {
		t.Helper()
		check.Need(of.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica(name, source)))(t)
	}
	retain := func(name string, days int32) error {
		_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String(name), BackupRetentionPeriod: aws.Int32(days), ApplyImmediately: aws.Bool(true)})
		return err
	}
	replicate(client, "copy", "orders")
	replicate(remote, "far", arn("orders"))
	replicate(client, "old-copy", "old")
	replicate(client, "mysql-copy", "mysql")
	source, far := "copy", sdk.Describe(t, remote, "far")
	for i := range 2 { // a chain of three
		if err := retain(source, 1); err != nil {
			t.Fatal(err)
		}
		next := fmt.Sprintf("chain-%d", i)
		replicate(client, next, source)
		source = next
	}
	if err := retain(source, 1); err != nil {
		t.Fatal(err)
	}

	type input = rds.CreateDBInstanceReadReplicaInput
	for name, test := range map[string]struct {
		in     *input
		client *rds.Client
		code   string
	}{
		"no name":                     {sdk.SomeReplica("", "orders"), client, "MissingParameter"},
		"no source":                   {sdk.SomeReplica("other", ""), client, "MissingParameter"},
		"no such source":              {sdk.SomeReplica("other", "none"), client, "DBInstanceNotFound"},
		"a name of another region":    {sdk.SomeReplica("other", "orders"), remote, "DBInstanceNotFound"},
		"of another account":          {sdk.SomeReplica("other", "arn:aws:rds:eu-west-1:999999999999:db:orders"), client, "DBInstanceNotFound"},
		"name taken":                  {sdk.SomeReplica("Copy", "orders"), client, "DBInstanceAlreadyExists"},
		"bad name":                    {sdk.SomeReplica("co--py", "orders"), client, "InvalidParameterValue"},
		"source without backups":      {sdk.SomeReplica("other", "no-backups"), client, "InvalidDBInstanceState"},
		"source that is stopped":      {sdk.SomeReplica("other", "stopped"), client, "InvalidDBInstanceState"},
		"source with a secret":        {sdk.SomeReplica("other", "managed"), client, "InvalidParameterValue"},
		"replica without backups":     {sdk.SomeReplica("other", "mysql-copy"), client, "InvalidDBInstanceState"},
		"replica of an old replica":   {sdk.SomeReplica("other", "old-copy"), client, "InvalidDBInstanceState"},
		"a chain of four":             {sdk.SomeReplica("other", source), client, "InvalidDBInstanceState"},
		"parameter group":             {sdk.SomeReplica("other", "orders", func(in *input) { in.DBParameterGroupName = aws.String("default.postgres16") }), client, "InvalidParameterCombination"},
		"parameter group of MySQL":    {sdk.SomeReplica("other", "mysql", func(in *input) { in.DBParameterGroupName = aws.String("default.mysql8.4") }), client, "InvalidParameterCombination"},
		"key of a source without one": {sdk.SomeReplica("other", "orders", func(in *input) { in.KmsKeyId = aws.String("alias/shop") }), client, "InvalidParameterCombination"},
		"no key in another region":    {sdk.SomeReplica("other", arn("secret")), remote, "InvalidParameterCombination"},
		"smaller disk":                {sdk.SomeReplica("other", "orders", func(in *input) { in.AllocatedStorage = aws.Int32(40) }), client, "InvalidParameterValue"},
		"no such subnet group":        {sdk.SomeReplica("other", "orders", func(in *input) { in.DBSubnetGroupName = aws.String("none") }), client, "DBSubnetGroupNotFoundFault"},
		"another VPC":                 {sdk.SomeReplica("other", arn("orders"), func(in *input) { in.DBSubnetGroupName = aws.String("shop") }), remote, "InvalidDBSubnetGroupFault"},
		"not served":                  {sdk.SomeReplica("other", "orders", func(in *input) { in.ReplicaMode = types.ReplicaModeMounted }), client, "NotImplemented"},
		"insights mode":               {sdk.SomeReplica("other", "orders", func(in *input) { in.DatabaseInsightsMode = types.DatabaseInsightsModeAdvanced }), client, "NotImplemented"},
		"bad class":                   {sdk.SomeReplica("other", "orders", func(in *input) { in.DBInstanceClass = aws.String("db.big") }), client, "InvalidParameterValue"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.client.CreateDBInstanceReadReplica(ctx, test.in)
			sdk.WantCode(t, err, test.code)
		})
	}
	check.Need(remote.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("mysql-far", arn("mysql"), func(in *input) { in.DBParameterGroupName = aws.String("default.mysql8.4") })))(t)

	name := func(s string) *string { return &s }
	modify := func(edit func(*rds.ModifyDBInstanceInput)) func(string) error {
		return func(of string) error {
			in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &of}
			edit(in)
			_, err := client.ModifyDBInstance(ctx, in)
			return err
		}
	}
	noBackups := modify(func(in *rds.ModifyDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(0) })
	promote := func(days *int32) func(string) error {
		return func(of string) error {
			_, err := client.PromoteReadReplica(ctx, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: &of, BackupRetentionPeriod: days})
			return err
		}
	}
	remove := func(skip bool, final *string) func(string) error {
		return func(of string) error {
			_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &of, SkipFinalSnapshot: &skip, FinalDBSnapshotIdentifier: final})
			return err
		}
	}
	stop := func(of string) error {
		_, err := client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: &of})
		return err
	}
	manage := modify(func(in *rds.ModifyDBInstanceInput) { in.ManageMasterUserPassword = aws.Bool(true) })
	for title, test := range map[string]struct {
		of   string
		call func(string) error
		code string
	}{
		"no backups of a source":            {"orders", noBackups, "InvalidDBInstanceState"},
		"no backups of a source in a chain": {"copy", noBackups, "InvalidDBInstanceState"},
		"backups of an old replica":         {"old-copy", modify(func(in *rds.ModifyDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(1) }), "InvalidDBInstanceState"},
		"password of a replica":             {"copy", modify(func(in *rds.ModifyDBInstanceInput) { in.MasterUserPassword = name("battery-staple") }), "InvalidParameterCombination"},
		"secret of a replica":               {"mysql-copy", manage, "InvalidParameterValue"},
		"secret of a source":                {"orders", manage, "InvalidParameterCombination"},
		"major upgrade of a replica": {"copy", modify(func(in *rds.ModifyDBInstanceInput) {
			in.EngineVersion, in.AllowMajorVersionUpgrade = name("17.5"), aws.Bool(true)
		}), "InvalidParameterCombination"},
		"stop of a source":                 {"orders", stop, "InvalidDBInstanceState"},
		"stop of a replica":                {"copy", stop, "InvalidDBInstanceState"},
		"final snapshot of a replica":      {"copy", remove(false, name("final")), "InvalidParameterCombination"},
		"replica without a word on it":     {"copy", remove(false, nil), "InvalidParameterCombination"},
		"promotion of none":                {"none", promote(nil), "DBInstanceNotFound"},
		"promotion of no replica":          {"orders", promote(nil), "InvalidDBInstanceState"},
		"promotion of a source, no backup": {"copy", promote(aws.Int32(0)), "InvalidDBInstanceState"},
		"promotion, too many days":         {"copy", promote(aws.Int32(36)), "InvalidParameterValue"},
	} {
		t.Run(title, func(t *testing.T) { sdk.WantCode(t, test.call(test.of), test.code) })
	}
	if got := sdk.Describe(t, client, "orders").ReadReplicaDBInstanceIdentifiers; !slices.Equal(got, []string{"copy", *far.DBInstanceArn}) {
		t.Errorf("the source has the replicas %v", got)
	}
	for i := len(sdk.Describe(t, client, "orders").ReadReplicaDBInstanceIdentifiers); i < 15; i++ {
		replicate(client, fmt.Sprintf("many-%d", i), "orders")
	}
	_, err := client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("many", "orders"))
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	if err := remove(true, nil)("copy"); err != nil {
		t.Error(err)
	}
}

// TestRDSReplicaFails: a creation and a promotion can fail at their end.
func TestRDSReplicaFails(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "CreateDBInstanceReadReplica"}, Kind: localcloud.FailLate, Times: 1})
	check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("bad", "orders")))(t)
	sdk.WantInstance(t, client, "bad", "failed")
	check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("copy", "orders")))(t)
	cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "PromoteReadReplica"}, Kind: localcloud.FailLate, Times: 1})
	check.Need(client.PromoteReadReplica(ctx, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: aws.String("copy")}))(t)
	if db := sdk.WantInstance(t, client, "copy", "available"); aws.ToString(db.ReadReplicaSourceDBInstanceIdentifier) != "orders" || *db.BackupRetentionPeriod != 0 {
		t.Errorf("after a promotion that failed: %+v", db)
	}
}
