package rds

import (
	"cmp"
	"net/http"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// restoreParameters are what both restores take here. The calls have no master user name, password, encryption, key, engine version, maintenance
// window, monitoring or insights; those of Oracle, SQL Server, Db2, Outposts and directories are not served.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceToPointInTime.html
var restoreParameters = withParameters(
	"Engine", "DBInstanceClass", "AllocatedStorage", "StorageType", "Iops", "StorageThroughput", "DBName", "LicenseModel",
	"ManageMasterUserPassword", "MasterUserSecretKmsKeyId", "BackupRetentionPeriod", "PreferredBackupWindow", "MultiAZ", "AvailabilityZone", "CACertificateIdentifier",
	"EnableIAMDatabaseAuthentication", "DedicatedLogVolume", "EnableCloudwatchLogsExports", "DBSubnetGroupName", "VpcSecurityGroupIds", "NetworkType", "Port",
	"DBParameterGroupName", "OptionGroupName", "Tags")

// An rdsOrigin is what a restored instance comes from.
type rdsOrigin struct {
	source *Instance      // as it was
	tags   []rdstypes.Tag // of the new instance, unless the call has others
	most   *int32         // the limit of autoscaling
	spec   engine.Spec    // From, Flush and Until
	failed string         // the status of a restore that fails
}

// restoreFromSnapshot is RestoreDBInstanceFromDBSnapshot: a new instance with the data, the users and the passwords of a snapshot, and with its encryption. "If there are
// no new tags, RDS looks for the tags from the source DB instance for the DB snapshot, and then adds those tags" (CopyTagsToSnapshot): here those that the source had at the
// time. No recording shows the call, nor any refusal. Codes are those of the reference's list of errors; words are ours.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_RestoreFromSnapshot.html
func (c *call) restoreFromSnapshot(in *rds.RestoreDBInstanceFromDBSnapshotInput) (any, error) {
	if aws.ToString(in.DBInstanceIdentifier) == "" {
		return nil, missingParameter("DBInstanceIdentifier")
	}
	if aws.ToString(in.DBSnapshotIdentifier) == "" {
		return nil, invalidCombination("DBSnapshotIdentifier must be specified when DBClusterSnapshotIdentifier isn't specified.")
	}
	name := *in.DBSnapshotIdentifier
	snapshot := c.snapshots[c.ownKey(name, snapshotResource)]
	switch {
	case snapshot == nil:
		return nil, snapshotResource.missing(name)
	case *snapshot.db.Status != "available":
		return nil, amazon.Err(http.StatusBadRequest, "InvalidDBSnapshotState", "The snapshot "+name+" is in the state "+*snapshot.db.Status+", and can't be restored.")
	}
	db, err := c.restore(in, rdsOrigin{source: snapshot.source, tags: snapshot.source.db.TagList, spec: engine.Spec{From: snapshot.copy}, failed: "restore-error"})
	return &rds.RestoreDBInstanceFromDBSnapshotOutput{DBInstance: db}, err
}

// restore begins the creation of an instance with data that were before. One that fails ends in a status of its own, or in the code of the fault that makes it fail:
// incompatible-restore and restore-error are the documented ones.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
func (c *call) restore(in *rds.RestoreDBInstanceFromDBSnapshotInput, from rdsOrigin) (*rdstypes.DBInstance, error) {
	if err := checkRestore(in, &from.source.db); err != nil {
		return nil, err
	}
	asked := asCreation(in, from)
	if err := c.checkNew(asked); err != nil {
		return nil, err
	}
	key := c.key(*in.DBInstanceIdentifier)
	made, err := c.newInstance(key, asked)
	if err != nil {
		return nil, err
	}
	if err := c.checkRoom(key, made); err != nil {
		return nil, err
	}
	made.unmade = cmp.Or(c.injected.Code, from.failed)
	spec := from.spec
	spec.ID, spec.Engine, spec.StandardPort, spec.Port = *made.db.DbiResourceId, *made.db.Engine, true, int(*asked.Port)
	if !c.failLate {
		if spec.Held, err = c.cloud.Engines.Hold(spec.From); err != nil {
			return nil, amazon.Err(http.StatusBadRequest, "InvalidRestoreFault", err.Error())
		}
	}
	c.make(key, made, spec)
	answered := made.db
	answered.AvailabilityZone = in.AvailabilityZone // as at a creation
	return &answered, nil
}

// checkRestore refuses what the data of a source can't become. The reference has the master password in AWS Secrets Manager "for RDS for Oracle only", and no name of a
// database for the engines here. That an engine has to be compatible with the source's it says with an example of versions that are long gone: here it has to be the same.
func checkRestore(in *rds.RestoreDBInstanceFromDBSnapshotInput, of *rdstypes.DBInstance) error {
	switch {
	case in.ManageMasterUserPassword != nil || in.MasterUserSecretKmsKeyId != nil:
		return invalidCombination("ManageMasterUserPassword and MasterUserSecretKmsKeyId apply to a restore of RDS for Oracle only. Modify the DB instance once it is restored.")
	case in.DBName != nil:
		return invalidCombination("DBName doesn't apply to a restore with engine %s.", *of.Engine)
	case in.Engine != nil && *in.Engine != *of.Engine:
		return invalidCombination("The engine %s isn't compatible with the engine of the source, %s.", *in.Engine, *of.Engine)
	case in.LicenseModel != nil && *in.LicenseModel != *of.LicenseModel:
		return invalidCombination("The license model %s isn't valid for engine %s.", *in.LicenseModel, *of.Engine)
	case in.AllocatedStorage != nil && *in.AllocatedStorage < *of.AllocatedStorage:
		return invalidValue("The allocated storage of %d GiB is less than that of the source, %d GiB.", *in.AllocatedStorage, *of.AllocatedStorage)
	}
	return nil
}

// asCreation returns the creation that a restore is, but for its data. What the call does not say is as the reference has it: the class, the port, the days of
// backups ("uses existing setting") and the IOPS of the source; one zone; no deletion protection, no logins by token, no exports; the default parameter group; a backup window
// that RDS chooses. The option group is the source's. Of the maintenance window, minor upgrades, public access and a dedicated log volume the reference says nothing, and they
// are as at a creation; so is the limit of autoscaling, which a restore of a snapshot can't even set. No recording shows any of it.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_RestoreFromSnapshot.html (option groups).
func asCreation(in *rds.RestoreDBInstanceFromDBSnapshotInput, from rdsOrigin) *rds.CreateDBInstanceInput {
	of, asked := &from.source.db, &rds.CreateDBInstanceInput{}
	copySameNames(asked, in)
	asked.Engine, asked.EngineVersion, asked.LicenseModel = of.Engine, of.EngineVersion, of.LicenseModel
	asked.MasterUsername, asked.DBName, asked.MaxAllocatedStorage = of.MasterUsername, of.DBName, from.most
	asked.StorageEncrypted, asked.KmsKeyId = of.StorageEncrypted, of.KmsKeyId
	asked.DBInstanceClass = orElse(in.DBInstanceClass, *of.DBInstanceClass)
	asked.AllocatedStorage = orElse(in.AllocatedStorage, *of.AllocatedStorage)
	asked.BackupRetentionPeriod = orElse(in.BackupRetentionPeriod, *of.BackupRetentionPeriod)
	asked.OptionGroupName = orElse(in.OptionGroupName, from.source.optionGroup())
	asked.Port = orElse(in.Port, *of.Endpoint.Port)
	asked.StorageType, asked.Iops, asked.StorageThroughput = restoredDisk(in, of)
	if len(in.Tags) == 0 {
		asked.Tags = from.tags
	}
	return asked
}

// copySameNames gives to the values of from in fields of the same name and type.
func copySameNames(to, from any) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for i := range source.NumField() {
		field := source.Type().Field(i)
		if same := target.FieldByName(field.Name); field.IsExported() && same.IsValid() && same.Type() == field.Type {
			same.Set(source.Field(i))
		}
	}
}

// restoredDisk is what a restore asks for of a disk. The type is "io1 if the Iops parameter is specified, otherwise gp3", whatever the snapshot's is. IOPS that
// are not specified are "taken from the backup", and 0 asks for none: here they are taken, and the throughput with them, if the type stays and has any to choose.
// No recording shows it. https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html (StorageType, Iops).
func restoredDisk(in *rds.RestoreDBInstanceFromDBSnapshotInput, of *rdstypes.DBInstance) (kind *string, iops, throughput *int32) {
	kind, iops, throughput = in.StorageType, in.Iops, in.StorageThroughput
	if kind == nil {
		kind = aws.String("gp3")
		if aws.ToInt32(iops) > 0 {
			kind = aws.String("io1")
		}
	}
	chosen := strings.HasPrefix(*kind, "io") || *kind == "gp3" && *of.AllocatedStorage >= gp3Threshold
	switch {
	case iops != nil && *iops == 0:
		iops = nil
	case iops == nil && *kind == *of.StorageType && chosen:
		iops = of.Iops
		if *kind == "gp3" && throughput == nil {
			throughput = of.StorageThroughput
		}
	}
	return kind, iops, throughput
}
