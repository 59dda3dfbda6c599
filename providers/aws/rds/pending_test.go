package rds

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestEffectOfWhatWaits(t *testing.T) {
	online := driver.Change{Field: "deletionProtection", Effect: driver.Online}
	for _, tt := range []struct {
		name   string
		waits  types.PendingModifiedValues
		change driver.Change
		effect driver.Effect
		why    string
	}{
		{"nothing", types.PendingModifiedValues{}, online, driver.Online, ""},
		{"what disturbs nobody", types.PendingModifiedValues{MultiAZ: new(true), AllocatedStorage: new(int32(100)), Iops: new(int32(13000)), MasterUserPassword: new("****")}, online, driver.Online, ""},
		{"a minor version", types.PendingModifiedValues{EngineVersion: new("16.9")}, online, driver.Restarts, "version, which waits"},
		{"a major version and a class", types.PendingModifiedValues{EngineVersion: new("17.1"), DBInstanceClass: new("db.t4g.small")}, online, driver.Irreversible, "version and aws.instanceClass, which wait"},
		{"a certificate", types.PendingModifiedValues{CACertificateIdentifier: new("rds-ca-ecc384-g1")}, online, driver.Restarts, "aws.caCertificateIdentifier"},
		{"a disk", types.PendingModifiedValues{StorageType: new("gp3")}, online, driver.Interrupts, "aws.storageType"},
		{"a move", types.PendingModifiedValues{DBSubnetGroupName: new("pay")}, online, driver.Restarts, "aws.dbSubnetGroupName"},
		{"no backups", types.PendingModifiedValues{BackupRetentionPeriod: new(int32(0))}, online, driver.LosesBackups, "backup.retentionDays"},
		{"the end of logins by token", types.PendingModifiedValues{IAMDatabaseAuthenticationEnabled: new(false)}, online, driver.Interrupts, "iamAuthentication"},
		{"a port", types.PendingModifiedValues{Port: new(int32(5433))}, online, driver.Restarts, "aws.port"},
		{"less than the change itself does", types.PendingModifiedValues{StorageType: new("gp3")}, driver.Change{Field: "version", Effect: driver.Irreversible}, driver.Irreversible, ""},
		{"beside a reason of its own", types.PendingModifiedValues{DBInstanceClass: new("db.t4g.small")},
			driver.Change{Field: "aws.vpcSecurityGroupIDs", Effect: driver.Interrupts, Why: "clients can't connect"}, driver.Restarts, "clients can't connect; RDS also applies aws.instanceClass"},
		{"what the change takes back", types.PendingModifiedValues{DBInstanceClass: new("db.t4g.small")}, driver.Change{Field: "aws.instanceClass", Effect: driver.Online}, driver.Online, ""},
		{"what can't be", types.PendingModifiedValues{DBInstanceClass: new("db.t4g.small")}, driver.Change{Field: "engine", Effect: driver.Impossible}, driver.Impossible, ""},
	} {
		have := instance{DBInstance: types.DBInstance{
			EngineVersion: new("16.4"), DBInstanceClass: new("db.t4g.micro"), CACertificateIdentifier: new("rds-ca-rsa2048-g1"), StorageType: new("io1"),
			IAMDatabaseAuthenticationEnabled: new(true), BackupRetentionPeriod: new(int32(7)), DBSubnetGroup: &types.DBSubnetGroup{DBSubnetGroupName: new("shop")}, Endpoint: &types.Endpoint{Port: new(int32(5432))}, PendingModifiedValues: &tt.waits,
		}}
		got := withWaits(&have, []driver.Change{tt.change})[0]
		if got.Effect != tt.effect || !strings.Contains(got.Why, tt.why) || (got.Why == "") != (tt.why == "") {
			t.Errorf("%s: %s, %q", tt.name, got.Effect, got.Why)
		}
	}
	have := instance{DBInstance: types.DBInstance{EngineVersion: new("16.4"), DBInstanceClass: new("db.t4g.micro"), PendingModifiedValues: &types.PendingModifiedValues{EngineVersion: new("16.9"), DBInstanceClass: new("db.t4g.small")}}}
	for _, c := range withWaits(&have, []driver.Change{{Field: "version", Effect: driver.Online}, {Field: "aws.instanceClass", Effect: driver.Online}}) {
		if c.Effect != driver.Online {
			t.Errorf("%s is taken back together with all that waits: %s, %s", c.Field, c.Effect, c.Why)
		}
	}
}

// What may wait is known, each value: a new one of the SDK has to be judged.
func TestWhatMayWait(t *testing.T) {
	judged := append([]string{
		"BackupRetentionPeriod", "CACertificateIdentifier", "DBInstanceClass", "DBSubnetGroupName", "DedicatedLogVolume", "EngineVersion", "IAMDatabaseAuthenticationEnabled", "Port", "StorageType", // by the table
		"AllocatedStorage", "Iops", "MultiAZ", "MasterUserPassword", "PendingCloudwatchLogsExports", "StorageThroughput", // online
		"AdditionalStorageVolumes", "AutomationMode", "Engine", "LicenseModel", "MultiTenant", "ResumeFullAutomationModeTime", // of Oracle, SQL Server, Db2 and RDS Custom
		"DBCapacityReservationIdentifier", // no recording shows one
	}, restarting...)
	for f := range reflect.TypeFor[types.PendingModifiedValues]().Fields() {
		if f.IsExported() && !slices.Contains(judged, f.Name) {
			t.Errorf("%s may wait, and nothing says what RDS disturbs when it applies it", f.Name)
		}
	}
}
