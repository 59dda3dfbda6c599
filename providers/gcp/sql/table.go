package sql

import (
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// An instance is what was seen of an instance of Cloud SQL.
type instance struct {
	*sqladmin.DatabaseInstance
	// database is the initial database, nil if there is none: it has a call of its own.
	database *string
	// certificates are the authorities to verify the server by, in PEM.
	certificates string
	// op is the operation that the request named.
	op *operation
	// flags are what Cloud SQL has of database flags, by their names; nil if that was not read.
	flags map[string]*sqladmin.Flag
	// deny says which of the periods without maintenance updates is the spec's.
	deny deniedPeriod
}

func (i *instance) engine() v1alpha1.Engine {
	engine, _ := splitVersion(i.DatabaseVersion)
	return engine
}

// instanceParams are the parameters of calls that make or change an instance, named as the calls name them; nil is not sent.
type instanceParams struct {
	Region                                                           string
	Engine                                                           v1alpha1.Engine
	Version, Tier, Edition                                           *string
	AvailabilityType                                                 *string
	DataDiskSizeGb                                                   *int64
	MaxDiskSizeGb                                                    *int64
	DataDiskType                                                     *string
	DataDiskProvisionedIops, DataDiskProvisionedThroughput           *int64
	KmsKeyName                                                       *string
	Zone, SecondaryZone                                              *string
	RetainedBackups                                                  *int64
	PointInTimeRecovery                                              *bool
	BackupStartTime                                                  *string
	MaintenanceDay                                                   *v1alpha1.Weekday
	MaintenanceTime                                                  *string
	MaintenanceTrack                                                 *string
	DenyStartDate, DenyEndDate, DenyTime                             *string
	DataCacheEnabled                                                 *bool
	DeletionProtectionEnabled                                        *bool
	ConnectorEnforcement                                             *string
	SslMode                                                          *string
	Ipv4Enabled                                                      *bool
	AuthorizedNetworks                                               *[]string
	PrivateNetwork, AllocatedIpRange, ServerCaMode                   *string
	RetainBackupsOnDelete                                            *bool
	UserLabels                                                       table.Delta
	ActivationPolicy                                                 *string
	QueryInsightsEnabled, RecordApplicationTags, RecordClientAddress *bool
	QueryStringLength, QueryPlansPerMinute                           *int64
	EnablePasswordPolicy, DisallowUsernameSubstring                  *bool
	MinLength, ReuseInterval                                         *int64
	Complexity, PasswordChangeInterval                               *string
	IAMAuthentication                                                *bool // a flag, too
	DatabaseFlags                                                    table.Delta
	PscEnabled                                                       *bool
	AllowedConsumerProjects, PscAutoConnections                      *[]string
	NetworkAttachmentUri                                             *string
	ConnectionPoolingEnabled                                         *bool
	ConnectionPoolFlags                                              table.Delta
	Database                                                         *string // for databases.insert
}

type databaseParameters = v1alpha1.DatabaseParameters

// fieldDatabase is the initial database, which has calls of its own.
const fieldDatabase = "databaseName"

// fields has the fields of an instance. aws.instanceClass is no field of this cloud.
var fields = slices.Concat(table.Table[databaseParameters, instance, instanceParams]{
	plain("location", "Region", func(i *instance) *string { return resource.Present(strings.ToLower(i.Region)) }).
		Equal(strings.EqualFold, "in any case").
		Immutable("create another Database in the new location and move the data there"),
	plain("engine", "Engine", haveEngine).
		Immutable("create another Database with the new engine and move the data there"),
	plain("version", "Version", haveVersion).
		Equal(func(want, have string) bool { return portable.VersionServes("", want, have) }, "a newer minor version").
		EffectOf(upgradeEffect,
			driver.PossibleEffect{Effect: driver.Restarts, When: "it is a newer minor version of MySQL", Cost: minorCost},
			driver.PossibleEffect{Effect: driver.Irreversible, When: "it is a newer major version", Cost: majorCost},
			driver.PossibleEffect{Effect: driver.Impossible, When: "it is an older version or a minor version of PostgreSQL", Instead: upgradeInstead}),
	table.Field("storage.sizeGiB", wantSize, haveSize,
		func(p *instanceParams, v int32) { size := int64(v); p.DataDiskSizeGb = &size }).
		Equal(func(want, have int32) bool { return have >= want }, "a larger disk: disks grow by themselves, and never shrink"),
	maxSizeRow,
	// https://cloud.google.com/sql/docs/postgres/cmek#restrictions
	table.Field("encryption.key", portable.WantedDiskKey, haveDiskKey,
		func(p *instanceParams, v string) { p.KmsKeyName = &v }).
		Immutable("create another Database with the key and move the data there").
		Refers(driver.ReferenceKey),
	table.Field("availability",
		func(p *databaseParameters) *v1alpha1.Availability { return p.Availability },
		haveAvailability,
		func(p *instanceParams, v v1alpha1.Availability) { p.AvailabilityType = availabilityType(v) }).
		Equal(func(want, have v1alpha1.Availability) bool { return want == have }, "other zones after a failover").
		EffectOf(func(*v1alpha1.Availability, v1alpha1.Availability, *instance) (driver.Effect, string) {
			return driver.Restarts, "Cloud SQL restarts the server to change its zones"
		}, table.AlwaysRestarts(zonesCost)...),
	table.Field(fieldDatabase,
		func(p *databaseParameters) *string { return p.DatabaseName },
		func(i *instance) *string { return i.database },
		func(p *instanceParams, v string) { p.Database = &v }).
		ImmutableOnceSet("put the earlier name back, and make further databases in SQL"),
	table.Field("backup.retentionDays", wantRetention, haveRetention,
		func(p *instanceParams, v int32) { days := int64(v); p.RetainedBackups = &days }).
		EffectOf(retentionEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "the number grows"},
			driver.PossibleEffect{Effect: driver.LosesBackups, When: "the number shrinks: older restore points are deleted, and 0 deletes all automatic backups " +
				"and restarts a MySQL server with a binary log"}),
	table.Field("backup.startTime",
		func(p *databaseParameters) *string {
			if p.Backup == nil {
				return nil
			}
			return p.Backup.StartTime
		},
		func(i *instance) *string { return resource.Present(i.backupConfiguration().StartTime) },
		func(p *instanceParams, v string) { p.BackupStartTime = &v }),
	recoveryRow,
	plain("maintenance.window.day", "MaintenanceDay", func(i *instance) *v1alpha1.Weekday { return i.maintenanceWindow().Day }),
	plain("maintenance.window.startTime", "MaintenanceTime", func(i *instance) *string { return i.maintenanceWindow().StartTime }),
	maintenanceTrackRow,
	parametersRow,
	iamRow,
	powerRow,
	plain("deletionProtection", "DeletionProtectionEnabled", haveProtection),
	table.Entries("tags",
		func(p *databaseParameters) map[string]string { return resource.Labels(p.Tags) },
		func(i *instance) map[string]string { return driver.WithoutMark(i.labels()) },
		func(p *instanceParams, d table.Delta) { p.UserLabels = d }),
	table.Field("gcp.zone", wantZone, haveZone,
		func(p *instanceParams, v zone) { p.Zone = &v.name }).
		Equal(inZone, "the zone of the standby of a server in two zones, which a failover makes the server's").
		EffectOf(zoneEffect, table.AlwaysRestarts(moveCost)...),
	table.Field("gcp.secondaryZone", wantSecondaryZone, haveSecondaryZone,
		func(p *instanceParams, v zone) { p.SecondaryZone = &v.name }).
		Equal(inZone, "the zone of the server, which a failover makes the standby's").
		EffectOf(secondaryZoneEffect, table.AlwaysRestarts(zonesCost)...),
	plain("gcp.connectorEnforcement", "ConnectorEnforcement", haveConnectorEnforcement).
		EffectOf(connectorEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it becomes NOT_REQUIRED"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes REQUIRED: clients that connect without a connector are refused from then on", Cost: connectorCost}),
	tlsRow,
	plain("gcp.sslMode", "SslMode", haveSSLMode).
		EffectOf(sslModeEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "more clients are accepted than before"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "PostgreSQL accepts fewer clients than before: the others are refused at their next connection", Cost: tlsCost},
			driver.PossibleEffect{Effect: driver.Restarts, When: "MySQL accepts fewer clients than before", Cost: strictTLSCost}),
	// https://cloud.google.com/sql/docs/postgres/backup-recovery/backups#retained-backups
	plain("gcp.retainBackupsOnDelete", "RetainBackupsOnDelete", func(i *instance) *bool { return new(i.settings().RetainBackupsOnDelete) }),
}, denyRows, editionRows, diskRows, networkRows, insightsRows, policyRows, pscRows, poolRows)

// plain makes the row of a setting that the spec has at the path of its name, and a call in the parameter of that name.
func plain[V comparable](name, param string, have func(*instance) *V) *table.Scalar[databaseParameters, instance, instanceParams, V] {
	return table.Plain[databaseParameters, instanceParams](name, param, have)
}

// haveEngine returns the engine. One that no spec can ask for has Cloud SQL's own name: sqlserver.
func haveEngine(i *instance) *v1alpha1.Engine {
	if engine := i.engine(); engine != "" {
		return &engine
	}
	name, _, _ := strings.Cut(strings.ToLower(i.DatabaseVersion), "_")
	return resource.Present(v1alpha1.Engine(name))
}

func (i *instance) settings() *sqladmin.Settings {
	if i.Settings == nil {
		return &sqladmin.Settings{}
	}
	return i.Settings
}

func (i *instance) labels() map[string]string { return i.settings().UserLabels }

// haveVersion prefers what is installed, which names the minor version. While a major upgrade
// is under way it is the old one; the operation says that.
func haveVersion(i *instance) *string {
	for _, name := range []string{i.DatabaseInstalledVersion, i.DatabaseVersion} {
		if _, version := splitVersion(name); version != "" {
			return &version
		}
	}
	return nil
}

func wantSize(p *databaseParameters) *int32 {
	if p.Storage == nil {
		return nil
	}
	return p.Storage.SizeGiB
}

func haveSize(i *instance) *int32 { return resource.Present(int32(i.settings().DataDiskSizeGb)) }

func wantRetention(p *databaseParameters) *int32 {
	if p.Backup == nil {
		return nil
	}
	return p.Backup.RetentionDays
}

func haveProtection(i *instance) *bool {
	v := i.settings().DeletionProtectionEnabled
	return &v
}

// gcpOf returns what the spec says of Cloud SQL alone.
func gcpOf(p *databaseParameters) *v1alpha1.DatabaseGCP {
	if p.GCP == nil {
		return &v1alpha1.DatabaseGCP{}
	}
	return p.GCP
}
