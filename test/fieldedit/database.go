package fieldedit

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// gcpNetworks are networks of a shared VPC, which other projects may use.
const gcpNetworks = "projects/network-host/global/networks/"

// wholePolicy: an instance has a whole policy or none.
var wholePolicy = map[string]string{
	"gcp.passwordValidationPolicy.enabled": "", "gcp.passwordValidationPolicy.minLength": "", "gcp.passwordValidationPolicy.complexity": "",
	"gcp.passwordValidationPolicy.reuseInterval": "", "gcp.passwordValidationPolicy.disallowUsernameSubstring": "",
	"gcp.passwordValidationPolicy.passwordChangeIntervalSeconds": "",
}

// stuckWhileStopped: a new server is changed before it stops, and one that is stopped afterwards.
const stuckWhileStopped = "most changes wait until a stopped server runs"

func init() {
	add("Database", "aws", AWSDatabase("eu-central-1"))
	add("Database", "gcp", GCPDatabase("europe-west3"))
}

// fieldRoles has roles that a server of PostgreSQL may assume, and no other one.
const fieldRoles = "aws.associatedRoles"

// roles returns roles of features by their names.
func roles(featureAndName ...string) (list []v1alpha1.AssociatedRole) {
	for i := 0; i < len(featureAndName); i += 2 {
		list = append(list, v1alpha1.AssociatedRole{FeatureName: featureAndName[i], RoleARN: "arn:aws:iam::111111111111:role/" + featureAndName[i+1]})
	}
	return list
}

// AWSDatabase returns a server of RDS in a region.
func AWSDatabase(region string) Kind[v1alpha1.DatabaseParameters] {
	return Kind[v1alpha1.DatabaseParameters]{
		Full: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{
				Location:     new(region),
				Network:      &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)},
				Availability: new(v1alpha1.AvailabilitySingleZone),
				Engine:       new(v1alpha1.EnginePostgres),
				Version:      new("16.4"),
				Storage:      &v1alpha1.DatabaseStorage{SizeGiB: new(int32(400)), MaxSizeGiB: new(int32(1000))},
				Encryption:   &v1alpha1.Encryption{Key: new("arn:aws:kms:" + region + ":111111111111:key/0b3c1a5e-1111-2222-3333-444455556666")},
				DatabaseName: new("orders"),
				Backup:       &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7)), StartTime: new("03:00")},
				Maintenance: &v1alpha1.DatabaseMaintenance{
					Window:        &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("05:00")},
					MinorUpgrades: new(v1alpha1.MinorUpgradesAutomatic),
				},
				IAMAuthentication:  new(true),
				Insights:           new(true),
				PowerState:         new(v1alpha1.PowerStateRunning),
				DeletionProtection: new(false),
				Tags:               map[string]v1alpha1.TagValue{"team": "shop", "stage": "test"},
				Parameters:         map[string]v1alpha1.ParameterValue{"max_connections": "50", "work_mem": "8192"},
				TLS:                new(v1alpha1.TLSRequired),
				AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro"), CopyTagsToSnapshot: new(true),
					CACertificateIdentifier: new("rds-ca-rsa2048-g1"), StorageType: new("gp3"), IOPS: new(int32(13000)), ThroughputMiBps: new(int32(600)),
					DBSubnetGroupName: new("spare"), NetworkType: new("IPV4"), AvailabilityZone: new(region + "b"), Port: new(int32(5433)), VPCSecurityGroupIDs: []string{"sg-0a1b2c3d4e5f60720", "sg-0a1b2c3d4e5f60719"},
					CloudwatchLogsExports: []string{"postgresql", "iam-db-auth-error"}, EngineLifecycleSupport: new("open-source-rds-extended-support"), DatabaseInsightsMode: new("standard"), DedicatedLogVolume: new(false),
					PerformanceInsights: &v1alpha1.PerformanceInsights{RetentionDays: new(int32(31)), Key: new("arn:aws:kms:" + region + ":111111111111:key/0b3c1a5e-1111-2222-3333-444455556666")},
					Monitoring:          &v1alpha1.EnhancedMonitoring{IntervalSeconds: new(int32(60)), RoleARN: new("arn:aws:iam::111111111111:role/rds-monitoring-role")},
					AssociatedRoles:     roles("s3Export", "shop-exports", "s3Import", "shop-imports")},
			}
		},
		Fields: []drivertest.Field{
			{Name: "aws.instanceClass", To: "db.t4g.small", Effect: driver.Restarts},
			{Name: "network.publicAccess", To: "Allowed", Safe: "Blocked"},
			{Name: "aws.copyTagsToSnapshot", To: false},
			{Name: "aws.cloudwatchLogsExports", To: []string{"iam-db-auth-error"}},
			{Name: "aws.engineLifecycleSupport", To: "open-source-rds-extended-support-disabled"},
			{Name: "aws.iops", To: 14000, Follows: map[string]string{"aws.storageType": "each type of disk has a number of its own"}, Stuck: "the spec says nothing of the type of the disk, and somebody gave it one that has no choice"},
			{Name: "aws.throughputMiBps", To: 700, Follows: map[string]string{"aws.storageType": "likewise"}, Stuck: "likewise"},
			{Name: "aws.storageType", To: "gp2", Given: map[string]any{"aws.iops": nil, "aws.throughputMiBps": nil}},
			{Name: "aws.dedicatedLogVolume", To: true, Effect: driver.Restarts, Given: map[string]any{"aws.storageType": "io1", "aws.throughputMiBps": nil},
				NoDrift: "it needs another type of disk than the others drift to"},
			{Name: "aws.caCertificateIdentifier", To: "rds-ca-ecc384-g1", Effect: driver.Restarts},
			{Name: "aws.dbSubnetGroupName", To: "pay", Effect: driver.Restarts, Along: map[string]any{"aws.vpcSecurityGroupIDs": []string{"sg-0c1b2c3d4e5f60719"}},
				NoDrift: "a move to another VPC changes the security groups too", Stuck: "RDS moves a server to another VPC, and not within one"},
			{Name: "aws.port", To: 6543, Effect: driver.Restarts},
			{Name: "aws.networkType", To: "DUAL", Effect: driver.Interrupts, Alone: true},
			{Name: "aws.dbParameterGroupName", To: "pay", Then: driver.Restarts, Worst: true, Follows: map[string]string{
				"parameters": "they need a group of ours", "tls": "it is a parameter", "version": "each major version has groups of its own"},
				Given: map[string]any{"aws.dbParameterGroupName": "spare", "parameters": nil, "tls": nil}}, // it excludes parameters
			{Name: "aws.optionGroupName", To: "audit-queries", Given: map[string]any{ // PostgreSQL, which the others are tried with, has none
				"aws.optionGroupName": "audit", "engine": "mysql", "version": "8.4", "aws.instanceClass": "db.t4g.medium", "aws.cloudwatchLogsExports": nil,
				"parameters": nil, "tls": nil, fieldRoles: nil,
			}},
			{Name: "parameters", To: map[string]string{"max_connections": "60", "work_mem": "4096"}, Effect: driver.Restarts, Worst: true, Writes: 2,
				ReadWith: []string{"tls"}, Follows: map[string]string{"tls": "it is a parameter", "aws.dbParameterGroupName": "it has others"},
				First: drivertest.First{Writes: 3, Follow: []string{"parameters", "tls"}}}, // the first ones make the group, and attach it
			{Name: "tls", To: "Optional", DriftEffect: driver.Interrupts, Worst: true, ReadWith: []string{"parameters"},
				Follows: map[string]string{"aws.dbParameterGroupName": "it has another value", "version": "each major version has a default of its own"}},
			{Name: "aws.vpcSecurityGroupIDs", To: []string{"sg-0a1b2c3d4e5f60719", "sg-0a1b2c3d4e5f60720", "sg-0a1b2c3d4e5f60721"}, DriftEffect: driver.Interrupts,
				NoEmpty: "a server in a VPC has a security group", Follows: map[string]string{"aws.dbSubnetGroupName": "another VPC has other groups"}},
			{Name: "version", To: "16.8", Effect: driver.Restarts, Dependents: []string{"parameters", "tls"}, NoDrift: "RDS knows no way back, and a newer minor version is the same", Means: newer(v1alpha1.EnginePostgres)},
			{Name: "storage.sizeGiB", To: 500, NoDrift: "disks only grow, and a larger one is the same", Same: []any{450}, Means: larger},
			{Name: "storage.maxSizeGiB", To: 300, Drift: 2000, Means: noGrowth, Follows: map[string]string{"storage.sizeGiB": "a disk that does not grow by itself reads as limited to its size"}}, // less than the disk has: it does not grow by itself
			{Name: "availability", To: "MultiZone", Given: map[string]any{"aws.availabilityZone": nil}},
			{Name: "backup.retentionDays", To: 9, DriftEffect: driver.LosesBackups},
			{Name: "backup.startTime", To: "23:45", Same: []any{"03:00"}},
			{Name: "maintenance.window.day", To: "Wednesday"},
			{Name: "maintenance.window.startTime", To: "21:30", Same: []any{"05:00"}},
			{Name: "maintenance.minorUpgrades", To: "Manual", DriftEffect: driver.Restarts},
			{Name: "iamAuthentication", To: false, Effect: driver.Interrupts, DriftEffect: driver.Online},
			{Name: "aws.performanceInsights.retentionDays", To: 62, Follows: map[string]string{"insights": "it ends and begins with them"}, DriftEffect: driver.Irreversible},
			{Name: "aws.performanceInsights.key", To: "0b3c1a5e-7777-2222-3333-444455556666", Effect: driver.Impossible},
			{Name: "aws.databaseInsightsMode", To: "advanced", Given: map[string]any{"aws.performanceInsights.retentionDays": 465}, NoDrift: "it needs the days that others drift to"},
			{Name: "aws.monitoring.intervalSeconds", To: 15},
			{Name: "aws.monitoring.roleARN", To: "arn:aws:iam::111111111111:role/shop-monitoring", With: "aws.monitoring.intervalSeconds"},
			{Name: fieldRoles, Effect: driver.Interrupts, To: roles("Lambda", "shop-functions", "s3Import", "shop-everything"), Same: []any{roles("s3Import", "shop-imports", "s3Export", "shop-exports")},
				Member: func(r map[string]any) string { return r["featureName"].(string) }, Writes: 4, Later: true},
			{Name: "insights", To: false, Given: map[string]any{"aws.performanceInsights": nil}},
			{Name: "deletionProtection", To: true},
			{Name: "powerState", To: "Stopped", Effect: driver.Interrupts, DriftEffect: driver.Online, Later: true, Alone: true, Stuck: stuckWhileStopped},
			{Name: "tags", To: map[string]string{"CostCenter": "A b:c", "team": "Team Shop", "stage": "test"}},
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "engine", To: "mysql", Effect: driver.Impossible, Given: map[string]any{fieldRoles: nil}},
			{Name: "databaseName", To: "others", Effect: driver.Impossible},
			{Name: "encryption.key", To: "0b3c1a5e-7777-2222-3333-444455556666", Effect: driver.Impossible},
			{Name: "aws.availabilityZone", To: region + "c", Effect: driver.Impossible, Means: moved},
		},
		More: []Step{
			{Field: "version", To: "17", Effect: driver.Irreversible},
			{Field: "aws.storageType", From: "io1", To: "gp3", Effect: driver.Interrupts},
			{Field: "aws.vpcSecurityGroupIDs", To: []string{"sg-0a1b2c3d4e5f60719"}, Effect: driver.Interrupts},
			{Field: "version", To: "15", Effect: driver.Impossible},
			{Field: "backup.retentionDays", To: 0, Effect: driver.LosesBackups},
			{Field: "backup.retentionDays", To: 3, Effect: driver.LosesBackups},
			{Field: "backup.retentionDays", From: 0, To: 7, Effect: driver.Interrupts},
			{Field: "maintenance.minorUpgrades", From: "Manual", To: "Automatic", Effect: driver.Restarts},
			{Field: "iamAuthentication", From: false, To: true, Effect: driver.Online},
			{Field: "aws.monitoring.intervalSeconds", To: 0, Effect: driver.Online},
			{Field: "powerState", From: "Stopped", To: "Running", Effect: driver.Online},
			{Field: "aws.performanceInsights.retentionDays", To: 7, Effect: driver.Irreversible},
			{Field: "tls", From: "Optional", To: "Required", Effect: driver.Interrupts},
		},
	}
}

// GCPDatabase returns a server of Cloud SQL in a location.
func GCPDatabase(location string) Kind[v1alpha1.DatabaseParameters] {
	return Kind[v1alpha1.DatabaseParameters]{
		Full: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{
				Location: new(location), Engine: new(v1alpha1.EnginePostgres), Version: new("16.4"),
				Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50)), MaxSizeGiB: new(int32(200))}, DatabaseName: new("orders"),
				Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7)), StartTime: new("03:00"), PointInTimeRecovery: new(true)}, DeletionProtection: new(false),
				Encryption:   &v1alpha1.Encryption{Key: new("projects/p/locations/" + location + "/keyRings/r/cryptoKeys/orders")},
				Availability: new(v1alpha1.AvailabilityMultiZone),
				Network:      &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessAllowed), AllowedCIDRs: []string{"203.0.113.0/24", "198.51.100.7/32"}},
				Maintenance:  &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("05:00")}},
				Tags:         map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
				Parameters:   map[string]v1alpha1.ParameterValue{"max_worker_processes": "8", "work_mem": "4096"},
				TLS:          new(v1alpha1.TLSRequired), IAMAuthentication: new(false), Insights: new(true), PowerState: new(v1alpha1.PowerStateRunning),
				GCP: &v1alpha1.DatabaseGCP{
					Tier: new("db-custom-N4-2-8192"), Edition: new("ENTERPRISE"), DataCache: new(false), MaintenanceTrack: new("stable"), Zone: new(location + "-b"), SecondaryZone: new(location + "-c"), DataDiskType: new("HYPERDISK_BALANCED"), IOPS: new(int32(3500)), ThroughputMiBps: new(int32(150)),
					ConnectorEnforcement: new("REQUIRED"), PrivateNetwork: new(gcpNetworks + "shop"), AllocatedIPRange: new("shop-range"), ServerCAMode: new("GOOGLE_MANAGED_INTERNAL_CA"), SSLMode: new("ENCRYPTED_ONLY"), RetainBackupsOnDelete: new(true),
					Insights: &v1alpha1.QueryInsights{QueryStringLength: new(int32(1024)), QueryPlansPerMinute: new(int32(5)), RecordApplicationTags: new(true), RecordClientAddress: new(false)},
					PasswordValidationPolicy: &v1alpha1.PasswordValidationPolicy{Enabled: new(true), MinLength: new(int32(8)), Complexity: new("COMPLEXITY_UNSPECIFIED"),
						ReuseInterval: new(int32(0)), DisallowUsernameSubstring: new(true), PasswordChangeIntervalSeconds: new(int32(0))},
					PSCConfig: &v1alpha1.PSCConfig{Enabled: new(true), AllowedConsumerProjects: []string{"shop-cluster", "123456789012"},
						AutoConnectionNetworks: []string{gcpNetworks + "shop", gcpNetworks + "network"}, NetworkAttachmentURI: new("projects/network-host/regions/" + location + "/networkAttachments/shop")},
					ConnectionPool:        &v1alpha1.ConnectionPool{Enabled: new(false)},
					DenyMaintenancePeriod: &v1alpha1.DenyMaintenancePeriod{StartDate: new("11-20"), EndDate: new("01-05"), Time: new("00:00")},
				},
			}
		},
		Fields: []drivertest.Field{
			{Name: "location", To: "europe-west1", Effect: driver.Impossible},
			{Name: "engine", To: "mysql", Effect: driver.Impossible},
			{Name: "version", To: "17", Effect: driver.Irreversible, Checked: true, NoDrift: "a newer version is no drift within a major version, and can't be taken back beyond it", Means: newer(v1alpha1.EnginePostgres)},
			{Name: "storage.sizeGiB", To: 100, Same: []any{80}, NoDrift: "disks never shrink", Means: larger},
			{Name: "storage.maxSizeGiB", To: 50, Drift: 300},
			{Name: "encryption.key", To: "projects/p/locations/" + location + "/keyRings/r/cryptoKeys/bills", Effect: driver.Impossible},
			{Name: "databaseName", To: "bills", Effect: driver.Impossible, Later: true},
			{Name: "network.allowedCIDRs", To: []string{"192.0.2.0/28", "203.0.113.0/24"}, Safe: []string{}, Same: []any{[]string{"198.51.100.7", "203.0.113.0/24"}}},
			{Name: "gcp.privateNetwork", To: gcpNetworks + "pay", Effect: driver.Restarts, Same: []any{"https://www.googleapis.com/compute/v1/" + gcpNetworks + "shop"},
				Given: map[string]any{"gcp.allocatedIPRange": nil}},
			{Name: "gcp.allocatedIPRange", To: "pay-range", Effect: driver.Impossible},
			{Name: "gcp.serverCAMode", To: "GOOGLE_MANAGED_CAS_CA", Effect: driver.Impossible},
			{Name: "network.publicAccess", To: "Blocked", Safe: "Blocked", Effect: driver.Interrupts, DriftEffect: driver.Online,
				Given: map[string]any{"network.allowedCIDRs": nil, "gcp.privateNetwork": gcpNetworks + "shop"}},
			{Name: "availability", To: "SingleZone", Effect: driver.Restarts, Given: map[string]any{"gcp.secondaryZone": nil}},
			{Name: "backup.retentionDays", To: 0, Effect: driver.LosesBackups, Drift: 14, Stuck: "a server that has two zones and whose spec says nothing of it keeps them, and its backups",
				Given: map[string]any{"gcp.secondaryZone": nil, "availability": "SingleZone", "backup.pointInTimeRecovery": nil}},
			{Name: "backup.pointInTimeRecovery", To: false, Effect: driver.LosesBackups, DriftEffect: driver.Restarts, Given: map[string]any{"gcp.secondaryZone": nil, "availability": "SingleZone"}},
			{Name: "backup.startTime", To: "23:45"},
			{Name: "maintenance.window.day", To: "Monday", Dependents: []string{"gcp.maintenanceTrack"}, Together: []string{"maintenance.window.startTime"}},
			{Name: "maintenance.window.startTime", To: "00:00", Dependents: []string{"gcp.maintenanceTrack"}, Together: []string{"maintenance.window.day"}},
			{Name: "iamAuthentication", To: true, Effect: driver.Restarts, Worst: true}, // as long as nobody has read the list of flags
			{Name: "insights", To: false},
			{Name: "gcp.insights.queryStringLength", To: 2048, Effect: driver.Restarts},
			{Name: "gcp.insights.queryPlansPerMinute", To: 0},
			{Name: "gcp.insights.recordApplicationTags", To: false},
			{Name: "gcp.insights.recordClientAddress", To: true},
			{Name: "deletionProtection", To: true},
			{Name: "powerState", To: "Stopped", Effect: driver.Interrupts, DriftEffect: driver.Online, Later: true, Alone: true, Stuck: stuckWhileStopped},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
			{Name: "parameters", To: map[string]string{"max_worker_processes": "9", "work_mem": "8192"}, Follows: map[string]string{"iamAuthentication": "it is a flag"}, Effect: driver.Restarts, Worst: true},
			{Name: "tls", To: "Optional", DriftEffect: driver.Interrupts, Same: []any{"Required"}, Follows: map[string]string{"gcp.sslMode": "it says the same"}, Given: map[string]any{"gcp.sslMode": nil},
				NoDrift: "a drift of gcp.sslMode is one of tls too"},
			{Name: "gcp.tier", To: "db-c4a-highmem-4", Drift: "db-custom-N4-4-16384", Effect: driver.Restarts, Given: map[string]any{"gcp.edition": nil}},
			{Name: "gcp.edition", To: "ENTERPRISE_PLUS", Follows: map[string]string{"gcp.tier": "each edition has tiers of its own"}, Effect: driver.Restarts, Along: map[string]any{"gcp.tier": "db-c4a-highmem-4"}, NoDrift: "an edition changes together with the tier"},
			{Name: "gcp.dataCache", To: true, Follows: map[string]string{"gcp.tier": "Enterprise has no data cache, and Enterprise Plus one by default", "gcp.edition": "likewise"}, Effect: driver.Restarts, Given: map[string]any{"gcp.edition": nil, "gcp.tier": "db-perf-optimized-N-2", "gcp.dataDiskType": nil, "gcp.iops": nil, "gcp.throughputMiBps": nil},
				NoDrift: "the server of all fields is in Enterprise, which has no data cache: TestDataCacheGoesWithEdition lets one drift"},
			{Name: "gcp.pscConfig.enabled", To: false, Effect: driver.Impossible, Dependents: []string{
				"gcp.pscConfig.allowedConsumerProjects", "gcp.pscConfig.autoConnectionNetworks", "gcp.pscConfig.networkAttachmentURI"},
				Given: map[string]any{"gcp.pscConfig.allowedConsumerProjects": nil, "gcp.pscConfig.autoConnectionNetworks": nil, "gcp.pscConfig.networkAttachmentURI": nil}},
			{Name: "gcp.pscConfig.allowedConsumerProjects", To: []string{"pay-cluster", "shop-cluster"}, Effect: driver.Interrupts, Alone: true},
			{Name: "gcp.pscConfig.autoConnectionNetworks", To: []string{gcpNetworks + "pay"}, Effect: driver.Interrupts, Alone: true,
				Same: []any{[]string{"https://www.googleapis.com/compute/v1/" + gcpNetworks + "shop", gcpNetworks + "network"}}},
			{Name: "gcp.pscConfig.networkAttachmentURI", To: "projects/network-host/regions/" + location + "/networkAttachments/pay", Effect: driver.Restarts, Alone: true},
			{Name: "gcp.connectionPool.enabled", To: true, Effect: driver.Restarts, Alone: true, Given: map[string]any{"gcp.edition": "ENTERPRISE_PLUS", "gcp.tier": "db-c4a-highmem-4"},
				Stuck: "Cloud SQL has no connection pools in Enterprise, and a server whose spec says nothing of its edition stays there"},
			{Name: "gcp.connectionPool.flags", NamedBy: "gcp.connectionPool.enabled", To: map[string]string{"max_pool_size": "60", "max_client_connections": "4000"}, Effect: driver.Interrupts, Alone: true,
				Given: map[string]any{"gcp.connectionPool.flags": map[string]string{"max_pool_size": "50", "min_pool_size": "5"}, "gcp.connectionPool.enabled": true,
					"gcp.edition": "ENTERPRISE_PLUS", "gcp.tier": "db-c4a-highmem-4"}},
			{Name: "gcp.maintenanceTrack", To: "week5"},
			{Name: "gcp.denyMaintenancePeriod.startDate", To: "11-01", Same: []any{"0000-11-20"}, Dependents: []string{"gcp.denyMaintenancePeriod.time"}, Together: []string{"gcp.denyMaintenancePeriod.endDate"}},
			{Name: "gcp.denyMaintenancePeriod.endDate", To: "12-24", Same: []any{"1-5"}, Dependents: []string{"gcp.denyMaintenancePeriod.time"}, Together: []string{"gcp.denyMaintenancePeriod.startDate"}},
			{Name: "gcp.denyMaintenancePeriod.time", To: "05:30", Follows: map[string]string{"gcp.denyMaintenancePeriod.startDate": "a period has a time", "gcp.denyMaintenancePeriod.endDate": "likewise"}},
			{Name: "gcp.passwordValidationPolicy.enabled", To: false, Follows: wholePolicy, Dependents: []string{
				"gcp.passwordValidationPolicy.minLength", "gcp.passwordValidationPolicy.complexity", "gcp.passwordValidationPolicy.reuseInterval",
				"gcp.passwordValidationPolicy.disallowUsernameSubstring", "gcp.passwordValidationPolicy.passwordChangeIntervalSeconds",
			}},
			{Name: "gcp.passwordValidationPolicy.minLength", To: 0, Drift: 12, Follows: wholePolicy},
			{Name: "gcp.passwordValidationPolicy.complexity", To: "COMPLEXITY_DEFAULT", Follows: wholePolicy},
			{Name: "gcp.passwordValidationPolicy.reuseInterval", To: 5, Follows: wholePolicy},
			{Name: "gcp.passwordValidationPolicy.disallowUsernameSubstring", To: false, Follows: wholePolicy},
			{Name: "gcp.passwordValidationPolicy.passwordChangeIntervalSeconds", To: 3600, Follows: wholePolicy},
			{Name: "gcp.zone", To: location + "-d", Effect: driver.Restarts, Same: []any{location + "-c"}},
			{Name: "gcp.secondaryZone", To: location + "-f", Follows: map[string]string{"availability": "a server in one zone has none"}, Effect: driver.Restarts, Same: []any{location + "-b"}},
			{Name: "gcp.dataDiskType", To: "PD_SSD", Effect: driver.Impossible},
			{Name: "gcp.iops", To: 4000},
			{Name: "gcp.throughputMiBps", To: 200},
			{Name: "gcp.connectorEnforcement", To: "NOT_REQUIRED", DriftEffect: driver.Interrupts},
			{Name: "gcp.retainBackupsOnDelete", To: false},
			{Name: "gcp.sslMode", To: "TRUSTED_CLIENT_CERTIFICATE_REQUIRED", Follows: map[string]string{"tls": "it says the same"}, Effect: driver.Interrupts, DriftEffect: driver.Online},
		},
		More: []Step{
			{Field: "version", To: "15", Effect: driver.Impossible},
			{Field: "availability", From: "SingleZone", To: "MultiZone", Effect: driver.Restarts},
			{Field: "backup.pointInTimeRecovery", From: false, To: true, Effect: driver.Restarts},
			{Field: "backup.retentionDays", To: 14, Effect: driver.Online},
			{Field: "backup.retentionDays", To: 3, Effect: driver.LosesBackups},
			{Field: "gcp.connectorEnforcement", From: "NOT_REQUIRED", To: "REQUIRED", Effect: driver.Interrupts},
			{Field: "gcp.pscConfig.allowedConsumerProjects", To: []string{"123456789012", "pay-cluster", "shop-cluster"}, Effect: driver.Online},
			{Field: "gcp.pscConfig.autoConnectionNetworks", To: []string{gcpNetworks + "network", gcpNetworks + "pay", gcpNetworks + "shop"}, Effect: driver.Online},
			{Field: "tls", From: "Optional", To: "Required", Effect: driver.Interrupts},
			{Field: "network.publicAccess", From: "Blocked", To: "Allowed", Effect: driver.Online, Given: map[string]any{"network.allowedCIDRs": nil}},
			{Field: "gcp.sslMode", To: "ALLOW_UNENCRYPTED_AND_ENCRYPTED", Effect: driver.Online},
			{Field: "powerState", From: "Stopped", To: "Running", Effect: driver.Online},
		},
	}
}
