package system

import (
	"errors"
	"fmt"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/smithy-go"
)

// awsDatabases are the instances of RDS, as people use them beside Mooring.
type awsDatabases struct{ rds *rds.Client }

func newAWSDatabases(c *Cloud) Console { return &awsDatabases{rds.NewFromConfig(awsConfig(c))} }

// Names implements Console.
func (a *awsDatabases) Names(t testing.TB) (names []string) {
	t.Helper()
	for _, i := range call(t, a.rds.DescribeDBInstances, &rds.DescribeDBInstancesInput{}).DBInstances {
		names = append(names, *i.DBInstanceIdentifier)
	}
	return names
}

// Make implements Console.
func (a *awsDatabases) Make(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	var list []rdstypes.Tag
	for k, v := range tags {
		list = append(list, rdstypes.Tag{Key: &k, Value: &v})
	}
	call(t, a.rds.CreateDBInstance, &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: &name, Engine: awssdk.String("postgres"), EngineVersion: awssdk.String("16"),
		DBInstanceClass: awssdk.String("db.t4g.micro"), StorageEncrypted: new(true), AllocatedStorage: awssdk.Int32(20),
		MasterUsername: awssdk.String("postgres"), MasterUserPassword: awssdk.String("somebody-elses"), Tags: list,
	})
	a.rest(t, name)
}

// rest waits until an instance is at rest.
func (a *awsDatabases) rest(t testing.TB, name string) {
	t.Helper()
	until(t, name+" is available", func() bool { return *a.instance(t, name).DBInstanceStatus == "available" })
}

func (a *awsDatabases) instance(t testing.TB, name string) *rdstypes.DBInstance {
	t.Helper()
	out, err := a.rds.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name})
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "DBInstanceNotFound" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return &out.DBInstances[0]
}

// Tags implements Console.
func (a *awsDatabases) Tags(t testing.TB, name string) map[string]string {
	t.Helper()
	in := a.instance(t, name)
	if in == nil {
		return nil
	}
	tags := map[string]string{}
	for _, tag := range in.TagList {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

// Tag implements Console.
func (a *awsDatabases) Tag(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	arn := a.instance(t, name).DBInstanceArn
	var set []rdstypes.Tag
	var remove []string
	for k, v := range tags {
		if v == "" {
			remove = append(remove, k)
		} else {
			set = append(set, rdstypes.Tag{Key: &k, Value: &v})
		}
	}
	if len(set) > 0 {
		call(t, a.rds.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: set})
	}
	if len(remove) > 0 {
		call(t, a.rds.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: arn, TagKeys: remove})
	}
}

func (a *awsDatabases) modify(t testing.TB, name string, in rds.ModifyDBInstanceInput) {
	t.Helper()
	a.rest(t, name)
	in.DBInstanceIdentifier, in.ApplyImmediately = &name, awssdk.Bool(true)
	call(t, a.rds.ModifyDBInstance, &in)
}

// SetRetention implements DatabaseConsole.
func (a *awsDatabases) SetRetention(t testing.TB, name string, days int) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{BackupRetentionPeriod: awssdk.Int32(int32(days))})
}

// SetPublicAccess implements DatabaseConsole.
func (a *awsDatabases) SetPublicAccess(t testing.TB, name string, on bool) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{PubliclyAccessible: &on})
}

// SetBackupStart implements DatabaseConsole. The window ends at midnight.
func (a *awsDatabases) SetBackupStart(t testing.TB, name, start string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{PreferredBackupWindow: awssdk.String(start + "-00:00")})
}

// SetMaintenance implements DatabaseConsole.
func (a *awsDatabases) SetMaintenance(t testing.TB, name string, hour, length int) {
	t.Helper()
	day := (*a.instance(t, name).PreferredMaintenanceWindow)[:4]
	a.modify(t, name, rds.ModifyDBInstanceInput{PreferredMaintenanceWindow: awssdk.String(fmt.Sprintf("%s%02d:00-%s%02d:00", day, hour, day, hour+length))})
}

// SetProtection implements DatabaseConsole.
func (a *awsDatabases) SetProtection(t testing.TB, name string, on bool) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{DeletionProtection: &on})
}

// SetSize implements DatabaseConsole.
func (a *awsDatabases) SetSize(t testing.TB, name, size string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{DBInstanceClass: &size})
}

// SetStorage implements DatabaseConsole.
func (a *awsDatabases) SetStorage(t testing.TB, name string, gib int) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{AllocatedStorage: awssdk.Int32(int32(gib))})
}

// SetVersion implements DatabaseConsole.
func (a *awsDatabases) SetVersion(t testing.TB, name, version string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{EngineVersion: &version, AllowMajorVersionUpgrade: awssdk.Bool(true)})
}

// SetPower implements DatabaseConsole.
func (a *awsDatabases) SetPower(t testing.TB, name string, on bool) {
	t.Helper()
	if on {
		call(t, a.rds.StartDBInstance, &rds.StartDBInstanceInput{DBInstanceIdentifier: &name})
		return
	}
	a.rest(t, name)
	call(t, a.rds.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &name})
}

// FailOver implements DatabaseConsole.
func (a *awsDatabases) FailOver(t testing.TB, name string) {
	t.Helper()
	a.rest(t, name)
	zone := *a.instance(t, name).AvailabilityZone
	call(t, a.rds.RebootDBInstance, &rds.RebootDBInstanceInput{DBInstanceIdentifier: &name, ForceFailover: awssdk.Bool(true)})
	a.rest(t, name)
	if now := *a.instance(t, name).AvailabilityZone; now == zone {
		t.Fatalf("%s is still in %s", name, zone)
	}
}

// Promote implements DatabaseConsole.
func (a *awsDatabases) Promote(t testing.TB, name string) {
	t.Helper()
	a.rest(t, name)
	call(t, a.rds.PromoteReadReplica, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: &name})
	a.rest(t, name)
}

// Delete implements Console.
func (a *awsDatabases) Delete(t testing.TB, name string) {
	t.Helper()
	a.rest(t, name)
	call(t, a.rds.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: awssdk.Bool(true)})
	until(t, name+" is gone", func() bool { return a.instance(t, name) == nil })
}

// Lose implements DatabaseConsole: RDS retains the automated backups.
func (a *awsDatabases) Lose(t testing.TB, name string) {
	t.Helper()
	a.rest(t, name)
	call(t, a.rds.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: awssdk.Bool(true), DeleteAutomatedBackups: awssdk.Bool(false)})
	until(t, name+" is gone", func() bool { return a.instance(t, name) == nil })
}

// Snapshots implements DatabaseConsole.
func (a *awsDatabases) Snapshots(t testing.TB, database string) []string {
	t.Helper()
	out := call(t, a.rds.DescribeDBSnapshots, &rds.DescribeDBSnapshotsInput{DBInstanceIdentifier: &database})
	var names []string
	for _, s := range out.DBSnapshots {
		if *s.Status == "available" {
			names = append(names, *s.DBSnapshotIdentifier)
		}
	}
	return names
}

// MakeMySQL implements DatabaseConsole.
func (a *awsDatabases) MakeMySQL(t testing.TB, name string) {
	t.Helper()
	call(t, a.rds.CreateDBInstance, &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: &name, Engine: awssdk.String("mysql"), DBInstanceClass: awssdk.String("db.t4g.micro"),
		AllocatedStorage: awssdk.Int32(20), MasterUsername: awssdk.String("keeper"), MasterUserPassword: awssdk.String("somebody-elses"),
	})
	a.rest(t, name)
}
