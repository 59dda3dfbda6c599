package sql

import (
	"context"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// What comes before a deletion, as people read it.
const (
	didStart  = "it told Cloud SQL to start the server, which only then takes what the backups of DatabaseSnapshots need to outlive it; delete these DatabaseSnapshots, and nothing is needed"
	didRetain = "it set settings.retainBackupsOnDelete, without which the backups of DatabaseSnapshots would go with the server; delete these DatabaseSnapshots, and nothing is needed"
)

// keep sees to it that the marked backups of an instance outlive it, before it is deleted: Cloud SQL deletes on-demand backups with their instance unless
// retainBackupsOnDelete is on. It returns what it began, which takes a moment. With it automatic backups stay until they expire. Cloud SQL refuses the setting of a
// stopped server, and to start one together with other changes, so such a server is started first.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/manage-backups-deleted-instance
func (m *snapshots) keep(ctx context.Context, name string) (driver.Result, error) {
	marked, err := m.search(ctx, "type:ON_DEMAND AND instance:"+name, func(b *backup) bool {
		_, mark := readDescription(b.Description)
		return b.Instance == name && !mark.Zero() && b.State != "FAILED" && b.InstanceDeletionTime == ""
	})
	if err != nil || marked == nil {
		return driver.Result{}, err
	}
	in, err := m.instances().read(ctx, name)
	if err != nil || in.Settings == nil || in.Settings.RetainBackupsOnDelete || in.State == "PENDING_DELETE" {
		return driver.Result{}, session.UnlessNotFound(err)
	}
	settings, did := &sqladmin.Settings{RetainBackupsOnDelete: true}, didRetain
	if (&instance{DatabaseInstance: in}).stopped() {
		settings, did = &sqladmin.Settings{ActivationPolicy: always}, didStart
	}
	settings.SettingsVersion = in.Settings.SettingsVersion
	started, err := session.Do(ctx, m.Caller, "instances.patch", func(ctx context.Context) (*sqladmin.Operation, error) {
		return m.sql.Instances.Patch(m.Project, name, &sqladmin.DatabaseInstance{Settings: settings}).Context(ctx).Do()
	})
	if err != nil {
		return driver.Result{}, err
	}
	return driver.Result{Unfinished: true, Did: did, Operation: started.Name}, nil
}
