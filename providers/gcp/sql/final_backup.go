package sql

import (
	"context"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// finalBackupDays is how long a final backup is kept: as long as Cloud SQL allows. Without it backups go
// after 30 days. Who wants to keep one for longer copies or extends it meanwhile.
// https://cloud.google.com/sdk/gcloud/reference/sql/instances/delete
const finalBackupDays = 365

// finalBackup looks for the final backup that a deletion was to take.
func (d *instances) finalBackup(ctx context.Context, req *request) (state driver.State, problem string, err error) {
	return d.findBackup(ctx, req.Name, req.Deletion.Snapshot)
}

// findBackup returns the state of a final backup. Backups can't be named; the description of ours is the name of the snapshot.
func (d *instances) findBackup(ctx context.Context, name, snapshot string) (driver.State, string, error) {
	found, err := (&snapshots{Caller: d.Caller, sql: d.sql}).search(ctx, "type:FINAL AND instance:"+name, func(b *backup) bool {
		described, _ := readDescription(b.Description) // an object may stand for it by now
		return described == snapshot && b.Instance == name
	})
	switch {
	case err != nil:
		return driver.Unknown, "", err
	case found == nil:
		return driver.Absent, "", nil
	}
	state, problem := backupState(found.Backup)
	return state, problem, nil
}

func backupState(b *sqladmin.Backup) (driver.State, string) {
	switch b.State {
	case "ENQUEUED", "RUNNING":
		return driver.Pending, ""
	case "SUCCESSFUL":
		return driver.Ready, ""
	case "FAILED":
		problem := "the final backup failed"
		if b.Error != nil && b.Error.Message != "" {
			problem += ": " + b.Error.Message
		}
		return driver.Failed, problem
	case "DELETING", "DELETION_FAILED":
		return driver.Deleting, ""
	}
	return driver.Unknown, ""
}
