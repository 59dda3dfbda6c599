package rds_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestRDSModify(t *testing.T) {
	type in = rds.ModifyDBInstanceInput
	for name, test := range map[string]struct {
		edit   func(*in)
		code   string
		status string
		check  func(before, after types.DBInstance) bool // after: once the modification is over
	}{
		"nothing":    {func(*in) {}, "", "available", nil},
		"protection": {func(i *in) { i.DeletionProtection = aws.Bool(true) }, "", "available", func(b, _ types.DBInstance) bool { return *b.DeletionProtection }},
		"class, later": {func(i *in) { i.DBInstanceClass = aws.String("db.r6g.large") }, "", "available", func(_, a types.DBInstance) bool {
			return *a.DBInstanceClass == "db.t4g.micro" && *a.PendingModifiedValues.DBInstanceClass == "db.r6g.large"
		}},
		"class, now": {func(i *in) { i.DBInstanceClass, i.ApplyImmediately = aws.String("db.r6g.large"), aws.Bool(true) }, "", "modifying", func(b, a types.DBInstance) bool {
			return *b.DBInstanceClass == "db.t4g.micro" && *a.DBInstanceClass == "db.r6g.large"
		}},
		"no such class": {func(i *in) { i.DBInstanceClass = aws.String("db.x") }, "InvalidParameterValue", "", nil},
		"retention":     {func(i *in) { i.BackupRetentionPeriod = aws.Int32(7) }, "", "available", func(b, _ types.DBInstance) bool { return *b.BackupRetentionPeriod == 7 }},
		"retention to none, later": {func(i *in) { i.BackupRetentionPeriod = aws.Int32(0) }, "", "available", func(b, _ types.DBInstance) bool {
			return *b.BackupRetentionPeriod == 1 && *b.PendingModifiedValues.BackupRetentionPeriod == 0
		}},
		"certificate, now": {func(i *in) {
			i.CACertificateIdentifier, i.ApplyImmediately = aws.String("rds-ca-ecc384-g1"), aws.Bool(true)
		}, "", "modifying", func(b, a types.DBInstance) bool {
			return *b.CACertificateIdentifier == "rds-ca-rsa2048-g1" && *b.PendingModifiedValues.CACertificateIdentifier == "rds-ca-ecc384-g1" &&
				*a.CACertificateIdentifier == "rds-ca-ecc384-g1" && a.PendingModifiedValues.CACertificateIdentifier == nil
		}},
		"certificate, later": {func(i *in) { i.CACertificateIdentifier = aws.String("rds-ca-ecc384-g1") }, "", "available", func(_, a types.DBInstance) bool {
			return *a.CACertificateIdentifier == "rds-ca-rsa2048-g1" && *a.PendingModifiedValues.CACertificateIdentifier == "rds-ca-ecc384-g1"
		}},
		"logs": {func(i *in) {
			i.CloudwatchLogsExportConfiguration = &types.CloudwatchLogsExportConfiguration{EnableLogTypes: []string{"upgrade", "postgresql"}, DisableLogTypes: []string{"iam-db-auth-error"}}
		}, "", "configuring-log-exports", func(b, a types.DBInstance) bool {
			return len(b.PendingModifiedValues.PendingCloudwatchLogsExports.LogTypesToEnable) == 2 && b.EnabledCloudwatchLogsExports == nil &&
				a.PendingModifiedValues.PendingCloudwatchLogsExports == nil && slices.Equal(a.EnabledCloudwatchLogsExports, []string{"postgresql", "upgrade"})
		}},
		"logs of another engine": {func(i *in) {
			i.CloudwatchLogsExportConfiguration = &types.CloudwatchLogsExportConfiguration{EnableLogTypes: []string{"slowquery"}}
		}, "InvalidParameterCombination", "", nil},
		"no such certificate": {func(i *in) { i.CACertificateIdentifier = aws.String("rds-ca-2019") }, "CertificateNotFound", "", nil},
		"password": {func(i *in) { i.MasterUserPassword = aws.String("new-password") }, "", "resetting-master-credentials", func(b, a types.DBInstance) bool {
			return *b.PendingModifiedValues.MasterUserPassword == "****" && a.PendingModifiedValues.MasterUserPassword == nil
		}},
		"bad password":  {func(i *in) { i.MasterUserPassword = aws.String("short") }, "InvalidParameterValue", "", nil},
		"minor upgrade": {func(i *in) { i.EngineVersion, i.ApplyImmediately = aws.String("16.4"), aws.Bool(true) }, "", "upgrading", func(_, a types.DBInstance) bool { return *a.EngineVersion == "16.4" }},
		"downgrade, allowed": {func(i *in) {
			i.EngineVersion, i.AllowMajorVersionUpgrade = aws.String("15.14"), aws.Bool(true)
		}, "InvalidParameterCombination", "", nil},
		"downgrade":          {func(i *in) { i.EngineVersion = aws.String("15.14") }, "InvalidParameterCombination", "", nil},
		"major, not allowed": {func(i *in) { i.EngineVersion = aws.String("17.4") }, "InvalidParameterCombination", "", nil},
		"major": {func(i *in) {
			i.EngineVersion, i.AllowMajorVersionUpgrade, i.ApplyImmediately = aws.String("17"), aws.Bool(true), aws.Bool(true)
		}, "", "upgrading", func(_, a types.DBInstance) bool {
			return *a.EngineVersion == "17.6" && *a.DBParameterGroups[0].DBParameterGroupName == "default.postgres17"
		}},
		"growth":           {func(i *in) { i.AllocatedStorage, i.ApplyImmediately = aws.Int32(55), aws.Bool(true) }, "", "modifying", func(_, a types.DBInstance) bool { return *a.AllocatedStorage == 55 }},
		"growth too small": {func(i *in) { i.AllocatedStorage = aws.Int32(54) }, "InvalidParameterCombination", "", nil},
		"shrink":           {func(i *in) { i.AllocatedStorage = aws.Int32(49) }, "InvalidParameterCombination", "", nil},
		"same size":        {func(i *in) { i.AllocatedStorage, i.ApplyImmediately = aws.Int32(50), aws.Bool(true) }, "", "available", nil},
		"gp3's own IOPS":   {func(i *in) { i.Iops = aws.Int32(3000) }, "", "available", nil},
		"gp2": {func(i *in) { i.StorageType, i.ApplyImmediately = aws.String("gp2"), aws.Bool(true) }, "", "modifying", func(b, a types.DBInstance) bool {
			return *b.StorageType == "gp3" && *b.PendingModifiedValues.StorageType == "gp2" && *a.StorageType == "gp2" && a.Iops == nil && *a.StorageThroughput == 0
		}},
		"io1 without IOPS": {func(i *in) { i.StorageType, i.AllocatedStorage = aws.String("io1"), aws.Int32(100) }, "InvalidParameterCombination", "", nil},
		"too few for IOPS": {func(i *in) { i.Iops = aws.Int32(12000) }, "InvalidParameterCombination", "", nil},
		"provisioned": {func(i *in) {
			i.AllocatedStorage, i.Iops, i.ApplyImmediately = aws.Int32(400), aws.Int32(13000), aws.Bool(true)
		}, "", "modifying", func(_, a types.DBInstance) bool { return *a.Iops == 13000 && *a.StorageThroughput == 500 }},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
			client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
			check.Need(client.CreateDBInstance(context.Background(), sdk.SomeInstance("db")))(t)
			input := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db")}
			test.edit(input)
			_, err := client.ModifyDBInstance(context.Background(), input)
			sdk.WantCode(t, err, test.code)
			if test.code != "" {
				sdk.WantInstance(t, client, "db", "available")
				return
			}
			before := sdk.WantInstance(t, client, "db", test.status)
			clock.Advance(time.Minute)
			after := sdk.WantInstance(t, client, "db", "available")
			if test.check != nil && !test.check(before, after) {
				t.Errorf("during: pending %+v\nafter: pending %+v", before.PendingModifiedValues, after.PendingModifiedValues)
			}
		})
	}
}

// TestRDSUpgradeTargets: a version can be upgraded to those that are listed as its targets, and to no other.
func TestRDSUpgradeTargets(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	for _, engine := range []string{"postgres", "mysql", "mariadb"} {
		versions := check.Need(client.DescribeDBEngineVersions(ctx, &rds.DescribeDBEngineVersionsInput{Engine: &engine}))(t).DBEngineVersions
		for _, from := range versions {
			name := engine + "-" + strings.ReplaceAll(*from.EngineVersion, ".", "-")
			check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(name, func(in *rds.CreateDBInstanceInput) { in.Engine, in.EngineVersion = &engine, from.EngineVersion })))(t)
			for _, to := range versions {
				code := "InvalidParameterCombination"
				if *to.EngineVersion == *from.EngineVersion || slices.ContainsFunc(from.ValidUpgradeTarget, func(u types.UpgradeTarget) bool { return *u.EngineVersion == *to.EngineVersion }) {
					code = ""
				}
				_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, EngineVersion: to.EngineVersion, AllowMajorVersionUpgrade: aws.Bool(true)})
				sdk.WantCode(t, err, code)
			}
		}
	}
	targets := localrds.UpgradeTargets("postgres", "16.9")
	if got := fmt.Sprint(*targets[0].EngineVersion, " ", *targets[1].EngineVersion, " ", *targets[2].EngineVersion, " ", len(targets)); got != "16.10 17.5 17.6 3" {
		t.Errorf("16.9 can be upgraded to %s", got)
	}
}

func TestRDSStorageOptimization(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute, StorageOptimization: 6 * time.Hour})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	grow := func(size int32) error {
		_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
			DBInstanceIdentifier: aws.String("db"), AllocatedStorage: &size, ApplyImmediately: aws.Bool(true),
		})
		return err
	}
	sdk.WantCode(t, grow(60), "")
	sdk.WantCode(t, grow(80), "InvalidDBInstanceState")
	clock.Advance(time.Minute)
	sdk.WantInstance(t, client, "db", "storage-optimization")
	sdk.WantCode(t, grow(80), "InvalidParameterCombination")
	sdk.WantCode(t, grow(60), "")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: aws.String("db"), DBInstanceClass: aws.String("db.t4g.small"), ApplyImmediately: aws.Bool(true),
	}))(t)
	clock.Advance(time.Minute)
	sdk.WantInstance(t, client, "db", "storage-optimization")
	sdk.WantCode(t, grow(80), "InvalidParameterCombination")
	clock.Advance(6 * time.Hour)
	sdk.WantInstance(t, client, "db", "available")
	sdk.WantCode(t, grow(80), "")
}

// What was not asked for at once happens in the maintenance window: here Sunday at 5:10, six days on.
func TestRDSMaintenanceWindow(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: 10 * time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), DBInstanceClass: aws.String("db.t4g.small")}))(t)
	sunday := time.Date(2026, 3, 8, 5, 10, 0, 0, time.UTC)
	clock.Advance(sunday.Sub(clock.Now()) - time.Second)
	sdk.WantInstance(t, client, "db", "available")
	clock.Advance(time.Second)
	sdk.WantInstance(t, client, "db", "modifying")
	clock.Advance(10 * time.Minute)
	if db := sdk.WantInstance(t, client, "db", "available"); *db.DBInstanceClass != "db.t4g.small" {
		t.Errorf("got class %s", *db.DBInstanceClass)
	}
}

func TestRDSPower(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
	ctx, client, name := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("db")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	_, err := client.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: name})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	check.Need(client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: name}))(t)
	sdk.WantInstance(t, client, "db", "rebooting")
	clock.Advance(time.Minute)
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: name}))(t)
	sdk.WantInstance(t, client, "db", "stopping")
	clock.Advance(time.Minute)
	sdk.WantInstance(t, client, "db", "stopped")
	_, err = client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, BackupRetentionPeriod: aws.Int32(3)})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	check.Need(client.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: name}))(t)
	sdk.WantInstance(t, client, "db", "starting")
	clock.Advance(time.Minute)
	sdk.WantInstance(t, client, "db", "available")
}

// A stopped instance starts by itself after a week, and its server with it.
func TestRDSStartsByItself(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
	ctx, client, name := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("db")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: name}))(t)
	clock.Advance(time.Minute)
	at := sdk.WantInstance(t, client, "db", "stopped").Endpoint
	answers := func(want bool) {
		t.Helper()
		connection, err := net.Dial("tcp", net.JoinHostPort(*at.Address, strconv.Itoa(int(*at.Port))))
		if (err == nil) != want {
			t.Errorf("connection: %v, want success %t", err, want)
		}
		if err == nil {
			_ = connection.Close()
		}
	}
	answers(false)
	clock.Advance(7*24*time.Hour - 2*time.Minute)
	sdk.WantInstance(t, client, "db", "stopped")
	clock.Advance(time.Minute)
	sdk.WantInstance(t, client, "db", "starting")
	clock.Advance(time.Minute)
	if db := sdk.WantInstance(t, client, "db", "available"); db.AutomaticRestartTime != nil {
		t.Errorf("it is to start at %s", db.AutomaticRestartTime)
	}
	answers(true)
}

// A failover restarts an instance in the zone of its standby, and changes nothing else.
func TestRDSFailover(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
	ctx, client, name := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("db")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	failOver := func() error {
		_, err := client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: name, ForceFailover: aws.Bool(true)})
		return err
	}
	sdk.WantCode(t, failOver(), "InvalidParameterCombination")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, MultiAZ: aws.Bool(true), ApplyImmediately: aws.Bool(true)}))(t)
	if db := sdk.WantInstance(t, client, "db", "modifying"); *db.MultiAZ || !*db.PendingModifiedValues.MultiAZ || db.SecondaryAvailabilityZone != nil {
		t.Errorf("while the standby is made: MultiAZ %t, pending %+v", *db.MultiAZ, db.PendingModifiedValues)
	}
	clock.Advance(time.Minute)
	before := sdk.WantInstance(t, client, "db", "available")
	sdk.WantCode(t, failOver(), "")
	sdk.WantInstance(t, client, "db", "rebooting")
	clock.Advance(time.Minute)
	after := sdk.WantInstance(t, client, "db", "available")
	if !*after.MultiAZ || *after.AvailabilityZone != *before.SecondaryAvailabilityZone || *after.SecondaryAvailabilityZone != *before.AvailabilityZone {
		t.Errorf("was in %s with a standby in %s, is in %s with a standby in %s", *before.AvailabilityZone, *before.SecondaryAvailabilityZone,
			aws.ToString(after.AvailabilityZone), aws.ToString(after.SecondaryAvailabilityZone))
	}
}

// For a while after it was modified an instance looks as before but for its pending values, and can be modified again.
func TestRDSModifyOnset(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute, ModifyOnset: 30 * time.Second})
	ctx, client, name := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("db")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	modify := func(now bool, edit func(*rds.ModifyDBInstanceInput)) {
		t.Helper()
		in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, ApplyImmediately: &now}
		edit(in)
		check.Need(client.ModifyDBInstance(ctx, in))(t)
	}
	class := func(class string) func(*rds.ModifyDBInstanceInput) {
		return func(in *rds.ModifyDBInstanceInput) { in.DBInstanceClass = &class }
	}
	modify(true, class("db.t4g.small"))
	if db := sdk.WantInstance(t, client, "db", "available"); *db.DBInstanceClass != "db.t4g.micro" || *db.PendingModifiedValues.DBInstanceClass != "db.t4g.small" {
		t.Errorf("got class %s, pending %+v", *db.DBInstanceClass, db.PendingModifiedValues)
	}
	_, err := client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: name})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	clock.Advance(10 * time.Second)
	modify(false, func(in *rds.ModifyDBInstanceInput) {
		in.MasterUserPassword, in.EngineVersion = aws.String("another-horse"), aws.String("16.4")
	})
	sdk.WantInstance(t, client, "db", "available")
	clock.Advance(30 * time.Second)
	sdk.WantInstance(t, client, "db", "modifying")
	clock.Advance(time.Minute)
	db := sdk.WantInstance(t, client, "db", "available")
	if pending := db.PendingModifiedValues; *db.DBInstanceClass != "db.t4g.small" || pending.MasterUserPassword != nil || aws.ToString(pending.EngineVersion) != "16.4" {
		t.Errorf("got class %s, pending %+v; want class and password set, the version left for the window", *db.DBInstanceClass, pending)
	}

	modify(true, class("db.t4g.medium"))
	modify(true, func(in *rds.ModifyDBInstanceInput) {
		in.DBInstanceClass, in.EngineVersion = aws.String("db.t4g.small"), db.EngineVersion
	})
	clock.Advance(40 * time.Second)
	if db := sdk.WantInstance(t, client, "db", "available"); *db.DBInstanceClass != "db.t4g.small" {
		t.Errorf("got class %s although the change was taken back", *db.DBInstanceClass)
	}
}

// The size of a disk for its limit ends its growth, and no limit shows any more.
func TestRDSGrowthEnds(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("db", func(in *rds.CreateDBInstanceInput) {
		in.AllocatedStorage, in.MaxAllocatedStorage = aws.Int32(50), aws.Int32(100)
	})))(t)
	for _, test := range []struct {
		most, shown int32
		code        string
	}{{54, 100, "InvalidParameterCombination"}, {49, 100, "InvalidParameterCombination"}, {55, 55, ""}, {50, 0, ""}, {200, 200, ""}} {
		_, err := client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), MaxAllocatedStorage: &test.most})
		sdk.WantCode(t, err, test.code)
		if got := aws.ToInt32(sdk.Describe(t, client, "db").MaxAllocatedStorage); got != test.shown {
			t.Errorf("after %d it shows %d, want %d", test.most, got, test.shown)
		}
	}
}
