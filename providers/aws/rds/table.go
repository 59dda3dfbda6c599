package rds

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

type databaseSpec = v1alpha1.DatabaseParameters

// instanceParams are the values to send, which the table rows fills; nil leaves one alone. They are named as the parameters of the
// calls are, and copied into these by name.
type instanceParams struct {
	Engine, EngineVersion, DBName, DBInstanceClass *string
	AllocatedStorage, BackupRetentionPeriod        *int32
	Iops, StorageThroughput                        *int32
	MaxAllocatedStorage                            *int32
	DeletionProtection, CopyTagsToSnapshot         *bool
	PubliclyAccessible                             *bool
	EnableIAMDatabaseAuthentication                *bool
	EnablePerformanceInsights                      *bool
	PerformanceInsightsRetentionPeriod             *int32
	PerformanceInsightsKMSKeyId                    *string
	DatabaseInsightsMode                           *types.DatabaseInsightsMode
	DedicatedLogVolume                             *bool
	MonitoringInterval                             *int32
	MonitoringRoleArn                              *string
	MultiAZ, AutoMinorVersionUpgrade               *bool
	MaintenanceDay                                 *v1alpha1.Weekday
	MaintenanceTime                                *string
	MasterUserPassword, PreferredBackupWindow      *string
	ManageMasterUserPassword                       *bool
	CACertificateIdentifier, StorageType           *string
	DBParameterGroupName, OptionGroupName          *string
	DBSubnetGroupName, NetworkType                 *string
	AvailabilityZone                               *string
	Port                                           *int32
	KmsKeyId                                       *string
	VpcSecurityGroupIds                            []string
	EngineLifecycleSupport                         *string
	EnableCloudwatchLogsExports                    []string
	PowerState                                     *v1alpha1.PowerState
	AssociatedRoles                                table.Members[v1alpha1.AssociatedRole]
	Parameters, Tags                               table.Delta
	TLS                                            *v1alpha1.TLS
}

// creation and modification are how parameters come into the two calls.
var (
	creation = table.Copier[instanceParams, rds.CreateDBInstanceInput]{
		Call: "CreateDBInstance",
		Converts: map[string]func(*instanceParams, *rds.CreateDBInstanceInput){
			"Tags": func(p *instanceParams, in *rds.CreateDBInstanceInput) { in.Tags = rdsTags(p.Tags.Set) },

			"EnableCloudwatchLogsExports": exportLogs,
		},
		ByHand: byHand,
		Lacks:  map[string]string{"PowerState": "a new server runs", "AssociatedRoles": rolesAfterwards},
	}
	modification = table.Copier[instanceParams, rds.ModifyDBInstanceInput]{
		Call: "ModifyDBInstance",
		Lacks: map[string]string{
			"Engine":   "an instance keeps its engine",
			"KmsKeyId": "an instance keeps its key",

			"AvailabilityZone": "RDS moves no instance to another zone",
			"DBName":           "RDS makes the initial database at creation only",

			"PowerState": "StartDBInstance and StopDBInstance change it",
			"Tags":       "AddTagsToResource and RemoveTagsFromResource change tags",

			"AssociatedRoles": "AddRoleToDBInstance and RemoveRoleFromDBInstance change them",
		},
		Converts: map[string]func(*instanceParams, *rds.ModifyDBInstanceInput){
			"EnableCloudwatchLogsExports": exportOtherLogs,

			"Port": func(p *instanceParams, in *rds.ModifyDBInstanceInput) { in.DBPortNumber = p.Port },
		},
		ByHand: byHand,
	}
)

// rows has a row for each field of an instance. A value that waits in PendingModifiedValues was
// asked for already: it is what have returns, and the mirror still shows the present one. That it waits shows in the
// state: see whileWaiting.
var rows = slices.Concat(table.Table[databaseSpec, instance, instanceParams]{
	table.Field("location",
		func(s *databaseSpec) *string { return s.Location },
		func(i *instance) *string { return arnRegion(i.DBInstanceArn) },
		func(*instanceParams, string) {}, // the connection's region
	).Immutable("create another Database with the new location and move the data"),

	table.Field("engine",
		func(s *databaseSpec) *v1alpha1.Engine { return s.Engine },
		func(i *instance) *v1alpha1.Engine { return (*v1alpha1.Engine)(i.Engine) },
		func(p *instanceParams, v v1alpha1.Engine) { p.Engine = (*string)(&v) },
	).Immutable("create another Database and move the data"),

	versionRow,

	table.Field("storage.sizeGiB",
		func(s *databaseSpec) *int32 {
			if s.Storage == nil {
				return nil
			}
			return s.Storage.SizeGiB
		},
		func(i *instance) *int32 { return pending(i).AllocatedStorage },
		func(p *instanceParams, v int32) { p.AllocatedStorage = &v },
	).Reported(func(i *instance) *int32 { return i.AllocatedStorage }).
		Equal(func(want, have int32) bool { return have >= want }, "a larger disk is the same; growth is at least a tenth"),

	maxSizeRow,
	diskKeyRow,

	table.Field("availability",
		func(s *databaseSpec) *v1alpha1.Availability { return s.Availability },
		func(i *instance) *v1alpha1.Availability { return availability(pending(i).MultiAZ) },
		func(p *instanceParams, v v1alpha1.Availability) {
			p.MultiAZ = aws.Bool(v == v1alpha1.AvailabilityMultiZone)
		},
	).Reported(func(i *instance) *v1alpha1.Availability { return availability(i.MultiAZ) }).
		Equal(func(want, have v1alpha1.Availability) bool { return want == have }, "other zones after a failover"),

	table.Field("databaseName",
		func(s *databaseSpec) *string { return s.DatabaseName },
		initialDatabase,
		func(p *instanceParams, v string) { p.DBName = &v },
	).Immutable("create further databases with SQL"),

	table.Field("backup.retentionDays",
		func(s *databaseSpec) *int32 {
			if s.Backup == nil {
				return nil
			}
			return s.Backup.RetentionDays
		},
		func(i *instance) *int32 { return pending(i).BackupRetentionPeriod },
		func(p *instanceParams, v int32) { p.BackupRetentionPeriod = &v },
	).Reported(func(i *instance) *int32 { return i.BackupRetentionPeriod }).
		EffectOf(retentionEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "the number grows"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it was 0: automatic backups begin", Cost: backupsCost},
			driver.PossibleEffect{Effect: driver.LosesBackups, When: "the number shrinks: older restore points are deleted, " +
				"and 0 deletes all automatic backups, at the same cost as their beginning"}),

	table.Field("backup.startTime",
		func(s *databaseSpec) *string {
			if s.Backup == nil {
				return nil
			}
			return s.Backup.StartTime
		},
		func(i *instance) *string { return windowStart(i.PreferredBackupWindow) },
		func(p *instanceParams, v string) { p.PreferredBackupWindow = aws.String(backupWindow(v)) },
	).Equal(func(want, have string) bool { return want == have }, "a longer window that begins at the same time"),

	windowDayRow,
	windowTimeRow,
	minorUpgradesRow,

	// "Specify ApplyImmediately to apply the change at once", and no outage either way. But logins by token are then refused.
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.Enabling.html
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (IAM DB authentication)
	table.Field("iamAuthentication",
		func(s *databaseSpec) *bool { return s.IAMAuthentication },
		func(i *instance) *bool {
			return aws.Bool(aws.ToBool(pending(i).IAMDatabaseAuthenticationEnabled))
		},
		func(p *instanceParams, v bool) { p.EnableIAMDatabaseAuthentication = &v },
	).Reported(func(i *instance) *bool { return aws.Bool(aws.ToBool(i.IAMDatabaseAuthenticationEnabled)) }).
		EffectOf(iamEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it becomes true, or it takes back a change that has not begun"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes false: " + portable.WhyNoTokens, Cost: noTokensCost}),

	table.Field("deletionProtection",
		func(s *databaseSpec) *bool { return s.DeletionProtection },
		func(i *instance) *bool { return aws.Bool(aws.ToBool(i.DeletionProtection)) },
		func(p *instanceParams, v bool) { p.DeletionProtection = &v },
	),

	powerRow,

	table.Entries("tags",
		func(s *databaseSpec) map[string]string { return session.WantTags(s.Tags) },
		func(i *instance) map[string]string { return session.OwnTags(instanceTags(i)) },
		func(p *instanceParams, d table.Delta) { p.Tags = d },
	),

	table.Field("aws.instanceClass",
		func(s *databaseSpec) *string {
			if s.AWS == nil {
				return nil
			}
			return s.AWS.InstanceClass
		},
		func(i *instance) *string { return pending(i).DBInstanceClass },
		func(p *instanceParams, v string) { p.DBInstanceClass = &v },
	).Reported(func(i *instance) *string { return i.DBInstanceClass }).
		EffectOf(classEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it takes back a change that has not begun"},
			driver.PossibleEffect{Effect: driver.Restarts, When: "the server has another instance class", Cost: classCost}),

	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.html#USER_Tagging.CopyTags
	table.Field("aws.copyTagsToSnapshot",
		func(s *databaseSpec) *bool {
			if s.AWS == nil {
				return nil
			}
			return s.AWS.CopyTagsToSnapshot
		},
		func(i *instance) *bool { return aws.Bool(aws.ToBool(i.CopyTagsToSnapshot)) },
		func(p *instanceParams, v bool) { p.CopyTagsToSnapshot = &v },
	),

	table.Field("aws.caCertificateIdentifier",
		func(s *databaseSpec) *string {
			if s.AWS == nil {
				return nil
			}
			return s.AWS.CACertificateIdentifier
		},
		func(i *instance) *string { return pending(i).CACertificateIdentifier },
		func(p *instanceParams, v string) { p.CACertificateIdentifier = &v },
	).Reported(func(i *instance) *string { return i.CACertificateIdentifier }).
		EffectOf(certificateEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it takes back a change that has not begun"},
			driver.PossibleEffect{Effect: driver.Restarts, When: "the server gets a certificate of another authority; some engine versions do without the restart", Cost: certificateCost}),

	table.Field("aws.storageType",
		func(s *databaseSpec) *string {
			if s.AWS == nil {
				return nil
			}
			return s.AWS.StorageType
		},
		func(i *instance) *string { return pending(i).StorageType },
		func(p *instanceParams, v string) { p.StorageType = &v },
	).Reported(func(i *instance) *string { return i.StorageType }).
		EffectOf(storageTypeEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "the disk was gp2 or gp3, or it takes back a change that has not begun"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "the disk was of another type", Cost: storageTypeCost}),

	iopsRow,
	throughputRow,
	logVolumeRow,

	publicAccessRow,

	table.Field("aws.dbSubnetGroupName",
		func(s *databaseSpec) *string { return awsOf(s).DBSubnetGroupName },
		func(i *instance) *string { return pending(i).DBSubnetGroupName },
		func(p *instanceParams, v string) { p.DBSubnetGroupName = &v },
	).Reported(subnetGroup).
		Equal(strings.EqualFold, "in any case: RDS stores the name in lower case").
		EffectOf(subnetGroupEffect, subnetGroupEffects...).
		Refers(driver.ReferenceSubnetGroup),

	networkTypeRow,
	portRow,

	// RDS puts a new instance into the zone. Later its maintenance may put it into another one, such as with a move to another VPC, or a failover
	// while it has a standby.
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (AvailabilityZone)
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html
	table.Field("aws.availabilityZone",
		func(s *databaseSpec) *string { return awsOf(s).AvailabilityZone },
		func(i *instance) *string { return i.AvailabilityZone },
		func(p *instanceParams, v string) { p.AvailabilityZone = &v },
	).Immutable("create another Database in the zone and move the data").
		AtCreation("another zone that RDS itself gives the server later"),

	parameterGroupRow,
	optionGroupRow,
	parametersRow,
	tlsRow,

	table.Set("aws.vpcSecurityGroupIDs",
		func(s *databaseSpec) []string { return awsOf(s).VPCSecurityGroupIDs },
		securityGroups,
		func(p *instanceParams, v []string) { p.VpcSecurityGroupIds = v },
	).EffectOf(securityGroupEffect, securityGroupEffects...).
		Refers(driver.ReferenceSecurityGroup),

	// RDS makes the change at once and restarts nothing.
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (Log exports)
	table.Set("aws.cloudwatchLogsExports",
		func(s *databaseSpec) []string { return awsOf(s).CloudwatchLogsExports },
		exportedLogs,
		func(p *instanceParams, v []string) { p.EnableCloudwatchLogsExports = v },
	).Reported(func(i *instance) *[]string { return shownLogs(i.EnabledCloudwatchLogsExports) }),

	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support-overview.html
	table.Field("aws.engineLifecycleSupport",
		func(s *databaseSpec) *string { return awsOf(s).EngineLifecycleSupport },
		func(i *instance) *string { return i.EngineLifecycleSupport },
		func(p *instanceParams, v string) { p.EngineLifecycleSupport = &v },
	),

	rolesRow,
}, insightsRows, monitoringRows)

// pending returns the values that an instance has or was asked to take.
func pending(i *instance) types.PendingModifiedValues {
	asked := types.PendingModifiedValues{}
	if i.PendingModifiedValues != nil {
		asked = *i.PendingModifiedValues
	}
	asked.EngineVersion = first(asked.EngineVersion, i.EngineVersion)
	asked.AllocatedStorage = first(asked.AllocatedStorage, i.AllocatedStorage)
	asked.BackupRetentionPeriod = first(asked.BackupRetentionPeriod, i.BackupRetentionPeriod)
	asked.DBInstanceClass = first(asked.DBInstanceClass, i.DBInstanceClass)
	asked.MultiAZ = first(asked.MultiAZ, i.MultiAZ)
	asked.CACertificateIdentifier = first(asked.CACertificateIdentifier, i.CACertificateIdentifier)
	asked.IAMDatabaseAuthenticationEnabled = first(asked.IAMDatabaseAuthenticationEnabled, i.IAMDatabaseAuthenticationEnabled)
	asked.StorageType = first(asked.StorageType, i.StorageType)
	asked.Iops = first(asked.Iops, i.Iops)
	asked.DedicatedLogVolume = first(asked.DedicatedLogVolume, i.DedicatedLogVolume)
	asked.StorageThroughput = first(asked.StorageThroughput, i.StorageThroughput)
	asked.DBSubnetGroupName = first(asked.DBSubnetGroupName, subnetGroup(i))
	asked.Port = first(asked.Port, port(i))
	return asked
}

func first[T any](values ...*T) *T {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// availability returns whether an instance has a standby in a second zone; nil if RDS does not say. In which zones the two are is nothing
// that it depends on: they change places in a failover, which takes one or two minutes.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html
//
// A change is online. To add the standby, RDS makes a snapshot and loads it in the second zone, and until all of it is loaded writes take
// longer. To take the standby away disturbs nobody.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (MultiAZ)
// https://repost.aws/knowledge-center/rds-convert-single-az-multi-az
func availability(multiAZ *bool) *v1alpha1.Availability {
	switch {
	case multiAZ == nil:
		return nil
	case *multiAZ:
		return new(v1alpha1.AvailabilityMultiZone)
	}
	return new(v1alpha1.AvailabilitySingleZone)
}

// initialDatabase returns the database to connect to. PostgreSQL always has one of its own name.
func initialDatabase(i *instance) *string {
	if i.DBName == nil && aws.ToString(i.Engine) == string(v1alpha1.EnginePostgres) {
		return aws.String("postgres")
	}
	return i.DBName
}

func instanceTags(i *instance) map[string]string {
	return tagsOf(i.TagList)
}

// arnRegion returns the region in an ARN: arn:partition:service:region:account:resource.
func arnRegion(arn *string) *string {
	parts := strings.SplitN(aws.ToString(arn), ":", 6)
	if len(parts) < 6 {
		return nil
	}
	return &parts[3]
}

const usernameInstead = "create further users with SQL"

// compareUsername reports an administrator that is not the wanted one. RDS takes the name at creation only, in any case. A login without
// a name wants whoever there is.
func compareUsername(_ context.Context, req *request, have *instance, o *driver.Observation) error {
	present, wanted := aws.ToString(have.MasterUsername), req.Login.Username
	o.Fixed[driver.FieldUsername] = strings.ToLower(present)
	if wanted != "" && !strings.EqualFold(wanted, present) {
		o.Changes = append(o.Changes, driver.Change{
			Field: driver.FieldUsername, From: present, To: wanted, Effect: driver.Impossible, Why: usernameInstead,
		})
	}
	return nil
}
