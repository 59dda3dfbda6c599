package rds

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// afterRestore says when what the call lacks is set.
const afterRestore = "ModifyDBInstance sets it once the instance is there"

// restoration is how parameters come into the call that makes an instance of a snapshot. What it lacks differs when the instance is first observed.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html
var restoration = table.Copier[instanceParams, rds.RestoreDBInstanceFromDBSnapshotInput]{
	Call: "RestoreDBInstanceFromDBSnapshot",
	Converts: map[string]func(*instanceParams, *rds.RestoreDBInstanceFromDBSnapshotInput){
		"Tags": func(p *instanceParams, in *rds.RestoreDBInstanceFromDBSnapshotInput) { in.Tags = rdsTags(p.Tags.Set) },
	},
	ByHand: byHand,
	Lacks: map[string]string{
		"EngineVersion": "the instance has the version of the snapshot",
		"KmsKeyId":      "the instance has the key of the snapshot",
		"DBName":        "the databases are in the snapshot",
		"PowerState":    "a new server runs",

		"AssociatedRoles": rolesAfterwards,

		"MasterUserPassword":                 "the administrator has the password of the snapshot at first",
		"ManageMasterUserPassword":           "RDS takes it at a restore of Oracle only: ModifyDBInstance hands the password over",
		"MaxAllocatedStorage":                afterRestore,
		"EnablePerformanceInsights":          afterRestore,
		"PerformanceInsightsRetentionPeriod": afterRestore,
		"PerformanceInsightsKMSKeyId":        afterRestore,
		"DatabaseInsightsMode":               afterRestore,
		"MonitoringInterval":                 afterRestore,
		"MonitoringRoleArn":                  afterRestore,
	},
}

// recovery is the same for the call that makes an instance of another one as that was at a time.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceToPointInTime.html
var recovery = table.Copier[instanceParams, rds.RestoreDBInstanceToPointInTimeInput]{
	Call: "RestoreDBInstanceToPointInTime",
	Converts: map[string]func(*instanceParams, *rds.RestoreDBInstanceToPointInTimeInput){
		"Tags": func(p *instanceParams, in *rds.RestoreDBInstanceToPointInTimeInput) { in.Tags = rdsTags(p.Tags.Set) },
	},
	ByHand: byHand,
	Lacks:  recoveryLacks(),
}

// recoveryLacks are the parameters that a restore to a point in time lacks: it takes how far the disk may grow, and a restore from a snapshot does not.
func recoveryLacks() map[string]string {
	lacks := maps.Clone(restoration.Lacks)
	delete(lacks, "MaxAllocatedStorage")
	return lacks
}

// A restorer makes instances with the data of others.
type restorer struct{ databases *instances }

// restore makes an instance of a snapshot, or of another instance. Mark, network, parameters and protection come with the call. What nobody declared is as in the snapshot or RDS's
// choice, but for what is safe: it is not to be reached from the Internet.
func (r restorer) restore(ctx context.Context, req *request, params *instanceParams) (result driver.Result, err error) {
	d, least := r.databases, int32(0)
	if req.Restore.Snapshot == "" {
		return r.recover(ctx, req, params)
	}
	if req.Restore.Vanished == "" {
		if err := r.checkSnapshotKey(ctx, req); err != nil {
			return driver.Result{}, err
		}
	} else if least, err = r.left(ctx, req); err != nil {
		return driver.Result{}, err
	}
	in := &rds.RestoreDBInstanceFromDBSnapshotInput{
		DBInstanceIdentifier: &req.Name,
		DBSnapshotIdentifier: &req.Restore.Snapshot,
		PubliclyAccessible:   aws.Bool(false),
		CopyTagsToSnapshot:   aws.Bool(true),
	}
	if err := makeGroup(ctx, d, req, params); err != nil {
		return driver.Result{}, err
	}
	restoration.Copy(params, in)
	in.AllocatedStorage = noLess(in.AllocatedStorage, least)
	out, err := session.Call(ctx, d.Session, "RestoreDBInstanceFromDBSnapshot", d.rds.RestoreDBInstanceFromDBSnapshot, in, onceRDS)
	if err != nil {
		return driver.Result{}, explainSnapshot(explainOptions(explainGroup(explainNetwork(explainBackup(err, &instance{})))), req.Restore.Snapshot)
	}
	return created(out.DBInstance), nil
}

// recover makes an instance of another one as that was at a time, by its automated backups. RDS knows the other one by an id that no later instance of its name has.
func (r restorer) recover(ctx context.Context, req *request, params *instanceParams) (result driver.Result, err error) {
	d, least := r.databases, int32(0)
	source, gone := req.Restore.Source, req.Restore.Vanished != ""
	if gone {
		least, err = r.left(ctx, req)
	} else {
		err = r.checkSource(ctx, req, source)
	}
	if err != nil {
		return driver.Result{}, err
	}
	in := &rds.RestoreDBInstanceToPointInTimeInput{
		TargetDBInstanceIdentifier: &req.Name, SourceDbiResourceId: &source.ID,
		PubliclyAccessible: aws.Bool(false), CopyTagsToSnapshot: aws.Bool(true),
	}
	if gone || req.Restore.Time.IsZero() { // the latest time of what is gone does not change any more
		in.UseLatestRestorableTime = aws.Bool(true)
	} else {
		in.RestoreTime = &req.Restore.Time
	}
	if err := makeGroup(ctx, d, req, params); err != nil {
		return driver.Result{}, err
	}
	recovery.Copy(params, in)
	in.AllocatedStorage = noLess(in.AllocatedStorage, least)
	if aws.ToInt32(in.MaxAllocatedStorage) <= max(least, aws.ToInt32(in.AllocatedStorage)) {
		in.MaxAllocatedStorage = nil
	}
	out, err := session.Call(ctx, d.Session, "RestoreDBInstanceToPointInTime", d.rds.RestoreDBInstanceToPointInTime, in, onceRDS)
	if err != nil {
		return driver.Result{}, explainRecovery(explainOptions(explainGroup(explainNetwork(explainGrowth(explainBackup(err, &instance{}))))), source.Name)
	}
	return created(out.DBInstance), nil
}

// checkSource refuses what RDS would refuse in words that do not help, and what would be less safe than a new instance.
func (r restorer) checkSource(ctx context.Context, req *request, source driver.ParentRef) error {
	d := r.databases
	of, err := d.describe(ctx, source.Name)
	if err != nil {
		return err
	}
	if of == nil || aws.ToString(of.DbiResourceId) != source.ID {
		return r.checkDeleted(ctx, req)
	}
	return sourceRefusal(req, of, d.Now())
}

// sourceRefusal says why an instance can't be restored as a request asks for it; nil if it can.
func sourceRefusal(req *request, of *instance, now time.Time) error {
	source := req.Restore.Source
	other := otherKey(portable.WantedDiskKey(&req.Spec), source.Name, aws.ToString(of.KmsKeyId), "")
	switch latest := restorableUntil(of); {
	case aws.ToInt32(of.BackupRetentionPeriod) == 0:
		return session.Invalid("%s has no automated backups, so it can't be restored to a point in time: set spec.backup.retentionDays of its Database, or restore a DatabaseSnapshot", source.Name)
	case !aws.ToBool(of.StorageEncrypted):
		return session.Invalid("%s is not encrypted, and a server restored from it would not be: copy a snapshot of it with a key in RDS, and name the copy in spec.restoreFrom.externalSnapshotName", source.Name)
	case other != "":
		return session.Invalid("%s", other)
	case req.Restore.Time.After(now):
		return session.Invalid("spec.restoreFrom.pointInTime.time is %s, which is still to come: set an earlier time, or none for the latest one", req.Restore.Time.Format(time.RFC3339))
	case !latest.IsZero() && req.Restore.Time.After(latest):
		return &driver.Error{Code: driver.Busy, Op: "DescribeDBInstances", Message: fmt.Sprintf("%s can be restored up to %s by now, because RDS keeps up to 5 minutes behind; Mooring tries again",
			source.Name, latest.Format(time.RFC3339))}
	}
	return nil
}

// restorableUntil returns the latest time to which an instance can be restored; zero if RDS does not say it.
func restorableUntil(of *instance) time.Time {
	if of.LatestRestorableTime == nil {
		return time.Time{}
	}
	return of.LatestRestorableTime.UTC()
}

// explainRecovery says of a refusal what there is to do about the time and the backups.
func explainRecovery(err error, source string) error {
	explained := session.AsError(err)
	if explained == nil {
		return err
	}
	e := *explained
	switch code := session.ErrorCode(err); {
	case code == "PointInTimeRestoreNotEnabled", code == "DBInstanceAutomatedBackupNotFound":
		e.Message = fmt.Sprintf("%s has no automated backups that could be restored: set spec.backup.retentionDays of its Database, or restore a DatabaseSnapshot: %s", source, e.Message)
	case code == "InvalidParameterValue" && strings.Contains(e.Message, "restored to a time"):
		e.Message = "correct spec.restoreFrom.pointInTime.time: " + e.Message
	case code == "InvalidDBInstanceState":
		e.Message = fmt.Sprintf("RDS can't restore %s now: %s; Mooring tries again", source, e.Message)
	case code == "KMSKeyNotAccessible":
		e.Message = fmt.Sprintf("enable the key of %s, and allow kms:CreateGrant and kms:DescribeKey on it to this identity: %s", source, e.Message)
	default:
		return err
	}
	return &e
}

// checkSnapshotKey refuses a key that a restored instance can't have: RDS restores with the key of the snapshot.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.html
func (r restorer) checkSnapshotKey(ctx context.Context, req *request) error {
	d := r.databases
	want := portable.WantedDiskKey(&req.Spec)
	if want == nil {
		return nil
	}
	of := &snapshotRequest{Request: driver.Request{Name: req.Restore.Snapshot}}
	snapshot, err := (&snapshots{Session: d.Session, rds: d.rds}).read(ctx, of, nil)
	if err != nil {
		return err
	}
	return keyRefusal(*want, req.Restore.Snapshot, snapshot)
}

// keyRefusal says why no server with a key can be restored from a snapshot, nil if there is none; nil if one can.
func keyRefusal(want, name string, snapshot *types.DBSnapshot) error {
	switch {
	case snapshot == nil:
		return &driver.Error{Code: driver.NotFound, Op: "DescribeDBSnapshots", Message: noSnapshot(name)}
	case !aws.ToBool(snapshot.Encrypted):
		return session.Invalid("RDS makes it with the key of the snapshot, which is none, because the snapshot is not encrypted: remove spec.encryption%s", copyInstead)
	}
	if other := otherKey(&want, "the snapshot", aws.ToString(snapshot.KmsKeyId), copyInstead); other != "" {
		return session.Invalid("%s", other)
	}
	return nil
}

// copyInstead is what there is to do about the key of a snapshot, beside to take it.
const copyInstead = ", or copy the snapshot with that key in RDS and name the copy in spec.restoreFrom.externalSnapshotName"

func noSnapshot(name string) string {
	return fmt.Sprintf("RDS has no snapshot %s in this region; correct spec.restoreFrom", name)
}

// explainSnapshot says of a refusal what there is to do about the snapshot.
func explainSnapshot(err error, name string) error {
	explained := session.AsError(err)
	if explained == nil {
		return err
	}
	e := *explained
	switch session.ErrorCode(err) {
	case "DBSnapshotNotFound":
		e.Code, e.Message = driver.NotFound, noSnapshot(name)
	case "InvalidDBSnapshotState":
		e.Message = fmt.Sprintf("the snapshot %s is still being taken or copied; Mooring tries again", name)
	case "KMSKeyNotAccessible":
		e.Message = fmt.Sprintf("enable the key of the snapshot %s, and allow kms:CreateGrant and kms:DescribeKey on it to this identity: %s", name, e.Message)
	case "InvalidRestore":
		e.Message = fmt.Sprintf("RDS can't make an instance of the snapshot %s here: %s", name, e.Message)
	default:
		return err
	}
	return &e
}
