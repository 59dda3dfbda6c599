package recordings

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// TestInstancesDriven makes an instance in the stand-in for every instance in the recordings, by the calls that lead to what was
// recorded, and compares what RDS said of it field by field. The requests are not recorded: they ask for what the answers show.
func TestInstancesDriven(t *testing.T) {
	whole := each(t, "rds.json", driven, func(t *testing.T, title string, answers []rdsAnswer) {
		compared := 0
		for _, a := range answers {
			recorded := objects(a.Response["DBInstances"])
			if one, ok := a.Response["DBInstance"].(map[string]any); ok {
				recorded = append(recorded, one)
			}
			for _, instance := range recorded {
				if setAside(undriven, title+"/"+stringAt(instance, "Engine")+"/"+stringAt(instance, "DBInstanceStatus")) {
					continue
				}
				compared++
				want := translated(instance)
				d := newInstanceDrive(t, want)
				got := d.reach(want, a.Call)
				for _, left := range judge(knownOfInstances, title+"/"+a.Call, compare(want, got, volatileOfInstances)) {
					t.Errorf("%s %d: %s: %v", a.Call, a.N, stringAt(instance, "DBInstanceIdentifier"), left)
				}
			}
		}
		if compared == 0 {
			t.Skip("no answer here shows an instance that the stand-in can have: see uncalledByDatabases and undriven")
		}
	})
	if whole {
		wantNoStale(t, knownOfInstances)
		wantNoStaleCalls(t, undriven)
	}
}

// volatileOfInstances are the fields that differ each time, or are names of what the account has: only their types count.
var volatileOfInstances = []string{

	"DbiResourceId", "*Time", "Endpoint.*", "AvailabilityZone", "CACertificateIdentifier", "CertificateDetails.*", "VpcSecurityGroups\\[].VpcSecurityGroupId",
	"DBSubnetGroup.*", "DBParameterGroups\\[].*", "OptionGroupMemberships\\[].*", "KmsKeyId", "EnhancedMonitoringResourceArn",
}

// translated returns a recorded instance in terms of what the stand-in has: versions and classes that there are still, and disks
// of the size that they must have today.
func translated(instance map[string]any) map[string]any {
	out := maps.Clone(withoutUnset(any(instance)).(map[string]any))
	pending, _ := out["PendingModifiedValues"].(map[string]any)
	pending = maps.Clone(pending)
	versions := map[string][2]string{"postgres": {"16.3", "16.4"}, "mysql": {"8.0.40", "8.0.41"}, "mariadb": {"10.6.21", "10.6.22"}}[stringAt(out, "Engine")]
	least := map[string]float64{"io1": 100}[stringAt(out, "StorageType")]
	replace := func(values map[string]any, name string, value any) {
		if values[name] != nil {
			values[name] = value
		}
	}
	replace(out, "EngineVersion", versions[0])
	replace(pending, "EngineVersion", versions[1])
	replace(out, "DBInstanceClass", "db.t3.micro")
	if size, ok := out["AllocatedStorage"].(float64); ok {
		out["AllocatedStorage"] = max(size, least, 20)
		replace(pending, "AllocatedStorage", max(size, least, 20)*2)
	}
	if pending != nil {
		out["PendingModifiedValues"] = pending
	}
	if tags, ok := out["TagList"].([]any); ok { // in the order in which creationOf asks for them
		tags = slices.Clone(tags)
		slices.SortFunc(tags, func(a, b any) int { return strings.Compare(stringAt(a, "Key"), stringAt(b, "Key")) })
		out["TagList"] = tags
	}
	return out
}

// An instanceDrive is one instance on its way through the stand-in.
type instanceDrive struct {
	*testing.T
	client *rds.Client
	name   *string
	mu     sync.Mutex
	now    time.Time
}

func newInstanceDrive(t *testing.T, want map[string]any) *instanceDrive {
	t.Helper()
	d := &instanceDrive{T: t, name: new(stringAt(want, "DBInstanceIdentifier")), now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	cloud := startLocal(t, localcloud.Options{
		Durations: localcloud.Durations{Create: 8 * time.Minute, Modify: 5 * time.Minute, ModifyOnset: time.Minute, Delete: 5 * time.Minute},
		Now: func() time.Time {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.now
		},
	})
	account, region := recordedAccount, "us-east-1"
	if parts := strings.Split(stringAt(want, "DBInstanceArn"), ":"); len(parts) > 4 {
		region, account = parts[3], parts[4]
	}
	id, secret := cloud.AWSKeys(account)
	d.client = rds.New(rds.Options{
		Region: region, BaseEndpoint: new(cloud.AWSEndpoint()), Retryer: awssdk.NopRetryer{}, HTTPClient: readOnlyBodies,
		Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	})
	return d
}

func (d *instanceDrive) pass(minutes time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(minutes * time.Minute)
}

// reach brings the stand-in to where the recording is, and returns the answer to the call.
func (d *instanceDrive) reach(want map[string]any, call string) any {
	d.Helper()
	ctx, status := d.Context(), stringAt(want, "DBInstanceStatus")
	if source := stringAt(want, "ReadReplicaSourceDBInstanceIdentifier"); source != "" {
		return d.replicate(want, source)
	}
	created := must(d.client.CreateDBInstance(ctx, creationOf(want)))(d.T)
	if call == "CreateDBInstance" {
		return plainJSON(d.T, created.DBInstance)
	}
	switch status {
	case "creating":
		return d.described()
	case "backing-up":
		d.pass(7)
		return d.described()
	}
	d.pass(9)
	pending, _ := want["PendingModifiedValues"].(map[string]any)
	in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: d.name, ApplyImmediately: new(true)}
	in.AllocatedStorage, in.MultiAZ = number(pending["AllocatedStorage"]), boolean(pending["MultiAZ"])
	switch {
	case call == "ModifyDBInstance":
		in.CopyTagsToSnapshot, in.DeletionProtection = boolean(want["CopyTagsToSnapshot"]), boolean(want["DeletionProtection"])
		return plainJSON(d.T, must(d.client.ModifyDBInstance(ctx, in))(d.T).DBInstance)
	case call == "DeleteDBInstance":
		return plainJSON(d.T, must(d.client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: d.name, SkipFinalSnapshot: new(true)}))(d.T).DBInstance)
	case status == "modifying":
		must(d.client.ModifyDBInstance(ctx, in))(d.T)
		d.pass(2)
	case status == "deleting":
		must(d.client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: d.name, SkipFinalSnapshot: new(true)}))(d.T)
	case status == "stopping" || status == "stopped" || status == "starting":
		must(d.client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: d.name}))(d.T)
		if status != "stopping" {
			d.pass(6)
		}
		if status == "starting" {
			started := must(d.client.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: d.name}))(d.T)
			if call == "StartDBInstance" {
				return plainJSON(d.T, started.DBInstance)
			}
		}
	}
	return d.described()
}

// replicate makes the replica that is recorded, of a source that shows what a replica has of its source.
func (d *instanceDrive) replicate(want map[string]any, source string) any {
	d.Helper()
	of := creationOf(want)
	of.DBInstanceIdentifier, of.BackupRetentionPeriod = &source, new(int32(1))
	must(d.client.CreateDBInstance(d.Context(), of))(d.T)
	d.pass(9)
	must(d.client.CreateDBInstanceReadReplica(d.Context(), &rds.CreateDBInstanceReadReplicaInput{
		DBInstanceIdentifier: d.name, SourceDBInstanceIdentifier: &source, StorageType: textOf(want["StorageType"]), CopyTagsToSnapshot: boolean(want["CopyTagsToSnapshot"]),
		MultiAZ: boolean(want["MultiAZ"]), EnableIAMDatabaseAuthentication: boolean(want["IAMDatabaseAuthenticationEnabled"]), DeletionProtection: boolean(want["DeletionProtection"]),
	}))(d.T)
	d.pass(9)
	if days := number(want["BackupRetentionPeriod"]); days != nil && *days > 0 { // which nothing but a change gives to a replica
		must(d.client.ModifyDBInstance(d.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: d.name, BackupRetentionPeriod: days, ApplyImmediately: new(true)}))(d.T)
		d.pass(7)
	}
	return d.described()
}

func (d *instanceDrive) described() any {
	d.Helper()
	out := must(d.client.DescribeDBInstances(d.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: d.name}))(d.T)
	return plainJSON(d.T, out.DBInstances[0])
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// creationOf asks for what an instance shows.
func creationOf(want map[string]any) *rds.CreateDBInstanceInput {
	in := &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: textOf(want["DBInstanceIdentifier"]), Engine: textOf(want["Engine"]), EngineVersion: textOf(want["EngineVersion"]),
		DBInstanceClass: textOf(want["DBInstanceClass"]), AllocatedStorage: number(want["AllocatedStorage"]), StorageType: textOf(want["StorageType"]),
		Iops: number(want["Iops"]), MaxAllocatedStorage: number(want["MaxAllocatedStorage"]), DBName: textOf(want["DBName"]),
		MasterUsername: textOf(want["MasterUsername"]), MasterUserPassword: new("correct-horse"), BackupRetentionPeriod: number(want["BackupRetentionPeriod"]),
		PreferredBackupWindow: textOf(want["PreferredBackupWindow"]), PreferredMaintenanceWindow: textOf(want["PreferredMaintenanceWindow"]),
		MultiAZ: boolean(want["MultiAZ"]), AutoMinorVersionUpgrade: boolean(want["AutoMinorVersionUpgrade"]), PubliclyAccessible: boolean(want["PubliclyAccessible"]),
		StorageEncrypted: boolean(want["StorageEncrypted"]), EnableIAMDatabaseAuthentication: boolean(want["IAMDatabaseAuthenticationEnabled"]),
		CopyTagsToSnapshot: boolean(want["CopyTagsToSnapshot"]), DeletionProtection: boolean(want["DeletionProtection"]),
	}
	if seconds := number(want["MonitoringInterval"]); seconds != nil && *seconds > 0 {
		in.MonitoringInterval, in.MonitoringRoleArn = seconds, textOf(want["MonitoringRoleArn"])
	}
	if boolean(want["PerformanceInsightsEnabled"]) != nil && *boolean(want["PerformanceInsightsEnabled"]) {
		in.EnablePerformanceInsights, in.PerformanceInsightsRetentionPeriod = new(true), number(want["PerformanceInsightsRetentionPeriod"])
		in.PerformanceInsightsKMSKeyId = textOf(want["PerformanceInsightsKMSKeyId"])
	}
	tags := tagList(want)
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		in.Tags = append(in.Tags, types.Tag{Key: &k, Value: new(tags[k])})
	}
	return in
}

func textOf(v any) *string {
	if s, ok := v.(string); ok {
		return &s
	}
	return nil
}

func number(v any) *int32 {
	if n, ok := v.(float64); ok {
		return new(int32(n))
	}
	return nil
}

func boolean(v any) *bool {
	if b, ok := v.(bool); ok {
		return &b
	}
	return nil
}
