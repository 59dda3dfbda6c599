package aws_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

func init() {
	trials = append(trials, func(b *backdoor, region string) drivertest.Trial { return Instances(b, region) })
}

func Instances(b *backdoor, region string) *drivertest.Kind[v1alpha1.DatabaseParameters] {
	return &drivertest.Kind[v1alpha1.DatabaseParameters]{
		Name:         "Database",
		RefusedNames: []string{strings.Repeat("a", 64), "1orders", "shop--orders", "orders-", "shop_orders", "shop.orders"},
		OddNames:     []string{"o", "o2"},
		Full:         fieldedit.AWSDatabase(region).Full,
		Minimal: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{
				Engine: new(v1alpha1.EngineMySQL), AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.medium")}, // which has insights
			}
		},
		RefusedPasswords: []string{"seven-7", strings.Repeat("x", 129), "with/slash", "with@at-sign", `with"quote`, "with space", "with-ümlaut"},
		Login:            driver.Login{Password: "Canary-Horse-77"},
		ManagedPassword:  true,
		Actions:          driver.Actions,
		Fields:           fieldedit.AWSDatabase(region).Fields,
		Reads:            2, // the instance, and its parameters
		MinimalReads:     1,
		SupportReads:     1,
		Needed:           []string{"engine", "aws.instanceClass", "storage.sizeGiB"},
		Before:           2, // its parameter group is made and filled
		Beside:           1,
		Lists:            true,
		HasID:            true,
		IDAtOnce:         true,
		Snapshots:        true, Restores: true, PointInTime: true, RestoresDeleted: true, Replicas: true, Upgrades: true,
		Cloud: drivertest.Backdoor{
			Edit:    b.editDatabase,
			Support: b.support,
			Entries: map[string]drivertest.Entries{"parameters": {
				Of: func(t testing.TB, name string) map[string]string { defer b.uncounted()(); return b.settings(t, name) }, Set: b.setSettings,
				Other: "log_min_duration_statement", Theirs: "100", Ours: "200", Spoiled: "300",
				Exact: "parametersMode", ExactMode: "Exact", Same: map[string]string{"max_connections": "050", "work_mem": "8192", "log_min_duration_statement": "70"},
			}},
			Labels: func(t testing.TB, name string) map[string]string {
				defer b.uncounted()()
				tags := map[string]string{}
				for _, tag := range b.instance(t, name).TagList {
					tags[*tag.Key] = *tag.Value
				}
				return tags
			},
			Relabel: b.relabelDatabase,
			Remove: func(t testing.TB, name string) {
				defer b.uncounted()()
				awstest.Do(t, b.RDS.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: new(true)})
			},
			Stop: func(t testing.TB, name string) {
				defer b.uncounted()()
				awstest.Do(t, b.RDS.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &name})
			},
			Hide: func(_ testing.TB, _, f string) func() {
				return b.denied(map[string]string{"parameters": "DescribeDBParameters", "tls": "DescribeDBParameters"}[f], "")
			},
			Refuse: func(_ testing.TB, _, f string) func() {
				if parameter := modified[f]; parameter != "" {
					return b.denied("ModifyDBInstance", "&"+parameter)
				}
				return b.denied(map[string]string{"parameters": "ModifyDBParameterGroup", "tls": "ModifyDBParameterGroup", "tags": "AddTagsToResource", "aws.associatedRoles": "AddRoleToDBInstance"}[f], "")
			},
		},
	}
}

// modified are parameters of ModifyDBInstance, by the fields that they are sent for alone. A policy can refuse a call for some of them.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html#amazonrds-policy-keys
var modified = map[string]string{
	"aws.instanceClass": "DBInstanceClass", "network.publicAccess": "PubliclyAccessible", "aws.copyTagsToSnapshot": "CopyTagsToSnapshot",
	"aws.caCertificateIdentifier": "CACertificateIdentifier", "aws.port": "DBPortNumber", "availability": "MultiAZ",
	"backup.retentionDays": "BackupRetentionPeriod", "backup.startTime": "PreferredBackupWindow", "maintenance.minorUpgrades": "AutoMinorVersionUpgrade",
	"iamAuthentication": "EnableIAMDatabaseAuthentication", "deletionProtection": "DeletionProtection", "version": "EngineVersion",
	"storage.sizeGiB": "AllocatedStorage", "aws.vpcSecurityGroupIDs": "VpcSecurityGroupIds", "aws.cloudwatchLogsExports": "CloudwatchLogsExportConfiguration",
	"aws.monitoring.intervalSeconds": "MonitoringInterval", "aws.monitoring.roleARN": "MonitoringRoleArn",
}

func (b *backdoor) instance(t testing.TB, name string) rdstypes.DBInstance {
	return awstest.Do(t, b.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name}).DBInstances[0]
}

// editRoles gives an instance other roles, and takes those away that it had. MySQL and MariaDB have none.
func (b *backdoor) editRoles(t testing.TB, name string, roles []v1alpha1.AssociatedRole) {
	if *b.instance(t, name).Engine != "postgres" {
		return
	}
	for _, r := range b.instance(t, name).AssociatedRoles {
		awstest.Do(t, b.RDS.RemoveRoleFromDBInstance, &rds.RemoveRoleFromDBInstanceInput{DBInstanceIdentifier: &name, FeatureName: r.FeatureName, RoleArn: r.RoleArn})
	}
	for _, r := range roles {
		awstest.Do(t, b.RDS.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &name, FeatureName: &r.FeatureName, RoleArn: &r.RoleARN})
	}
}

func (b *backdoor) editDatabase(t testing.TB, name, f string, value any) {
	defer b.uncounted()()
	b.Clock.Advance(time.Hour) // RDS takes one change at a time
	in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, ApplyImmediately: new(true)}
	switch f {
	case "aws.instanceClass":
		in.DBInstanceClass = new(value.(string))
	case "aws.copyTagsToSnapshot":
		in.CopyTagsToSnapshot = new(value.(bool))
	case "insights":
		in.EnablePerformanceInsights = new(value.(bool))
		if value.(bool) {
			in.PerformanceInsightsKMSKeyId = b.instance(t, name).PerformanceInsightsKMSKeyId
		}
	case "aws.performanceInsights.retentionDays":
		in.EnablePerformanceInsights, in.PerformanceInsightsKMSKeyId = new(true), b.instance(t, name).PerformanceInsightsKMSKeyId
		in.PerformanceInsightsRetentionPeriod = new(int32(value.(int)))
	case "aws.databaseInsightsMode":
		in.EnablePerformanceInsights, in.PerformanceInsightsKMSKeyId = new(true), b.instance(t, name).PerformanceInsightsKMSKeyId
		in.PerformanceInsightsRetentionPeriod, in.DatabaseInsightsMode = b.instance(t, name).PerformanceInsightsRetentionPeriod, rdstypes.DatabaseInsightsMode(value.(string))
	case "aws.monitoring.intervalSeconds":
		in.MonitoringInterval, in.MonitoringRoleArn = new(int32(value.(int))), new(cmp.Or(awssdk.ToString(b.instance(t, name).MonitoringRoleArn), "arn:aws:iam::"+awstest.Account+":role/rds-monitoring-role"))
	case "aws.monitoring.roleARN":
		in.MonitoringInterval, in.MonitoringRoleArn = b.instance(t, name).MonitoringInterval, new(value.(string))
	case "iamAuthentication":
		in.EnableIAMDatabaseAuthentication = new(value.(bool))
	case "network.publicAccess":
		in.PubliclyAccessible = new(value.(string) == string(v1alpha1.PublicAccessAllowed))
	case "availability":
		in.MultiAZ = new(value.(string) == string(v1alpha1.AvailabilityMultiZone))
	case "aws.caCertificateIdentifier":
		in.CACertificateIdentifier = new(value.(string))
	case "aws.storageType":
		in.StorageType, in.AllocatedStorage = new(value.(string)), b.instance(t, name).AllocatedStorage
	case "aws.engineLifecycleSupport":
		in.EngineLifecycleSupport = new(value.(string))
	case "aws.associatedRoles":
		b.editRoles(t, name, value.([]v1alpha1.AssociatedRole))
		return
	case "aws.cloudwatchLogsExports":
		in.CloudwatchLogsExportConfiguration = &rdstypes.CloudwatchLogsExportConfiguration{
			DisableLogTypes: b.instance(t, name).EnabledCloudwatchLogsExports, EnableLogTypes: value.([]string),
		}
	case "storage.sizeGiB", "aws.iops", "aws.throughputMiBps":
		b.editDisk(t, in, f, int32(value.(int)))
	case "aws.dbSubnetGroupName":
		in.DBSubnetGroupName = new(value.(string))
	case "aws.port":
		in.DBPortNumber = new(int32(value.(int)))
	case "aws.networkType":
		in.NetworkType = new(value.(string))
	case "aws.optionGroupName":
		in.OptionGroupName = new(value.(string))
	case "aws.dbParameterGroupName": // and restarts the server
		group := value.(string)
		if engine := *b.instance(t, name).Engine; engine != "postgres" && !strings.HasSuffix(group, engine) {
			group += "-" + engine
		}
		in.DBParameterGroupName = &group
		defer func() {
			b.Clock.Advance(time.Hour)
			awstest.Do(t, b.RDS.RebootDBInstance, &rds.RebootDBInstanceInput{DBInstanceIdentifier: &name})
			b.Clock.Advance(time.Hour)
		}()
	case "tls":
		set := b.settings(t, name)
		parameter := "require_secure_transport"
		if *b.instance(t, name).Engine == "postgres" {
			parameter = "rds.force_ssl"
		}
		set[parameter] = map[string]string{"Required": "1", "Optional": "0"}[value.(string)]
		b.setSettings(t, name, set)
		return
	case "aws.vpcSecurityGroupIDs":
		in.VpcSecurityGroupIds = value.([]string)
	case "storage.maxSizeGiB":
		in.MaxAllocatedStorage = new(int32(value.(int)))
	case "backup.retentionDays":
		in.BackupRetentionPeriod = new(int32(value.(int)))
	case "backup.startTime": // with a window that is longer than the driver's
		start, err := time.Parse("15:04", value.(string))
		if err != nil {
			t.Fatal(err)
		}
		in.PreferredBackupWindow = new(start.Format("15:04-") + start.Add(time.Hour).Format("15:04"))
	case "maintenance.window.day":
		day := strings.ToLower(value.(string)[:3])
		in.PreferredMaintenanceWindow = new(day + (*b.instance(t, name).PreferredMaintenanceWindow)[3:10] + day + ":23:00")
	case "maintenance.window.startTime": // with a window that is longer than the driver's
		day := (*b.instance(t, name).PreferredMaintenanceWindow)[:4]
		in.PreferredMaintenanceWindow = new(day + value.(string) + "-" + day + "23:00")
	case "maintenance.minorUpgrades":
		in.AutoMinorVersionUpgrade = new(value.(string) == string(v1alpha1.MinorUpgradesAutomatic))
	case "powerState":
		b.switchPower(t, name, value.(string))
		return
	case "deletionProtection":
		in.DeletionProtection = new(value.(bool))
	default:
		t.Fatalf("no way to edit %s", f)
	}
	awstest.Do(t, b.RDS.ModifyDBInstance, in)
}

func (b *backdoor) switchPower(t testing.TB, name, to string) {
	if to == string(v1alpha1.PowerStateStopped) {
		awstest.Do(t, b.RDS.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &name})
		return
	}
	awstest.Do(t, b.RDS.StartDBInstance, &rds.StartDBInstanceInput{DBInstanceIdentifier: &name})
}

// editDisk names what RDS wants named together. IOPS and throughput need a disk for which they can be chosen.
func (b *backdoor) editDisk(t testing.TB, in *rds.ModifyDBInstanceInput, f string, value int32) {
	now := b.instance(t, *in.DBInstanceIdentifier)
	in.AllocatedStorage = now.AllocatedStorage
	if *now.AllocatedStorage >= 400 {
		in.Iops, in.StorageThroughput = now.Iops, now.StorageThroughput
	}
	switch f {
	case "storage.sizeGiB":
		in.AllocatedStorage = &value
	case "aws.iops":
		in.AllocatedStorage, in.Iops = new(max(400, *now.AllocatedStorage)), &value
	case "aws.throughputMiBps":
		in.AllocatedStorage, in.Iops, in.StorageThroughput = new(max(400, *now.AllocatedStorage)), new(max(12000, awssdk.ToInt32(now.Iops))), &value
	}
}

func (b *backdoor) relabelDatabase(t testing.TB, name string, labels map[string]string) {
	defer b.uncounted()()
	have := b.instance(t, name)
	var gone []string
	for _, tag := range have.TagList {
		if _, stays := labels[*tag.Key]; !stays {
			gone = append(gone, *tag.Key)
		}
	}
	if len(gone) > 0 {
		awstest.Do(t, b.RDS.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: have.DBInstanceArn, TagKeys: gone})
	}
	var set []rdstypes.Tag
	for k, v := range labels {
		set = append(set, rdstypes.Tag{Key: &k, Value: &v})
	}
	awstest.Do(t, b.RDS.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: have.DBInstanceArn, Tags: set})
}

// settings returns what somebody set in the DB parameter group of an instance.
func (b *backdoor) settings(t testing.TB, name string) map[string]string {
	set := map[string]string{}
	for _, p := range awstest.Do(t, b.RDS.DescribeDBParameters, &rds.DescribeDBParametersInput{
		DBParameterGroupName: b.instance(t, name).DBParameterGroups[0].DBParameterGroupName, Source: new("user"),
	}).Parameters {
		set[*p.ParameterName] = *p.ParameterValue
	}
	return set
}

// setSettings replaces what somebody set in the group of an instance, and restarts the server. Nobody can change a default group.
func (b *backdoor) setSettings(t testing.TB, name string, to map[string]string) {
	defer b.uncounted()()
	group := b.instance(t, name).DBParameterGroups[0].DBParameterGroupName
	if strings.HasPrefix(*group, "default.") {
		return
	}
	for key := range b.settings(t, name) {
		if _, stays := to[key]; !stays {
			awstest.Do(t, b.RDS.ResetDBParameterGroup, &rds.ResetDBParameterGroupInput{DBParameterGroupName: group, Parameters: []rdstypes.Parameter{
				{ParameterName: &key, ApplyMethod: rdstypes.ApplyMethodPendingReboot},
			}})
		}
	}
	for key, value := range to {
		awstest.Do(t, b.RDS.ModifyDBParameterGroup, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: group, Parameters: []rdstypes.Parameter{
			{ParameterName: &key, ParameterValue: &value, ApplyMethod: rdstypes.ApplyMethodPendingReboot},
		}})
	}
	b.Clock.Advance(time.Hour)
	b.reboot(t, name)
	b.Clock.Advance(time.Hour)
}

// support returns what RDS says of the support of an instance.
func (b *backdoor) support(t testing.TB, name string) driver.Support {
	defer b.uncounted()()
	in := b.instance(t, name)
	s := driver.Support{Version: "8.4", CertificateExpires: *in.CertificateDetails.ValidTill}
	versions := awstest.Do(t, b.RDS.DescribeDBMajorEngineVersions, &rds.DescribeDBMajorEngineVersionsInput{Engine: in.Engine, MajorEngineVersion: &s.Version}).DBMajorEngineVersions
	if len(versions) != 1 || len(versions[0].SupportedEngineLifecycles) != 2 {
		t.Fatalf("RDS says of %s %s: %+v", *in.Engine, s.Version, versions)
	}
	s.StandardUntil, s.ExtendedUntil = *versions[0].SupportedEngineLifecycles[0].LifecycleSupportEndDate, *versions[0].SupportedEngineLifecycles[1].LifecycleSupportEndDate
	return s
}

// reboot restarts a server once it is at rest. The server's listener takes real time, which the cloud's clock knows nothing of.
func (b *backdoor) reboot(t testing.TB, name string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		_, err := b.RDS.RebootDBInstance(t.Context(), &rds.RebootDBInstanceInput{DBInstanceIdentifier: &name})
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "not in available state") || time.Now().After(end) {
			t.Fatal(err)
		}
		b.Clock.Advance(time.Hour)
	}
}
