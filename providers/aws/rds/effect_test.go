package rds

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func inGroup(name, status string) instance {
	return instance{DBInstance: types.DBInstance{
		DBInstanceIdentifier: new("orders"), DBParameterGroups: []types.DBParameterGroupStatus{{DBParameterGroupName: &name, ParameterApplyStatus: &status}},
	}}
}

var knownParameters = parameterList{"work_mem": {ApplyType: new("dynamic")}, "max_connections": {ApplyType: new("static")}}

// with returns the instance as it is once its parameters were read.
func (i instance) with(list parameterList) instance {
	i.settings = &settings{list: list, waits: i.groupWaits()}
	return i
}

func (i instance) tls(v v1alpha1.TLS, waits string) instance {
	i.settings = &settings{tls: &tlsSetting{v, waits}, list: parameterList{tlsOfMySQL: {ApplyType: new("dynamic")}, tlsOfPostgres: {ApplyType: new("static")}}}
	return i
}

func inEngine(engine string, i instance) instance {
	i.Engine = &engine
	return i
}

func sets(name string) databaseSpec {
	return databaseSpec{Parameters: map[string]v1alpha1.ParameterValue{name: "1"}}
}

func TestEffectsOfDatabases(t *testing.T) {
	version := func(v string) databaseSpec { return databaseSpec{Version: &v} }
	runs := func(v string) instance { return instance{DBInstance: types.DBInstance{EngineVersion: &v}} }
	days := func(n int32) databaseSpec {
		return databaseSpec{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &n}}
	}
	insights := func(p v1alpha1.PerformanceInsights) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{PerformanceInsights: &p}}
	}
	monitoring := func(seconds int32, role string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{Monitoring: &v1alpha1.EnhancedMonitoring{IntervalSeconds: &seconds, RoleARN: &role}}}
	}
	keeps := func(n int32) instance { return instance{DBInstance: types.DBInstance{BackupRetentionPeriod: &n}} }
	upgrades := func(u v1alpha1.MinorUpgrades) databaseSpec {
		return databaseSpec{Maintenance: &v1alpha1.DatabaseMaintenance{MinorUpgrades: &u}}
	}
	class := func(c string) databaseSpec { return databaseSpec{AWS: &v1alpha1.DatabaseAWS{InstanceClass: &c}} }
	authority := func(ca string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{CACertificateIdentifier: &ca}}
	}
	importing := func(role string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{AssociatedRoles: []v1alpha1.AssociatedRole{{FeatureName: "s3Import", RoleARN: role}}}}
	}
	disk := func(kind string) databaseSpec { return databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: &kind}} }
	logVolume := func(on bool) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{DedicatedLogVolume: &on}}
	}
	iops := func(kind string, n int32) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: &kind, IOPS: &n}}
	}
	throughput := func(kind string, n int32) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: &kind, ThroughputMiBps: &n}}
	}
	has := func(kind string) instance {
		return instance{DBInstance: types.DBInstance{StorageType: &kind, AllocatedStorage: new(int32(500)), Iops: new(int32(12000)), StorageThroughput: new(int32(500))}}
	}
	subnets := func(name string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{DBSubnetGroupName: &name}}
	}
	parameters := func(name string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{DBParameterGroupName: &name}}
	}
	group := func(name string) *types.DBSubnetGroup { return &types.DBSubnetGroup{DBSubnetGroupName: &name} }
	lets := func(ids ...string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{VPCSecurityGroupIDs: ids}}
	}
	tabletest.Effects(t, rows, []tabletest.Example[databaseSpec, instance]{
		tabletest.Of("location", databaseSpec{Location: new("eu-west-1")}, instance{DBInstance: types.DBInstance{DBInstanceArn: new("arn:aws:rds:eu-central-1:1:db:a")}}, driver.Impossible),
		tabletest.Of("engine", databaseSpec{Engine: new(v1alpha1.EngineMySQL)}, instance{DBInstance: types.DBInstance{Engine: new("postgres")}}, driver.Impossible),
		tabletest.Of("version", version("16.4"), instance{DBInstance: types.DBInstance{
			EngineVersion: new("16.4"), PendingModifiedValues: &types.PendingModifiedValues{EngineVersion: new("15")},
		}}, driver.Online),
		tabletest.Of(fieldRoles, importing("a"), instance{}, driver.Online),
		tabletest.Of(fieldRoles, importing("b"), instance{DBInstance: types.DBInstance{AssociatedRoles: []types.DBInstanceRole{{FeatureName: new("s3Import"), RoleArn: new("a")}}}}, driver.Interrupts),
		tabletest.Of("aws.optionGroupName", databaseSpec{AWS: &v1alpha1.DatabaseAWS{OptionGroupName: new("audit")}}, instance{}, driver.Online),
		tabletest.Of("version", version("16.8"), runs("16.4"), driver.Restarts),
		tabletest.Of("version", version("17"), runs("16.4"), driver.Irreversible),
		tabletest.Of("version", version("15"), runs("16.4"), driver.Impossible),
		tabletest.Of("storage.sizeGiB", databaseSpec{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}, instance{DBInstance: types.DBInstance{AllocatedStorage: new(int32(20))}}, driver.Online),
		tabletest.Of("availability", databaseSpec{Availability: new(v1alpha1.AvailabilityMultiZone)}, instance{DBInstance: types.DBInstance{MultiAZ: new(false)}}, driver.Online),
		tabletest.Of("network.publicAccess", databaseSpec{Network: &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)}}, instance{DBInstance: types.DBInstance{PubliclyAccessible: new(true)}}, driver.Online),
		tabletest.Of("insights", databaseSpec{Insights: new(true)}, instance{}, driver.Online),
		tabletest.Of("aws.performanceInsights.retentionDays", insights(v1alpha1.PerformanceInsights{RetentionDays: new(int32(7))}), instance{DBInstance: types.DBInstance{PerformanceInsightsRetentionPeriod: new(int32(31))}}, driver.Irreversible),
		tabletest.Of("aws.performanceInsights.retentionDays", insights(v1alpha1.PerformanceInsights{RetentionDays: new(int32(62))}), instance{DBInstance: types.DBInstance{PerformanceInsightsRetentionPeriod: new(int32(31))}}, driver.Online),
		tabletest.Of("aws.performanceInsights.key", insights(v1alpha1.PerformanceInsights{Key: new("b")}), instance{}, driver.Online),
		tabletest.Of("aws.performanceInsights.key", insights(v1alpha1.PerformanceInsights{Key: new("b")}), instance{DBInstance: types.DBInstance{PerformanceInsightsKMSKeyId: new("a")}}, driver.Impossible),
		tabletest.Of("aws.databaseInsightsMode", databaseSpec{AWS: &v1alpha1.DatabaseAWS{DatabaseInsightsMode: new("standard")}}, instance{DBInstance: types.DBInstance{DatabaseInsightsMode: "advanced"}}, driver.Online),
		tabletest.Of("aws.monitoring.intervalSeconds", monitoring(60, "b"), instance{}, driver.Online),
		tabletest.Of("aws.monitoring.roleARN", monitoring(60, "b"), instance{DBInstance: types.DBInstance{MonitoringRoleArn: new("a")}}, driver.Online),
		tabletest.Of("powerState", databaseSpec{PowerState: new(v1alpha1.PowerStateRunning)}, instance{DBInstance: types.DBInstance{DBInstanceStatus: new(stopped)}}, driver.Online),
		tabletest.Of("powerState", databaseSpec{PowerState: new(v1alpha1.PowerStateStopped)}, instance{}, driver.Interrupts),
		tabletest.Of("powerState", databaseSpec{PowerState: new(v1alpha1.PowerStateStopped)}, instance{DBInstance: types.DBInstance{ReadReplicaDBInstanceIdentifiers: []string{"reads"}}}, driver.Impossible),
		tabletest.Of("powerState", databaseSpec{PowerState: new(v1alpha1.PowerStateStopped)}, instance{DBInstance: types.DBInstance{ReadReplicaDBClusterIdentifiers: []string{"reads"}}}, driver.Impossible),
		tabletest.Of("powerState", databaseSpec{PowerState: new(v1alpha1.PowerStateStopped)}, instance{DBInstance: types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("orders")}}, driver.Impossible),
		tabletest.Of("iamAuthentication", databaseSpec{IAMAuthentication: new(true)}, instance{DBInstance: types.DBInstance{IAMDatabaseAuthenticationEnabled: new(false)}}, driver.Online),
		tabletest.Of("iamAuthentication", databaseSpec{IAMAuthentication: new(false)}, instance{DBInstance: types.DBInstance{IAMDatabaseAuthenticationEnabled: new(true)}}, driver.Interrupts),
		tabletest.Of("iamAuthentication", databaseSpec{IAMAuthentication: new(false)}, instance{DBInstance: types.DBInstance{
			PendingModifiedValues: &types.PendingModifiedValues{IAMDatabaseAuthenticationEnabled: new(true)},
		}}, driver.Online),
		tabletest.Of("databaseName", databaseSpec{DatabaseName: new("b")}, instance{DBInstance: types.DBInstance{DBName: new("a")}}, driver.Impossible),
		tabletest.Of("backup.retentionDays", days(14), keeps(7), driver.Online),
		tabletest.Of("backup.retentionDays", days(7), keeps(0), driver.Interrupts),
		tabletest.Of("backup.retentionDays", days(3), keeps(7), driver.LosesBackups),
		tabletest.Of("backup.retentionDays", days(0), keeps(7), driver.LosesBackups),
		tabletest.Of("maintenance.minorUpgrades", upgrades(v1alpha1.MinorUpgradesManual), instance{DBInstance: types.DBInstance{AutoMinorVersionUpgrade: new(true)}}, driver.Online),
		tabletest.Of("maintenance.minorUpgrades", upgrades(v1alpha1.MinorUpgradesAutomatic), instance{DBInstance: types.DBInstance{AutoMinorVersionUpgrade: new(false)}}, driver.Restarts),
		tabletest.Of("deletionProtection", databaseSpec{DeletionProtection: new(true)}, instance{}, driver.Online),
		tabletest.Of("tags", databaseSpec{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, instance{}, driver.Online),
		tabletest.Of("aws.instanceClass", class("db.t4g.micro"), instance{DBInstance: types.DBInstance{
			DBInstanceClass: new("db.t4g.micro"), PendingModifiedValues: &types.PendingModifiedValues{DBInstanceClass: new("db.t4g.small")},
		}}, driver.Online),
		tabletest.Of("aws.caCertificateIdentifier", authority("rds-ca-rsa2048-g1"), instance{DBInstance: types.DBInstance{
			CACertificateIdentifier: new("rds-ca-rsa2048-g1"), PendingModifiedValues: &types.PendingModifiedValues{CACertificateIdentifier: new("rds-ca-ecc384-g1")},
		}}, driver.Online),
		tabletest.Of("aws.caCertificateIdentifier", authority("rds-ca-ecc384-g1"), instance{DBInstance: types.DBInstance{CACertificateIdentifier: new("rds-ca-rsa2048-g1")}}, driver.Restarts),
		tabletest.Of("aws.storageType", disk("gp3"), instance{DBInstance: types.DBInstance{StorageType: new("gp2")}}, driver.Online),
		tabletest.Of("aws.storageType", disk("gp3"), instance{DBInstance: types.DBInstance{StorageType: new("io1")}}, driver.Interrupts),
		tabletest.Of("aws.storageType", disk("gp3"), instance{DBInstance: types.DBInstance{StorageType: new("standard")}}, driver.Interrupts),
		tabletest.Of("aws.dedicatedLogVolume", logVolume(true), has("io1"), driver.Restarts),
		tabletest.Of("aws.dedicatedLogVolume", logVolume(false), instance{DBInstance: types.DBInstance{
			PendingModifiedValues: &types.PendingModifiedValues{DedicatedLogVolume: new(true)},
		}}, driver.Online),
		tabletest.Of("aws.iops", iops("gp3", 15000), has("gp3"), driver.Online),
		tabletest.Of("aws.iops", iops("gp3", 15000), has("gp2"), driver.Online),
		tabletest.Of("aws.iops", iops("gp3", 15000), has("io1"), driver.Interrupts),
		tabletest.Of("aws.iops", databaseSpec{AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(15000))}}, has("io1"), driver.Online),
		tabletest.Of("aws.throughputMiBps", throughput("gp3", 600), has("gp3"), driver.Online),
		tabletest.Of("aws.throughputMiBps", throughput("gp3", 600), has("io1"), driver.Interrupts),
		tabletest.Of("aws.dbSubnetGroupName", subnets("pay"), instance{DBInstance: types.DBInstance{DBSubnetGroup: group("shop")}}, driver.Restarts),
		tabletest.Of("aws.dbSubnetGroupName", subnets("SHOP"), instance{DBInstance: types.DBInstance{
			DBSubnetGroup: group("shop"), PendingModifiedValues: &types.PendingModifiedValues{DBSubnetGroupName: new("pay")},
		}}, driver.Online),
		tabletest.Of("aws.availabilityZone", databaseSpec{AWS: &v1alpha1.DatabaseAWS{AvailabilityZone: new("eu-west-1b")}}, instance{DBInstance: types.DBInstance{AvailabilityZone: new("eu-west-1a")}}, driver.Impossible),
		tabletest.Of("aws.port", databaseSpec{AWS: &v1alpha1.DatabaseAWS{Port: new(int32(6543))}}, instance{DBInstance: types.DBInstance{Endpoint: &types.Endpoint{Port: new(int32(5432))}}}, driver.Restarts),
		tabletest.Of("aws.port", databaseSpec{AWS: &v1alpha1.DatabaseAWS{Port: new(int32(5432))}}, instance{DBInstance: types.DBInstance{
			Endpoint: &types.Endpoint{Port: new(int32(5432))}, PendingModifiedValues: &types.PendingModifiedValues{Port: new(int32(6543))},
		}}, driver.Online),
		tabletest.Of("aws.networkType", databaseSpec{AWS: &v1alpha1.DatabaseAWS{NetworkType: new("DUAL")}}, instance{DBInstance: types.DBInstance{NetworkType: new("IPV4")}}, driver.Interrupts),
		tabletest.Of("aws.networkType", databaseSpec{AWS: &v1alpha1.DatabaseAWS{NetworkType: new("IPV4")}}, instance{DBInstance: types.DBInstance{NetworkType: new("DUAL"), MultiAZ: new(true)}}, driver.Restarts),
		tabletest.Of("parameters", sets("work_mem"), inGroup("default.postgres16", "in-sync").with(nil), driver.Online),
		tabletest.Of("parameters", sets("work_mem"), inGroup("orders-a", "in-sync").with(knownParameters), driver.Online),
		tabletest.Of("parameters", sets("max_connections"), inGroup("orders-a", "in-sync").with(knownParameters), driver.Restarts),
		tabletest.Of("parameters", sets("work_memory"), inGroup("orders-a", "in-sync").with(knownParameters), driver.Impossible),
		tabletest.Of("parameters", sets("work_mem"), inGroup("orders-a", "in-sync").with(nil), driver.Restarts),
		tabletest.Of("parameters", sets("work_mem"), inGroup("orders-a", "in-sync"), driver.Restarts),
		tabletest.Of("parameters", sets("work_mem"), inGroup("orders-a", pendingReboot).with(knownParameters), driver.Restarts),
		tabletest.Of("tls", databaseSpec{TLS: new(v1alpha1.TLSOptional)}, inGroup("orders-a", "in-sync").tls(v1alpha1.TLSRequired, ""), driver.Online),
		tabletest.Of("tls", databaseSpec{TLS: new(v1alpha1.TLSRequired)}, inGroup("orders-a", "in-sync").tls(v1alpha1.TLSOptional, ""), driver.Interrupts),
		tabletest.Of("tls", databaseSpec{TLS: new(v1alpha1.TLSRequired)}, inGroup("default.postgres14", "in-sync").tls(v1alpha1.TLSOptional, ""), driver.Online),
		tabletest.Of("tls", databaseSpec{TLS: new(v1alpha1.TLSRequired)}, inGroup("orders-a", pendingReboot).tls(v1alpha1.TLSRequired, pendingReboot), driver.Restarts),
		tabletest.Of("tls", databaseSpec{TLS: new(v1alpha1.TLSRequired)}, inGroup("orders-a", "in-sync"), driver.Restarts), // as in a preview
		tabletest.Of("tls", databaseSpec{TLS: new(v1alpha1.TLSRequired)}, inEngine("postgres", inGroup("orders-a", "in-sync").tls(v1alpha1.TLSOptional, "")), driver.Restarts),
		tabletest.Of(parameterGroup, parameters("pay"), inGroup("shop", "in-sync"), driver.Online),
		tabletest.Of(parameterGroup, parameters("pay"), inGroup("shop", pendingReboot), driver.Online),
		tabletest.Of(parameterGroup, parameters("Shop"), inGroup("shop", pendingReboot), driver.Restarts),
		tabletest.Of("aws.vpcSecurityGroupIDs", lets("sg-1", "sg-2"), instance{DBInstance: types.DBInstance{VpcSecurityGroups: members("sg-1")}}, driver.Online),
		tabletest.Of("aws.vpcSecurityGroupIDs", lets("sg-1", "sg-2"), instance{DBInstance: types.DBInstance{VpcSecurityGroups: members("sg-1", "sg-3")}}, driver.Interrupts),
		tabletest.Of("aws.instanceClass", class("db.t4g.small"), instance{DBInstance: types.DBInstance{DBInstanceClass: new("db.t4g.micro")}}, driver.Restarts),
	})
}
