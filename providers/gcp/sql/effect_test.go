package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfDatabases(t *testing.T) {
	of := func(version string, settings *sqladmin.Settings) instance {
		return instance{DatabaseInstance: &sqladmin.DatabaseInstance{Region: "europe-west3", DatabaseVersion: version, Settings: settings}}
	}
	runs := func(version string) instance { return of(version, nil) }
	keeps := func(n int64) instance {
		return of("POSTGRES_16", &sqladmin.Settings{BackupConfiguration: backups(n, n)})
	}
	version := func(v string) databaseParameters { return databaseParameters{Version: &v} }
	days := func(n int32) databaseParameters {
		return databaseParameters{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &n}}
	}
	recovery := func(on bool) databaseParameters {
		return databaseParameters{Backup: &v1alpha1.DatabaseBackup{PointInTimeRecovery: &on}}
	}
	recovering := of("MYSQL_8_0", &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: true}})
	insights := func(q v1alpha1.QueryInsights) databaseParameters {
		return databaseParameters{GCP: &v1alpha1.DatabaseGCP{Insights: &q}}
	}
	named := runs("POSTGRES_16")
	named.database = new("a")
	connectors := func(v string) databaseParameters {
		return databaseParameters{GCP: &v1alpha1.DatabaseGCP{ConnectorEnforcement: &v}}
	}
	enforced := of("POSTGRES_16", &sqladmin.Settings{ConnectorEnforcement: connectorsOnly})
	mode := func(v string) databaseParameters {
		return databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: &v}}
	}
	encrypted := func(version string) instance {
		return of(version, &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{SslMode: encryptedOnly}})
	}
	open := func(version string) instance {
		return of(version, &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{SslMode: encryptedOrNot}})
	}
	parameters := func(name, value string) databaseParameters {
		return databaseParameters{Parameters: map[string]v1alpha1.ParameterValue{name: v1alpha1.ParameterValue(value)}}
	}
	listed := runs("POSTGRES_16")
	listed.flags = map[string]*sqladmin.Flag{"work_mem": {}, "cloudsql.iam_authentication": {}, "max_connections": {RequiresRestart: true}}
	tokens := of("POSTGRES_16", &sqladmin.Settings{DatabaseFlags: []*sqladmin.DatabaseFlags{{Name: "cloudsql.iam_authentication", Value: "on"}}})
	tokens.flags = listed.flags
	public := func(v v1alpha1.PublicAccess) databaseParameters {
		return databaseParameters{Network: &v1alpha1.DatabaseNetwork{PublicAccess: &v}}
	}
	networked := func(ip *sqladmin.IpConfiguration) instance {
		return of("POSTGRES_16", &sqladmin.Settings{IpConfiguration: ip})
	}
	inNetwork := databaseParameters{GCP: &v1alpha1.DatabaseGCP{PrivateNetwork: new("projects/p/global/networks/shop")}}
	inRange := databaseParameters{GCP: &v1alpha1.DatabaseGCP{PrivateNetwork: new("projects/p/global/networks/shop"), AllocatedIPRange: new("shop-range")}}
	plus := of("POSTGRES_16", &sqladmin.Settings{Edition: enterprisePlus, BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true}})
	rules := func(p v1alpha1.PasswordValidationPolicy) databaseParameters {
		return databaseParameters{GCP: &v1alpha1.DatabaseGCP{PasswordValidationPolicy: &p}}
	}
	denies := func(start, end, at string) databaseParameters {
		return databaseParameters{GCP: &v1alpha1.DatabaseGCP{DenyMaintenancePeriod: &v1alpha1.DenyMaintenancePeriod{StartDate: &start, EndDate: &end, Time: &at}}}
	}
	denying := of("POSTGRES_16", &sqladmin.Settings{DenyMaintenancePeriods: []*sqladmin.DenyMaintenancePeriod{{StartDate: "2026-1-5", EndDate: "2026-2-5", Time: "05:00:00"}}})
	tabletest.Effects(t, fields, []tabletest.Example[databaseParameters, instance]{
		tabletest.Of("powerState", databaseParameters{PowerState: new(v1alpha1.PowerStateRunning)}, instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: never}}}, driver.Online),
		tabletest.Of("powerState", databaseParameters{PowerState: new(v1alpha1.PowerStateStopped)}, runs("POSTGRES_16"), driver.Interrupts),
		tabletest.Of("location", databaseParameters{Location: new("europe-west4")}, runs("POSTGRES_16"), driver.Impossible),
		tabletest.Of("backup.pointInTimeRecovery", recovery(true), keeps(7), driver.Restarts),
		tabletest.Of("backup.pointInTimeRecovery", recovery(false), recovering, driver.LosesBackups),
		tabletest.Of("tls", databaseParameters{TLS: new(v1alpha1.TLSOptional)}, encrypted("MYSQL_8_0"), driver.Online),
		tabletest.Of("tls", databaseParameters{TLS: new(v1alpha1.TLSRequired)}, open("POSTGRES_16"), driver.Interrupts),
		tabletest.Of("tls", databaseParameters{TLS: new(v1alpha1.TLSRequired)}, open("MYSQL_8_0"), driver.Restarts),
		tabletest.Of("insights", databaseParameters{Insights: new(true)}, runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.insights.queryStringLength", insights(v1alpha1.QueryInsights{QueryStringLength: new(int32(2048))}), runs("POSTGRES_16"), driver.Restarts),
		tabletest.Of("gcp.insights.queryPlansPerMinute", insights(v1alpha1.QueryInsights{QueryPlansPerMinute: new(int32(5))}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.insights.recordApplicationTags", insights(v1alpha1.QueryInsights{RecordApplicationTags: new(true)}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.insights.recordClientAddress", insights(v1alpha1.QueryInsights{RecordClientAddress: new(true)}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("iamAuthentication", databaseParameters{IAMAuthentication: new(true)}, listed, driver.Online),
		tabletest.Of("iamAuthentication", databaseParameters{IAMAuthentication: new(false)}, tokens, driver.Interrupts),
		tabletest.Of("iamAuthentication", databaseParameters{IAMAuthentication: new(true)}, runs("POSTGRES_16"), driver.Restarts),
		tabletest.Of("parameters", parameters("work_mem", "4096"), listed, driver.Online),
		tabletest.Of("parameters", parameters("max_connections", "100"), listed, driver.Restarts),
		tabletest.Of("parameters", parameters("of_tomorrow", "100"), listed, driver.Impossible),
		tabletest.Of("parameters", parameters("work_mem", "4096"), runs("POSTGRES_16"), driver.Restarts),
		tabletest.Of("engine", databaseParameters{Engine: new(v1alpha1.EngineMySQL)}, runs("POSTGRES_16"), driver.Impossible),
		tabletest.Of("version", version("17"), runs("POSTGRES_16"), driver.Irreversible),
		tabletest.Of("version", version("8.0.40"), runs("MYSQL_8_0_36"), driver.Restarts),
		tabletest.Of("version", version("15"), runs("POSTGRES_16"), driver.Impossible),
		tabletest.Of("version", version("16.4"), runs("POSTGRES_16"), driver.Impossible),
		tabletest.Of("version", version("16"), runs("SQLSERVER_2022_STANDARD"), driver.Impossible),
		tabletest.Of("storage.sizeGiB", databaseParameters{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}, of("POSTGRES_16", &sqladmin.Settings{DataDiskSizeGb: 20}), driver.Online),
		tabletest.Of("availability", databaseParameters{Availability: new(v1alpha1.AvailabilityMultiZone)}, of("POSTGRES_16", &sqladmin.Settings{AvailabilityType: "ZONAL"}), driver.Restarts),
		tabletest.Of("availability", databaseParameters{Availability: new(v1alpha1.AvailabilitySingleZone)}, of("POSTGRES_16", &sqladmin.Settings{AvailabilityType: regional}), driver.Restarts),
		tabletest.Of("databaseName", databaseParameters{DatabaseName: new("a")}, runs("POSTGRES_16"), driver.Online),
		tabletest.Of("databaseName", databaseParameters{DatabaseName: new("b")}, named, driver.Impossible),
		tabletest.Of("backup.retentionDays", days(14), keeps(7), driver.Online),
		tabletest.Of("backup.retentionDays", days(3), keeps(7), driver.LosesBackups),
		tabletest.Of("backup.retentionDays", days(0), keeps(7), driver.LosesBackups),
		tabletest.Of("deletionProtection", databaseParameters{DeletionProtection: new(true)}, runs("POSTGRES_16"), driver.Online),
		tabletest.Of("tags", databaseParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.tier", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("db-custom-2-7680")}}, of("POSTGRES_16", &sqladmin.Settings{Tier: "db-custom-1-3840"}), driver.Restarts),
		tabletest.Of("gcp.edition", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Edition: new(enterprisePlus)}}, of("POSTGRES_16", &sqladmin.Settings{Edition: enterprise}), driver.Restarts),
		tabletest.Of("gcp.edition", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Edition: new(enterprise)}}, of("POSTGRES_16", &sqladmin.Settings{Edition: enterprisePlus}), driver.Restarts),
		tabletest.Of("gcp.edition", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Edition: new(enterprise)}}, plus, driver.LosesBackups),
		tabletest.Of("gcp.tier", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("db-custom-2-7680")}}, plus, driver.LosesBackups),
		tabletest.Of("gcp.tier", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("db-perf-optimized-N-4")}}, plus, driver.Restarts),
		tabletest.Of("gcp.dataCache", databaseParameters{GCP: &v1alpha1.DatabaseGCP{DataCache: new(true)}}, of("POSTGRES_16", &sqladmin.Settings{Edition: enterprisePlus}), driver.Restarts),
		tabletest.Of("gcp.pscConfig.enabled", databaseParameters{GCP: &v1alpha1.DatabaseGCP{PSCConfig: &v1alpha1.PSCConfig{Enabled: new(true)}}}, networked(nil), driver.Impossible),
		tabletest.Of("gcp.pscConfig.allowedConsumerProjects", databaseParameters{GCP: &v1alpha1.DatabaseGCP{PSCConfig: &v1alpha1.PSCConfig{AllowedConsumerProjects: []string{"b"}}}}, networked(&sqladmin.IpConfiguration{PscConfig: &sqladmin.PscConfig{AllowedConsumerProjects: []string{"a"}}}), driver.Interrupts),
		tabletest.Of("gcp.pscConfig.allowedConsumerProjects", databaseParameters{GCP: &v1alpha1.DatabaseGCP{PSCConfig: &v1alpha1.PSCConfig{AllowedConsumerProjects: []string{"b"}}}}, networked(nil), driver.Online),
		tabletest.Of("gcp.pscConfig.autoConnectionNetworks", databaseParameters{GCP: &v1alpha1.DatabaseGCP{PSCConfig: &v1alpha1.PSCConfig{AutoConnectionNetworks: []string{}}}}, networked(&sqladmin.IpConfiguration{PscConfig: &sqladmin.PscConfig{PscAutoConnections: []*sqladmin.PscAutoConnectionConfig{{ConsumerNetwork: "a"}}}}), driver.Interrupts),
		tabletest.Of("gcp.pscConfig.autoConnectionNetworks", databaseParameters{GCP: &v1alpha1.DatabaseGCP{PSCConfig: &v1alpha1.PSCConfig{AutoConnectionNetworks: []string{"a"}}}}, networked(nil), driver.Online),
		tabletest.Of("gcp.pscConfig.networkAttachmentURI", databaseParameters{GCP: &v1alpha1.DatabaseGCP{PSCConfig: &v1alpha1.PSCConfig{NetworkAttachmentURI: new("a")}}}, networked(nil), driver.Restarts),
		tabletest.Of("gcp.connectionPool.enabled", databaseParameters{GCP: &v1alpha1.DatabaseGCP{ConnectionPool: &v1alpha1.ConnectionPool{Enabled: new(true)}}}, runs("POSTGRES_16"), driver.Restarts),
		tabletest.Of("gcp.connectionPool.flags", databaseParameters{GCP: &v1alpha1.DatabaseGCP{ConnectionPool: &v1alpha1.ConnectionPool{Flags: map[string]v1alpha1.ParameterValue{"max_pool_size": "60"}}}}, runs("POSTGRES_16"), driver.Interrupts),
		tabletest.Of("gcp.maintenanceTrack", databaseParameters{GCP: &v1alpha1.DatabaseGCP{MaintenanceTrack: new("week5")}}, of("POSTGRES_16", &sqladmin.Settings{MaintenanceWindow: &sqladmin.MaintenanceWindow{Day: 1, UpdateTrack: "stable"}}), driver.Online),
		tabletest.Of("gcp.denyMaintenancePeriod.startDate", denies("11-20", "01-05", "00:00"), denying, driver.Online),
		tabletest.Of("gcp.denyMaintenancePeriod.endDate", denies("11-20", "01-05", "00:00"), denying, driver.Online),
		tabletest.Of("gcp.denyMaintenancePeriod.time", denies("11-20", "01-05", "00:00"), denying, driver.Online),
		tabletest.Of("gcp.passwordValidationPolicy.enabled", rules(v1alpha1.PasswordValidationPolicy{Enabled: new(true)}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.passwordValidationPolicy.minLength", rules(v1alpha1.PasswordValidationPolicy{MinLength: new(int32(12))}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.passwordValidationPolicy.complexity", rules(v1alpha1.PasswordValidationPolicy{Complexity: new("COMPLEXITY_DEFAULT")}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.passwordValidationPolicy.reuseInterval", rules(v1alpha1.PasswordValidationPolicy{ReuseInterval: new(int32(3))}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.passwordValidationPolicy.disallowUsernameSubstring", rules(v1alpha1.PasswordValidationPolicy{DisallowUsernameSubstring: new(true)}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.passwordValidationPolicy.passwordChangeIntervalSeconds", rules(v1alpha1.PasswordValidationPolicy{PasswordChangeIntervalSeconds: new(int32(60))}), runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.connectorEnforcement", connectors(connectorsOnly), runs("POSTGRES_16"), driver.Interrupts),
		tabletest.Of("gcp.connectorEnforcement", connectors(connectorsOrDirect), enforced, driver.Online),
		tabletest.Of("network.publicAccess", public(v1alpha1.PublicAccessAllowed), networked(&sqladmin.IpConfiguration{PrivateNetwork: "n"}), driver.Online),
		tabletest.Of("network.publicAccess", public(v1alpha1.PublicAccessAllowed), networked(&sqladmin.IpConfiguration{PrivateNetwork: "n", ServerCaMode: "GOOGLE_MANAGED_CAS_CA"}), driver.Restarts),
		tabletest.Of("network.publicAccess", public(v1alpha1.PublicAccessBlocked), networked(&sqladmin.IpConfiguration{Ipv4Enabled: true, PrivateNetwork: "n"}), driver.Interrupts),
		tabletest.Of("network.publicAccess", public(v1alpha1.PublicAccessBlocked), networked(&sqladmin.IpConfiguration{Ipv4Enabled: true}), driver.Impossible),
		tabletest.Of("network.allowedCIDRs", databaseParameters{Network: &v1alpha1.DatabaseNetwork{AllowedCIDRs: []string{}}},
			networked(&sqladmin.IpConfiguration{AuthorizedNetworks: []*sqladmin.AclEntry{{Value: "203.0.113.0/24"}}}), driver.Online),
		tabletest.Of("gcp.privateNetwork", inNetwork, runs("POSTGRES_16"), driver.Restarts),
		tabletest.Of("gcp.privateNetwork", inNetwork, networked(&sqladmin.IpConfiguration{PrivateNetwork: "n"}), driver.Restarts),
		tabletest.Of("gcp.allocatedIPRange", inRange, networked(&sqladmin.IpConfiguration{PrivateNetwork: "n", AllocatedIpRange: "other"}), driver.Restarts),
		tabletest.Of("gcp.allocatedIPRange", inRange, networked(&sqladmin.IpConfiguration{PrivateNetwork: "projects/p/global/networks/shop"}), driver.Impossible),
		tabletest.Of("gcp.serverCAMode", databaseParameters{GCP: &v1alpha1.DatabaseGCP{ServerCAMode: new("GOOGLE_MANAGED_CAS_CA")}}, networked(nil), driver.Impossible),
		tabletest.Of("gcp.zone", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Zone: new("europe-west3-b")}}, of("POSTGRES_16", &sqladmin.Settings{LocationPreference: &sqladmin.LocationPreference{Zone: "europe-west3-a"}}), driver.Restarts),
		tabletest.Of("gcp.secondaryZone", databaseParameters{GCP: &v1alpha1.DatabaseGCP{SecondaryZone: new("europe-west3-c")}}, of("POSTGRES_16", &sqladmin.Settings{AvailabilityType: regional,
			LocationPreference: &sqladmin.LocationPreference{Zone: "europe-west3-a", SecondaryZone: "europe-west3-b"}}), driver.Restarts),
		tabletest.Of("gcp.dataDiskType", databaseParameters{GCP: &v1alpha1.DatabaseGCP{DataDiskType: new("PD_HDD")}}, of("POSTGRES_16", &sqladmin.Settings{DataDiskType: "PD_SSD"}), driver.Impossible),
		tabletest.Of("gcp.retainBackupsOnDelete", databaseParameters{GCP: &v1alpha1.DatabaseGCP{RetainBackupsOnDelete: new(true)}}, runs("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.sslMode", mode(trustedClientsOnly), encrypted("POSTGRES_16"), driver.Interrupts),
		tabletest.Of("gcp.sslMode", mode(encryptedOrNot), encrypted("POSTGRES_16"), driver.Online),
		tabletest.Of("gcp.sslMode", mode(trustedClientsOnly), encrypted("MYSQL_8_0"), driver.Restarts),
		tabletest.Of("gcp.sslMode", mode(encryptedOrNot), encrypted("MYSQL_8_0"), driver.Online),
	})
}
