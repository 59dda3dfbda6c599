package rds_test

import (
	"context"
	"fmt"
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

type recoveryInput = rds.RestoreDBInstanceToPointInTimeInput

// automatedBackups are those that the input asks for.
func automatedBackups(t *testing.T, client *rds.Client, in *rds.DescribeDBInstanceAutomatedBackupsInput) []types.DBInstanceAutomatedBackup {
	t.Helper()
	return check.Need(client.DescribeDBInstanceAutomatedBackups(context.Background(), in))(t).DBInstanceAutomatedBackups
}

// TestRDSPointInTime restores an instance, which has the rows of the time that was asked for by the cloud's clock: while the source is there, from the automated
// backups that it leaves, and of one that began to keep backups later.
func TestRDSPointInTime(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	clock := &check.Clock{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	cloud := check.Need(localcloud.Start(localcloud.Options{Now: clock.Now}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	run := func(of types.DBInstance, sql string) string {
		t.Helper()
		ca := check.Need(cloud.RDSAuthorities())(t)
		return check.Need(check.QueryPostgres(t, check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}, "mooring", "correct-horse", "", sql))(t)
	}
	restored := func(name string, in *recoveryInput, rows string) types.DBInstance {
		t.Helper()
		in.TargetDBInstanceIdentifier = aws.String(name)
		check.Need(client.RestoreDBInstanceToPointInTime(ctx, in))(t)
		db := sdk.AwaitStatus(t, client, name, "available")
		if got := run(db, "SELECT count(*) FROM t"); got != rows {
			t.Errorf("%s has %s rows, want %s", name, got, rows)
		}
		return db
	}
	minute := func(n int) *time.Time { return aws.Time(time.Date(2026, 3, 2, 12, n, 0, 0, time.UTC)) }
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	source := sdk.AwaitStatus(t, client, "orders", "available")
	run(source, "CREATE TABLE t (n int)")
	run(source, "INSERT INTO t VALUES (1)")
	clock.Advance(10 * time.Minute)
	sdk.Describe(t, client, "orders") // the cloud looks at its clock
	run(source, "INSERT INTO t VALUES (2)")
	restored("at-five", &recoveryInput{SourceDBInstanceIdentifier: aws.String("orders"), RestoreTime: minute(5)}, "1")
	later := restored("latest", &recoveryInput{SourceDBInstanceIdentifier: aws.String("orders"), UseLatestRestorableTime: aws.Bool(true)}, "2")

	// What was restored keeps backups itself.
	clock.Advance(10 * time.Minute)
	sdk.Describe(t, client, "latest")
	run(later, "INSERT INTO t VALUES (3)")
	clock.Advance(10 * time.Minute)
	sdk.Describe(t, client, "latest")
	run(later, "INSERT INTO t VALUES (4)")
	restored("again", &recoveryInput{SourceDbiResourceId: later.DbiResourceId, RestoreTime: minute(25)}, "3")

	// Backups that are switched off are gone, and on again they begin anew.
	keep := func(days int32) {
		t.Helper()
		check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("latest"), BackupRetentionPeriod: &days, ApplyImmediately: aws.Bool(true)}))(t)
		sdk.AwaitStatus(t, client, "latest", "available")
	}
	keep(0)
	_, err := client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("latest"), TargetDBInstanceIdentifier: aws.String("none"), RestoreTime: minute(25),
	})
	sdk.WantCode(t, err, "PointInTimeRestoreNotEnabled")
	keep(2)
	awaitRestorable(t, client, "latest")
	run(later, "INSERT INTO t VALUES (5)")
	clock.Advance(10 * time.Minute)
	sdk.Describe(t, client, "latest")
	run(later, "INSERT INTO t VALUES (6)")
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{
		DBInstanceIdentifier: aws.String("latest"), SkipFinalSnapshot: aws.Bool(true), DeleteAutomatedBackups: aws.Bool(false),
	}))(t)
	sdk.AwaitStatus(t, client, "latest", "")
	clock.Advance(time.Hour)
	left := automatedBackups(t, client, &rds.DescribeDBInstanceAutomatedBackupsInput{DbiResourceId: later.DbiResourceId})
	if len(left) != 1 || *left[0].Status != "retained" || !left[0].RestoreWindow.EarliestTime.Equal(*minute(30)) || !left[0].RestoreWindow.LatestTime.Equal(*minute(40)) {
		t.Fatalf("automated backups are %+v, %+v", left, left[0].RestoreWindow)
	}
	restored("of-what-is-left", &recoveryInput{SourceDbiResourceId: later.DbiResourceId, RestoreTime: minute(35)}, "5")
	restored("all-that-is-left", &recoveryInput{SourceDBInstanceAutomatedBackupsArn: left[0].DBInstanceAutomatedBackupsArn, UseLatestRestorableTime: aws.Bool(true)}, "6")
	clock.Advance(48 * time.Hour)
	_, err = client.DescribeDBInstanceAutomatedBackups(ctx, &rds.DescribeDBInstanceAutomatedBackupsInput{DbiResourceId: later.DbiResourceId})
	sdk.WantCode(t, err, "DBInstanceAutomatedBackupNotFound")
	for _, in := range []string{"orders", "at-five", "again", "of-what-is-left", "all-that-is-left"} {
		check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String(in), SkipFinalSnapshot: aws.Bool(true)}))(t)
		sdk.AwaitStatus(t, client, in, "")
	}
	check.Await(t, "the end of all copies", func() (bool, string) {
		n := check.Copies(t, cloud.Options.Dir)
		return n == 0, fmt.Sprint(n, " are there")
	})
}

// TestRDSPointInTimeByRealClock: at the first time that an instance can be restored to it has its user. Later times come as the changes are saved.
func TestRDSPointInTimeByRealClock(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	cloud := check.Need(localcloud.Start(localcloud.Options{LogInterval: time.Second}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	run := func(of types.DBInstance, sql string) string {
		t.Helper()
		ca := check.Need(cloud.RDSAuthorities())(t)
		return check.Need(check.QueryPostgres(t, check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}, "mooring", "correct-horse", "", sql))(t)
	}
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	source := sdk.AwaitStatus(t, client, "orders", "available")
	run(source, "CREATE TABLE t (n int)")
	check.Need(client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("first"), RestoreTime: source.LatestRestorableTime,
	}))(t)
	if got := run(sdk.AwaitStatus(t, client, "first", "available"), "SELECT count(*) FROM pg_tables WHERE tablename = 't'"); got != "0" {
		t.Error("the table is there before it was made")
	}
	run(source, "INSERT INTO t VALUES (1)")
	time.Sleep(2 * time.Millisecond) // the call has whole milliseconds
	at := time.Now()
	time.Sleep(2 * time.Millisecond)
	run(source, "INSERT INTO t VALUES (2)")
	check.Await(t, "the changes to be saved", func() (bool, string) {
		latest := sdk.Describe(t, client, "orders").LatestRestorableTime
		return !latest.Before(at), latest.String()
	})
	check.Need(client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("second"), RestoreTime: &at,
	}))(t)
	if got := run(sdk.AwaitStatus(t, client, "second", "available"), "SELECT count(*) FROM t"); got != "1" {
		t.Errorf("there are %s rows, want 1", got)
	}
}

// TestRDSPointInTimeSettings: a restored instance has what the reference says, and the limit of autoscaling that the call alone can set.
func TestRDSPointInTimeSettings(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.Engine, in.EngineVersion, in.DBInstanceClass, in.DeletionProtection = aws.String("mysql"), nil, aws.String("db.t4g.medium"), aws.Bool(true)
	})))(t)
	clock.Advance(6 * time.Minute)
	_, err := client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("again"), UseLatestRestorableTime: aws.Bool(true),
	})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	if all := automatedBackups(t, client, &rds.DescribeDBInstanceAutomatedBackupsInput{}); len(all) != 1 || *all[0].Status != "creating" || all[0].RestoreWindow != nil {
		t.Errorf("automated backups are %+v", all)
	}
	clock.Advance(2 * time.Minute)
	db := check.Need(client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("Again"), UseLatestRestorableTime: aws.Bool(true), MaxAllocatedStorage: aws.Int32(100),
	}))(t).DBInstance
	if *db.DBInstanceIdentifier != "again" || *db.DBInstanceStatus != "creating" || *db.DBInstanceClass != "db.t4g.medium" || *db.MaxAllocatedStorage != 100 ||
		len(db.TagList) != 0 || *db.DeletionProtection || *db.BackupRetentionPeriod != 1 || *db.MasterUsername != "mooring" {
		t.Errorf("the answer is %+v", db)
	}
	cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "RestoreDBInstanceToPointInTime", Resource: "bad"}, Kind: localcloud.FailLate})
	check.Need(client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("bad"), UseLatestRestorableTime: aws.Bool(true),
	}))(t)
	clock.Advance(8 * time.Minute)
	sdk.WantInstance(t, client, "bad", "incompatible-restore")
	sdk.WantInstance(t, client, "again", "available")
}

// TestRDSPointInTimeRefusals are of an instance that can be restored to the last day.
func TestRDSPointInTimeRefusals(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	created := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t).DBInstance
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("plain", func(in *rds.CreateDBInstanceInput) { in.BackupRetentionPeriod = aws.Int32(0) })))(t)
	clock.Advance(30 * 24 * time.Hour)
	for name, test := range map[string]struct {
		edit func(*recoveryInput)
		code string
	}{
		"":               {func(*recoveryInput) {}, ""},
		"no source":      {func(in *recoveryInput) { in.SourceDBInstanceIdentifier = nil }, "InvalidParameterCombination"},
		"two sources":    {func(in *recoveryInput) { in.SourceDbiResourceId = created.DbiResourceId }, "InvalidParameterCombination"},
		"no such source": {func(in *recoveryInput) { in.SourceDBInstanceIdentifier = aws.String("none") }, "DBInstanceNotFound"},
		"no such resource": {func(in *recoveryInput) {
			in.SourceDBInstanceIdentifier, in.SourceDbiResourceId = nil, aws.String("db-NONE")
		}, "DBInstanceAutomatedBackupNotFound"},
		"no backups":        {func(in *recoveryInput) { in.SourceDBInstanceIdentifier = aws.String("plain") }, "PointInTimeRestoreNotEnabled"},
		"no time":           {func(in *recoveryInput) { in.RestoreTime = nil }, "InvalidParameterCombination"},
		"two times":         {func(in *recoveryInput) { in.UseLatestRestorableTime = aws.Bool(true) }, "InvalidParameterCombination"},
		"too late":          {func(in *recoveryInput) { in.RestoreTime = aws.Time(clock.Now().Add(time.Minute)) }, "InvalidParameterValue"},
		"too early":         {func(in *recoveryInput) { in.RestoreTime = aws.Time(clock.Now().Add(-25 * time.Hour)) }, "InvalidParameterValue"},
		"no target":         {func(in *recoveryInput) { in.TargetDBInstanceIdentifier = aws.String("") }, "MissingParameter"},
		"name taken":        {func(in *recoveryInput) { in.TargetDBInstanceIdentifier = aws.String("orders") }, "DBInstanceAlreadyExists"},
		"another engine":    {func(in *recoveryInput) { in.Engine = aws.String("mysql") }, "InvalidParameterCombination"},
		"a limit too small": {func(in *recoveryInput) { in.MaxAllocatedStorage = aws.Int32(51) }, "InvalidParameterCombination"},
		"not served":        {func(in *recoveryInput) { in.Domain = aws.String("d-1234567890") }, "NotImplemented"},
	} {
		t.Run(name, func(t *testing.T) {
			in := &recoveryInput{
				SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("again"), RestoreTime: aws.Time(clock.Now().Add(-time.Hour)),
			}
			test.edit(in)
			if test.code == "" {
				in.TargetDBInstanceIdentifier = aws.String("good")
			}
			_, err := client.RestoreDBInstanceToPointInTime(ctx, in)
			sdk.WantCode(t, err, test.code)
		})
	}
}

// TestRDSRetainedQuota: a deletion is refused that would leave more automated backups than the quota. It leaves nothing at all, a final snapshot neither.
func TestRDSRetainedQuota(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	cloud.LimitRDS(sdk.OwnAccount, localcloud.RDSLimits{Instances: 1})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	for _, code := range []string{"", "DBInstanceAutomatedBackupQuotaExceeded"} {
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
		clock.Advance(time.Minute)
		_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{
			DBInstanceIdentifier: aws.String("orders"), SkipFinalSnapshot: aws.Bool(true), DeleteAutomatedBackups: aws.Bool(false),
		})
		sdk.WantCode(t, err, code)
	}
	final := &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), FinalDBSnapshotIdentifier: aws.String("final"), DeleteAutomatedBackups: aws.Bool(false)}
	_, err := client.DeleteDBInstance(ctx, final)
	sdk.WantCode(t, err, "DBInstanceAutomatedBackupQuotaExceeded")
	if left := check.Need(client.DescribeDBSnapshots(ctx, &rds.DescribeDBSnapshotsInput{SnapshotType: aws.String("manual")}))(t).DBSnapshots; len(left) > 0 {
		t.Errorf("the refused deletion left the snapshot %s", *left[0].DBSnapshotIdentifier)
	}
	for status, want := range map[string]int{"active": 1, "retained": 1, "creating": 0} {
		filter := []types.Filter{{Name: aws.String("status"), Values: []string{status}}}
		if got := automatedBackups(t, client, &rds.DescribeDBInstanceAutomatedBackupsInput{Filters: filter}); len(got) != want {
			t.Errorf("there are %d automated backups that are %s, want %d", len(got), status, want)
		}
	}
}

// TestRDSPointInTimeOfMariaDB is refused, since the server behind it keeps no log.
func TestRDSPointInTimeOfMariaDB(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("mariadb"))
	cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) { in.Engine, in.EngineVersion = aws.String("mariadb"), nil })))(t)
	sdk.AwaitStatus(t, client, "orders", "available")
	_, err := client.RestoreDBInstanceToPointInTime(ctx, &recoveryInput{
		SourceDBInstanceIdentifier: aws.String("orders"), TargetDBInstanceIdentifier: aws.String("again"), UseLatestRestorableTime: aws.Bool(true),
	})
	sdk.WantCode(t, err, "NotImplemented")
}

// TestRDSBackupTags: automated backups have tags of their own, which they keep once they are retained, and lose with the backups.
func TestRDSBackupTags(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.Tags = []types.Tag{{Key: aws.String("team"), Value: aws.String("shop")}}
	})))(t)
	clock.Advance(time.Minute)
	of := func() types.DBInstanceAutomatedBackup {
		t.Helper()
		all := automatedBackups(t, client, &rds.DescribeDBInstanceAutomatedBackupsInput{})
		if len(all) != 1 {
			t.Fatalf("there are %d automated backups, want 1", len(all))
		}
		return all[0]
	}
	wantTags := func(want string) {
		t.Helper()
		b, got := of(), ""
		for _, tag := range b.TagList {
			got += *tag.Key + "=" + *tag.Value + ";"
		}
		listed := check.Need(client.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: b.DBInstanceAutomatedBackupsArn}))(t).TagList
		if got != want || len(listed) != len(b.TagList) {
			t.Errorf("the tags are %q, and %d are listed; want %q", got, len(listed), want)
		}
	}
	wantTags("")
	add := func(arn *string, key, value string) error {
		_, err := client.AddTagsToResource(ctx, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: []types.Tag{{Key: &key, Value: &value}}})
		return err
	}
	arn := of().DBInstanceAutomatedBackupsArn
	sdk.WantCode(t, add(arn, "of", "orders"), "")
	wantTags("of=orders;")
	if db := sdk.Describe(t, client, "orders"); len(db.TagList) != 1 || *db.TagList[0].Key != "team" {
		t.Errorf("the instance has the tags %+v", db.TagList)
	}
	sdk.WantCode(t, add(arn, "aws:of", "orders"), "InvalidParameterValue")
	sdk.WantCode(t, add(aws.String(*arn+"x"), "of", "orders"), "DBInstanceAutomatedBackupNotFound")

	keep := func(days int32) {
		t.Helper()
		check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), BackupRetentionPeriod: &days, ApplyImmediately: aws.Bool(true)}))(t)
		clock.Advance(time.Hour)
		sdk.Describe(t, client, "orders")
	}
	keep(0)
	keep(2)
	wantTags("")
	sdk.WantCode(t, add(arn, "of", "orders"), "")
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), SkipFinalSnapshot: aws.Bool(true), DeleteAutomatedBackups: aws.Bool(false)}))(t)
	clock.Advance(time.Minute)
	if b := of(); *b.Status != "retained" || *b.DBInstanceAutomatedBackupsArn != *arn {
		t.Errorf("the automated backups are %+v", b)
	}
	wantTags("of=orders;")
	sdk.WantCode(t, add(arn, "by", "hand"), "")
	check.Need(client.RemoveTagsFromResource(ctx, &rds.RemoveTagsFromResourceInput{ResourceName: arn, TagKeys: []string{"of"}}))(t)
	wantTags("by=hand;")
}
