package aws

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// snapshotBefore is the name of the snapshot that is taken on a day before an instance gets another major version. It follows from the three, so that one is taken, and a former one does not count.
func snapshotBefore(have *instance, version string, day time.Time) string {
	return snapshotsBefore(have, version) + day.UTC().Format("20060102")
}

// snapshotsBefore is how the names of those snapshots begin, whatever the day.
func snapshotsBefore(have *instance, version string) string {
	return strings.ToLower(fmt.Sprintf("mooring-%s-before-%s-", aws.ToString(have.DbiResourceId), strings.ReplaceAll(version, ".", "-")))
}

// begunBefore returns the snapshot of an earlier day that stands for one of today, and its state: one that was ready the day before, or one that is still being taken, however long that lasts and whatever RDS
// calls it. Without one it returns the name of today's, which is Absent.
func begunBefore(ctx context.Context, d *databases, have *instance, version, today string) (name string, state driver.State, err error) {
	all, err := restorer{d}.snapshots(ctx, aws.ToString(have.DbiResourceId))
	yesterday := snapshotBefore(have, version, d.now().AddDate(0, 0, -1))
	for i := range all {
		of := aws.ToString(all[i].DBSnapshotIdentifier)
		switch state := stateIn(&all[i]); {
		case state == driver.Pending && strings.HasPrefix(of, snapshotsBefore(have, version)), state == driver.Ready && of == yesterday:
			return of, state, nil
		}
	}
	return today, driver.Absent, err
}

// takeSnapshotBefore takes a snapshot of an instance before it gets another major version, if RDS takes none: that does it for instances with automated backups alone. While RDS is at it, nothing else is changed. It has the
// mark of the instance, as a final snapshot, and stays. A read replica can be made anew.
// https://repost.aws/knowledge-center/rds-postgresql-version-upgrade-issues
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html
func takeSnapshotBefore(ctx context.Context, d *databases, req *databaseRequest, have *instance, params *instanceParams, changes []driver.Change) error {
	if params.EngineVersion == nil || !have.isMajor(*params.EngineVersion) || aws.ToInt32(have.BackupRetentionPeriod) > 0 || following(have) != nil {
		return nil
	}
	name := snapshotBefore(have, *params.EngineVersion, d.now())
	state, err := finalSnapshots{d}.state(ctx, name)
	if err == nil && state == driver.Absent {
		name, state, err = begunBefore(ctx, d, have, *params.EngineVersion, name)
	}
	switch {
	case err != nil || state == driver.Ready:
		return err
	case state == driver.Failed:
		return &driver.Error{Code: driver.Conflict, Op: "DescribeDBSnapshots", Message: "the snapshot " + name + ", which is taken before the upgrade, failed: delete it in RDS, and Mooring takes another one"}
	case state == driver.Absent:
		_, err := call(ctx, d.session, "CreateDBSnapshot", d.rds.CreateDBSnapshot,
			&rds.CreateDBSnapshotInput{DBInstanceIdentifier: have.DBInstanceIdentifier, DBSnapshotIdentifier: &name, Tags: rdsTags(req.Mark.Labels())}, onceRDS)
		if err != nil && apiCode(err) != "DBSnapshotAlreadyExists" {
			return err
		}
	}
	var later table.FieldErrors
	for _, c := range changes {
		later = append(later, driver.FieldError{Field: c.Field, Err: &driver.Error{Code: driver.Busy, Op: "CreateDBSnapshot",
			Message: "RDS takes the snapshot " + name + " first: the server has no automated backups, and the upgrade can't be taken back"}})
	}
	return later
}
