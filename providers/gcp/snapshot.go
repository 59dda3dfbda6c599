package gcp

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
func (d *databases) finalBackup(ctx context.Context, req *databaseRequest, o *driver.Observation) (err error) {
	o.Snapshot, o.Problem, err = d.findBackup(ctx, req.Name, req.Deletion.Snapshot)
	return err
}

// findBackup returns the state of a final backup. Backups can't be named; the description of ours is the name of the snapshot.
func (d *databases) findBackup(ctx context.Context, name, snapshot string) (driver.State, string, error) {
	token := ""
	for seen := map[string]bool{}; !seen[token]; {
		seen[token] = true
		page, err := do(ctx, d.session, "backups.list", func(ctx context.Context) (*sqladmin.ListBackupsResponse, error) {
			return d.sql.Backups.ListBackups("projects/" + d.project).
				Filter("type:FINAL AND instance:" + name).PageSize(100).PageToken(token).Context(ctx).Do()
		})
		if err != nil {
			return driver.Unknown, "", err
		}
		for _, b := range page.Backups {
			if b.Description == snapshot && b.Instance == name {
				state, problem := backupState(b)
				return state, problem, nil
			}
		}
		if page.NextPageToken == "" {
			return driver.Absent, "", nil
		}
		token = page.NextPageToken
	}
	return driver.Unknown, "", &driver.Error{Code: driver.Unavailable, Op: "backups.list", Message: "the list of backups does not end"}
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
