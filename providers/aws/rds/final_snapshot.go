package rds

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// finalSnapshots are the snapshots that deletions of instances take.
type finalSnapshots struct{ of *instances }

// lookFor looks for the final snapshot that a deletion was to take. One of another instance is none.
func (f finalSnapshots) lookFor(ctx context.Context, req *request) (state driver.State, problem string, err error) {
	taken, err := f.named(ctx, req.Deletion.Snapshot)
	switch {
	case err != nil:
		return driver.Unknown, "", err
	case taken != nil && req.ID != "" && aws.ToString(taken.DbiResourceId) != req.ID:
		return driver.Absent, "", nil
	}
	return stateOfTaken(taken), "", nil
}

// named returns the snapshot of a name, nil if there is none.
func (f finalSnapshots) named(ctx context.Context, name string) (*types.DBSnapshot, error) {
	return (&snapshots{Session: f.of.Session, rds: f.of.rds}).read(ctx, &snapshotRequest{Request: driver.Request{Name: name}}, nil)
}

func stateOfTaken(s *types.DBSnapshot) driver.State {
	if s == nil {
		return driver.Absent
	}
	return stateIn(s)
}

// stateIn returns the state of a snapshot that is there. A status that nobody knows is one of work that goes on.
func stateIn(s *types.DBSnapshot) driver.State {
	switch aws.ToString(s.Status) {
	case "available":
		return driver.Ready
	case "failed":
		return driver.Failed
	}
	return driver.Pending
}

// takenBefore returns the final snapshot that an earlier try of a deletion took, if RDS refuses another because of it: a deletion may fail after that, and leaves
// the instance and the snapshot. It returns an error as long as it can't take the place of a new one. What is of another instance, or of somebody
// else, is left alone.
func (f finalSnapshots) takenBefore(ctx context.Context, req *request, in *rds.DeleteDBInstanceInput, refused error) (*types.DBSnapshot, error) {
	e := *session.AsError(refused)
	name := req.Deletion.Snapshot
	taken, err := f.named(ctx, name)
	if err != nil {
		return nil, err
	}
	have, err := f.of.describe(ctx, req.Name)
	switch {
	case err != nil:
		return nil, err
	case taken == nil, have == nil:
		e.Code = driver.Busy
		e.Message = fmt.Sprintf("RDS has the snapshot %q, and does not show it or the instance; Mooring looks again", name)
		return nil, &e
	case !isFinal(req, have, taken):
		e.Message = fmt.Sprintf("RDS has another snapshot named %q already, which Mooring did not take of this instance: copy it under another name if it is needed, "+
			"and delete it; then the final snapshot can be taken", name)
		return nil, &e
	}
	if aws.ToInt32(have.BackupRetentionPeriod) == 0 {
		in.DeleteAutomatedBackups = aws.Bool(true) // there are none to keep
	}
	switch stateOfTaken(taken) {
	case driver.Ready:
		return taken, nil
	case driver.Failed:
		return nil, f.dropFailed(ctx, req, taken)
	}
	e.Code = driver.Busy
	e.Message = fmt.Sprintf("RDS is still taking the final snapshot %q, which an earlier try of the deletion began", name)
	return nil, &e
}

// atOnce is how old the final snapshot of an earlier try may be to stand for one of now where nothing else has what was written since. A deletion
// that is tried again takes minutes, and hours with its snapshot; one that could not end for days has a server that people may have gone on using.
const atOnce = 6 * time.Hour

// lacksWrites is the error for a deletion that would lose what was written after the final snapshot of an earlier try.
func lacksWrites(taken *types.DBSnapshot, in *rds.DeleteDBInstanceInput, now time.Time) error {
	if taken == nil || !aws.ToBool(in.DeleteAutomatedBackups) || taken.SnapshotCreateTime != nil && now.Sub(*taken.SnapshotCreateTime) < atOnce {
		return nil
	}
	name := aws.ToString(taken.DBSnapshotIdentifier)
	return &driver.Error{Code: driver.Conflict, Op: "DeleteDBInstance", Message: fmt.Sprintf("the final snapshot %q is of an earlier try of the deletion%s, and RDS keeps no automated backups of the instance: nothing would have what was "+
		"written since; delete that snapshot, and another one is taken, or set spec.deletionPolicy: Delete to delete the instance without one", name, takenAt(taken))}
}

// takenAt says when a snapshot was taken, if RDS says it.
func takenAt(taken *types.DBSnapshot) string {
	if at := taken.SnapshotCreateTime; at != nil {
		return ", taken at " + at.UTC().Format(time.RFC3339)
	}
	return ""
}

// isFinal reports whether a snapshot of the name of the final one is that: it is of this very instance, by the resource id, and has the mark that it got
// from the instance. An instance that copies no tags to its snapshots leaves one without a mark. Of a DatabaseSnapshot the mark is its own.
func isFinal(req *request, have *instance, taken *types.DBSnapshot) bool {
	id, tags := aws.ToString(have.DbiResourceId), tagsOf(taken.TagList)
	mark := driver.MarkFrom(tags)
	switch {
	case id == "" || req.ID != "" && req.ID != id || aws.ToString(taken.DbiResourceId) != id:
		return false
	case mark.Zero():
		return !aws.ToBool(have.CopyTagsToSnapshot)
	}
	return tags[ofSnapshot] == "" && mark.SameOwner(req.Mark) && mark.UID == req.Mark.UID
}

// dropFailed deletes a final snapshot that failed, and holds nothing. The next try of the deletion takes another.
func (f finalSnapshots) dropFailed(ctx context.Context, req *request, failed *types.DBSnapshot) error {
	name := req.Deletion.Snapshot
	if driver.MarkFrom(tagsOf(failed.TagList)).Zero() {
		return &driver.Error{Code: driver.Conflict, Op: "DeleteDBInstance", Message: fmt.Sprintf(
			"the final snapshot %q that an earlier try of the deletion took has failed, and has no mark of Mooring: delete it, then another can be taken", name)}
	}
	_, err := session.Call(ctx, f.of.Session, "DeleteDBSnapshot", f.of.rds.DeleteDBSnapshot, &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: &name})
	switch {
	case err == nil, session.ErrorCode(err) == "DBSnapshotNotFound":
		return &driver.Error{Code: driver.Busy, Op: "DeleteDBInstance", Message: fmt.Sprintf(
			"the final snapshot %q that an earlier try of the deletion took has failed; Mooring deleted it, and tries again", name)}
	case driver.CodeOf(err) == driver.Unavailable, driver.CodeOf(err) == driver.Throttled:
		return err
	}
	e := *session.AsError(err)
	e.Message = fmt.Sprintf("the final snapshot %q that an earlier try of the deletion took has failed, and RDS does not delete it: %s; delete it, then another can be "+
		"taken, or set spec.deletionPolicy: Delete to delete the instance without one", name, e.Message)
	return &e
}

// sayTaken says that a deletion goes by a snapshot of an earlier try, and what is left of later writes.
func sayTaken(taken *types.DBSnapshot, in *rds.DeleteDBInstanceInput) string {
	if taken == nil {
		return ""
	}
	said := fmt.Sprintf("the final snapshot %s is the one of an earlier try of the deletion%s", aws.ToString(taken.DBSnapshotIdentifier), takenAt(taken))
	if aws.ToBool(in.DeleteAutomatedBackups) {
		return said + "; it lacks what was written after that, because RDS keeps no automated backups of the instance"
	}
	return said + "; the automated backups of the instance, which stay until they expire, have what was written after that"
}
