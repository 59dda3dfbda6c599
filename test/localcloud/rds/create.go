package rds

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

func orElse[T any](p *T, standard T) *T {
	if p == nil {
		return &standard
	}
	return p
}

func (c *call) createInstance(in *rds.CreateDBInstanceInput) (any, error) {
	if err := c.checkCreate(in); err != nil {
		return nil, err
	}
	key := c.key(*in.DBInstanceIdentifier)
	made, err := c.newInstance(key, in)
	if err != nil {
		return nil, err
	}
	if err := c.checkRoom(key, made); err != nil {
		return nil, err
	}
	spec := engine.Spec{
		ID: *made.db.DbiResourceId, Engine: *in.Engine, Username: *in.MasterUsername,
		Password: aws.ToString(in.MasterUserPassword), Database: aws.ToString(in.DBName),
		StandardPort: true, Port: int(aws.ToInt32(in.Port)),
	}
	if aws.ToBool(in.ManageMasterUserPassword) {
		if err := c.beginManaging(made, in.MasterUserSecretKmsKeyId); err != nil {
			return nil, err
		}
		spec.Password = made.secret.next
	}
	// Until it is there, an instance shows its master password as a pending change.
	made.db.PendingModifiedValues.MasterUserPassword = aws.String("****")
	c.make(key, made, spec)
	answered := made.db
	answered.AvailabilityZone = in.AvailabilityZone // RDS chooses one later
	return &rds.CreateDBInstanceOutput{DBInstance: &answered}, nil
}

// checkRoom refuses an instance whose name is taken, or that is too much for the account or for AWS.
func (c *call) checkRoom(key Key, made *Instance) error {
	if c.instances[key].Read(false) != nil {
		return amazon.Err(http.StatusBadRequest, "DBInstanceAlreadyExists", "DB instance already exists")
	}
	return cmp.Or(c.checkQuota(true, *made.db.AllocatedStorage), c.checkCapacity(made.db.DBInstanceClass))
}

// make begins the creation of an instance.
func (c *call) make(key Key, made *Instance, spec engine.Spec) {
	var job *engine.Job
	if !c.failLate {
		made.backups.log = c.newLog(&made.db)
		spec.Log, spec.Parameters = made.backups.log, c.parametersOf(key, made)
		job = c.begin(func() (*engine.Engine, error) { return c.cloud.Engines.Start(spec) })
	}
	creation := c.cloud.Options.Durations.Create
	if aws.ToInt32(made.db.BackupRetentionPeriod) > 0 {
		creation -= backupShare(c.cloud.Options.Durations)
	}
	made.retake, made.resume, made.restart = c.retaker(key), c.cloud.Engines.Resume, c.cloud.Engines.Restart
	made.enter(creating, "creating", c.now.Add(creation), job, c.failLate)
	made.end = c.endOfCreation(made)
	c.store(key, made)
}

// checkCreate checks what does not depend on other instances.
func (c *call) checkCreate(in *rds.CreateDBInstanceInput) error {
	for name, value := range map[string]*string{
		"DBInstanceIdentifier": in.DBInstanceIdentifier, "Engine": in.Engine, "DBInstanceClass": in.DBInstanceClass,
	} {
		if aws.ToString(value) == "" {
			return amazon.Err(http.StatusBadRequest, "MissingParameter", "The request must contain the parameter "+name)
		}
	}
	managed := aws.ToBool(in.ManageMasterUserPassword)
	if in.AllocatedStorage == nil || in.MasterUsername == nil || in.MasterUserPassword == nil && !managed {
		return invalidValue("AllocatedStorage, MasterUsername and MasterUserPassword must be provided")
	}
	if _, ok := Versions[*in.Engine]; !ok {
		return invalidValue("Invalid DB engine: %s", *in.Engine)
	}
	return c.checkNew(in, validUsername(*in.Engine, *in.MasterUsername),
		validManagement(in.ManageMasterUserPassword, in.MasterUserPassword, in.MasterUserSecretKmsKeyId))
}

// checkNew checks what a creation and a restore have in common, beside other checks.
func (c *call) checkNew(in *rds.CreateDBInstanceInput, checks ...error) error {
	checks = append([]error{
		validIdentifier("DBInstanceIdentifier", *in.DBInstanceIdentifier, 63),
		validClass(*in.DBInstanceClass),
	}, append(checks,
		validRDSTags(in.Tags),
		validRetention(in.BackupRetentionPeriod),
		validPort(in.Port),
		validCertificate(in.CACertificateIdentifier),
		validLogs(*in.Engine, aws.ToString(in.EngineVersion), in.EnableCloudwatchLogsExports...),
		checkParameters(*in.Engine, in),
	)...)
	if in.MasterUserPassword != nil {
		checks = append(checks, validPassword(*in.Engine, *in.MasterUserPassword))
	}
	if in.DBName != nil {
		checks = append(checks, validDBName(*in.Engine, *in.DBName))
	}
	if zone := aws.ToString(in.AvailabilityZone); zone != "" && aws.ToBool(in.MultiAZ) {
		checks = append(checks, invalidCombination("Requesting a specific availability zone is not valid for Multi-AZ instances."))
	} else if zone != "" && !slices.Contains([]string{"a", "b", "c"}, strings.TrimPrefix(zone, c.caller.Region)) {
		checks = append(checks, invalidValue("Availability zone %s is not valid", zone))
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// newInstance makes an instance with all defaults filled in.
func (c *call) newInstance(key Key, in *rds.CreateDBInstanceInput) (*Instance, error) {
	version, err := resolveVersion(*in.Engine, aws.ToString(in.EngineVersion))
	if err != nil {
		return nil, err
	}
	if err := validIAM(*in.Engine, version, in.EnableIAMDatabaseAuthentication); err != nil {
		return nil, err
	}
	disk, err := diskOf(*in.Engine, aws.ToString(in.StorageType), *in.AllocatedStorage, in.Iops, in.StorageThroughput)
	if err != nil {
		return nil, err
	}
	if err := validMaxStorage(in.MaxAllocatedStorage, *in.AllocatedStorage); err != nil {
		return nil, err
	}
	backup, maintenance, err := windowsOfNew(in.PreferredBackupWindow, in.PreferredMaintenanceWindow)
	if err != nil {
		return nil, err
	}
	kms, err := c.kmsARN(in.KmsKeyId, in.StorageEncrypted)
	if err != nil {
		return nil, err
	}
	zone := orElse(in.AvailabilityZone, c.caller.Region+"a")
	sum := sha256.Sum256(fmt.Append(nil, key, c.writes))
	made := &Instance{db: rdstypes.DBInstance{
		ActivityStreamStatus: rdstypes.ActivityStreamStatusStopped, AllocatedStorage: in.AllocatedStorage, AssociatedRoles: []rdstypes.DBInstanceRole{},
		AvailabilityZone:      zone,
		BackupRetentionPeriod: orElse(in.BackupRetentionPeriod, 1), BackupTarget: aws.String("region"),
		CACertificateIdentifier: orElse(in.CACertificateIdentifier, Certificates[0]),
		CustomerOwnedIpEnabled:  aws.Bool(false), DBInstanceArn: aws.String(c.arn(instanceResource, key.name)), DBInstanceClass: in.DBInstanceClass,
		DBInstanceIdentifier: aws.String(key.name), DBName: in.DBName, DBSecurityGroups: []rdstypes.DBSecurityGroupMembership{},
		DbInstancePort: aws.Int32(0), DbiResourceId: aws.String("db-" + amazon.Base32ID(sum[:], 26)), DedicatedLogVolume: orElse(in.DedicatedLogVolume, false),
		DomainMemberships: []rdstypes.DomainMembership{}, Engine: in.Engine, EngineVersion: aws.String(version),
		IAMDatabaseAuthenticationEnabled: orElse(in.EnableIAMDatabaseAuthentication, false), Iops: disk.iops, KmsKeyId: kms,
		LicenseModel:   aws.String(map[string]string{"postgres": "postgresql-license", "mysql": "general-public-license", "mariadb": "general-public-license"}[*in.Engine]),
		MasterUsername: in.MasterUsername, MaxAllocatedStorage: in.MaxAllocatedStorage,
		MultiAZ: orElse(in.MultiAZ, false), NetworkType: orElse(in.NetworkType, "IPV4"), PendingModifiedValues: &rdstypes.PendingModifiedValues{},
		PreferredBackupWindow: aws.String(backup), PreferredMaintenanceWindow: aws.String(maintenance),
		ReadReplicaDBInstanceIdentifiers: []string{},
		StorageEncrypted:                 orElse(in.StorageEncrypted, false), StorageThroughput: disk.throughput, StorageType: aws.String(disk.kind),
		TagList: append([]rdstypes.Tag{}, in.Tags...),
	}}
	if err := placed(&made.db, *orElse(in.DBSubnetGroupName, "default"), in.VpcSecurityGroupIds); err != nil {
		return nil, err
	}
	made.db.EnabledCloudwatchLogsExports = slices.Sorted(slices.Values(in.EnableCloudwatchLogsExports))
	setParameters(&made.db, in, true)
	if err := c.setInsights(&made.db, rdsInsights{
		in.EnablePerformanceInsights, in.PerformanceInsightsKMSKeyId, in.PerformanceInsightsRetentionPeriod, in.DatabaseInsightsMode,
	}); err != nil {
		return nil, err
	}
	if _, err := c.setMonitoring(&made.db, in.MonitoringInterval, in.MonitoringRoleArn); err != nil {
		return nil, err
	}
	if err := validLogVolume(&made.db, nil); err != nil {
		return nil, err
	}
	if err := validPublicAccess(&made.db); err != nil {
		return nil, err
	}
	if err := validNetworkType(*made.db.NetworkType, *made.db.DBSubnetGroup.DBSubnetGroupName); err != nil {
		return nil, err
	}
	made.nameGroups()
	if name := in.OptionGroupName; name != nil {
		if err := validOptions(*name, *in.Engine, version); err != nil {
			return nil, err
		}
		takeOptions(&made.db, name)
	}
	if in.DBParameterGroupName != nil {
		if err := c.askGroup(made, &rds.ModifyDBInstanceInput{DBParameterGroupName: in.DBParameterGroupName}); err != nil {
			return nil, err
		}
		made.joinGroup(made.groupName(), "in-sync")
	}
	return made, nil
}

// nameGroups gives the instance the default groups of its version. A parameter group that somebody made stays: it was checked when the version
// was asked for.
func (in *Instance) nameGroups() {
	engine, version := *in.db.Engine, *in.db.EngineVersion
	major := MajorVersion(engine, version)
	switch group := in.groupName(); {
	case group == "" || strings.HasPrefix(group, "default."):
		in.joinGroup("default."+engine+major, "in-sync")
	default:
		in.joinGroup(group, "in-sync") // the upgrade restarted the server
	}
	if isDefaultOptions(in.optionGroup()) {
		takeOptions(&in.db, aws.String(defaultOptions(engine, major)))
	}
}
