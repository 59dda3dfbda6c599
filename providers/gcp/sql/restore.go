package sql

import (
	"context"
	"fmt"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// restoreBackup makes an instance of a backup, by one call: its settings, the mark among them, take the place of those in the backup. A backup is never restored
// onto an instance that exists, whose data that would overwrite.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/restoreBackup
func restoreBackup(ctx context.Context, d *instances, req *request, params *instanceParams, body *sqladmin.DatabaseInstance) (driver.Result, error) {
	const op = "instances.restoreBackup"
	backup, err := backupOf(ctx, d, req.Restore)
	if err != nil {
		return driver.Result{}, err
	}
	// The same call restores over an instance that exists. The reference says of settings that they are for new instances alone, and not that Cloud SQL refuses
	// them otherwise. So the name is looked at right before.
	switch _, err := d.read(ctx, req.Name); {
	case err == nil:
		return driver.Result{}, &driver.Error{Code: driver.Conflict, Op: op, Message: nameTaken}
	case driver.CodeOf(err) != driver.NotFound:
		return driver.Result{}, err
	}
	body.RootPassword = "" // it is in the backup
	if err := (&snapshots{Caller: d.Caller, sql: d.sql}).keepDisk(ctx, req, body); err != nil {
		return driver.Result{}, err
	}
	request := &sqladmin.InstancesRestoreBackupRequest{Backup: backup, RestoreInstanceSettings: body}
	started, err := session.Do(ctx, d.Caller, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.RestoreBackup(d.Project, req.Name, request).Context(ctx).Do()
	})
	if err != nil {
		return driver.Result{}, explainKey(d.flags.explain(ctx, err, body.DatabaseVersion, params.DatabaseFlags), body)
	}
	return driver.Result{Operation: started.Name}, nil
}

// backupOf returns Cloud SQL's own name of a backup. With the id no call is made for it.
func backupOf(ctx context.Context, d *instances, from *driver.Restore) (string, error) {
	if from.SnapshotID != "" {
		return "projects/" + d.Project + "/backups/" + from.SnapshotID, nil
	}
	of, err := (&snapshots{Caller: d.Caller, sql: d.sql}).find(ctx, &snapshotRequest{Request: driver.Request{Name: from.Snapshot}})
	if err == nil && of == nil {
		err = &driver.Error{Code: driver.NotFound, Op: "instances.restoreBackup", Message: fmt.Sprintf("Cloud SQL has no backup %s in this project; correct spec.restoreFrom", from.Snapshot)}
	}
	if err != nil {
		return "", err
	}
	return of.Name, nil
}
