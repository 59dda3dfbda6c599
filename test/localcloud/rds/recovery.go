package rds

import (
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// restoreToTime is RestoreDBInstanceToPointInTime: a new instance with the data that another one had at a time. Tags are those of the call: "By default, tags are not
// copied" (CopyTagsToSnapshot). No recording shows the call, nor any refusal. Codes are those of the reference's list of errors, and of its
// parameters where that has none that fits; words are ours.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceToPointInTime.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIT.html
func (c *call) restoreToTime(in *rds.RestoreDBInstanceToPointInTimeInput) (any, error) {
	if aws.ToString(in.TargetDBInstanceIdentifier) == "" {
		return nil, missingParameter("TargetDBInstanceIdentifier")
	}
	source, gone, err := c.recoverable(in)
	if err != nil {
		return nil, err
	}
	at, err := c.recoveryTime(in, source)
	if err != nil {
		return nil, err
	}
	if source.backups.log == "" {
		return nil, amazon.Err(http.StatusNotImplemented, "NotImplemented", engine.ErrNoLog.Error())
	}
	from := rdsOrigin{source: source, most: in.MaxAllocatedStorage, spec: engine.Spec{From: source.backups.log}, failed: "incompatible-restore"}
	if !gone {
		from.spec.Flush = *source.db.DbiResourceId
	}
	if wall, ok := c.cloud.Clock.WallAt(at); ok {
		from.spec.Until = wall
	}
	like := &rds.RestoreDBInstanceFromDBSnapshotInput{}
	copySameNames(like, in)
	like.DBInstanceIdentifier = in.TargetDBInstanceIdentifier
	db, err := c.restore(like, from)
	return &rds.RestoreDBInstanceToPointInTimeOutput{DBInstance: db}, err
}

// recoverable returns the instance that a call names in one of three ways, as it is, or as it was before it was deleted. The reference has the ARN for backups that are
// replicated to another region, of which there are none here: it serves as the resource id does.
func (c *call) recoverable(in *rds.RestoreDBInstanceToPointInTimeInput) (source *Instance, gone bool, err error) {
	name, id, arn := aws.ToString(in.SourceDBInstanceIdentifier), aws.ToString(in.SourceDbiResourceId), aws.ToString(in.SourceDBInstanceAutomatedBackupsArn)
	given := 0
	for _, way := range []string{name, id, arn} {
		if way != "" {
			given++
		}
	}
	if given != 1 {
		return nil, false, invalidCombination("Exactly one of SourceDBInstanceIdentifier, SourceDbiResourceId and SourceDBInstanceAutomatedBackupsArn must be specified.")
	}
	if name != "" {
		_, source, err = c.instance(&name)
		if err == nil && aws.ToInt32(source.db.BackupRetentionPeriod) == 0 {
			err = amazon.Err(http.StatusBadRequest, "PointInTimeRestoreNotEnabled", "The DB instance "+name+" has a backup retention period of 0.")
		}
		return source, false, err
	}
	for status, all := range c.allBackups() {
		for _, one := range all {
			if id != "" && strings.EqualFold(*one.db.DbiResourceId, id) || arn != "" && c.backupsARN(one) == arn {
				return one, status == "retained", nil
			}
		}
	}
	return nil, false, backupResource.missing(id + arn)
}

// recoveryTime returns the time that a call asks for: within the window of the source's automated backups.
func (c *call) recoveryTime(in *rds.RestoreDBInstanceToPointInTimeInput, source *Instance) (time.Time, error) {
	latest := aws.ToBool(in.UseLatestRestorableTime)
	window := c.window(source)
	switch {
	case latest && in.RestoreTime != nil:
		return time.Time{}, invalidCombination("RestoreTime can't be specified if UseLatestRestorableTime is enabled.")
	case !latest && in.RestoreTime == nil:
		return time.Time{}, invalidCombination("RestoreTime or UseLatestRestorableTime must be specified.")
	case window == nil:
		return time.Time{}, invalidState("Instance %s can't be restored before its first automated backup is complete.", *source.db.DBInstanceIdentifier)
	case latest:
		return *window.LatestTime, nil
	case in.RestoreTime.After(*window.LatestTime):
		return time.Time{}, invalidValue("The specified instance cannot be restored to a time later than %s.", window.LatestTime.UTC().Format(time.RFC3339))
	case in.RestoreTime.Before(*window.EarliestTime):
		return time.Time{}, invalidValue("The specified instance cannot be restored to a time earlier than %s.", window.EarliestTime.UTC().Format(time.RFC3339))
	}
	return *in.RestoreTime, nil
}
