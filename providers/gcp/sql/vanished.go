package sql

import (
	"context"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// restorable returns the backups that Cloud SQL still has of the instance that a request's Vanished names. Backups outlive their instance if it had
// retainBackupsOnDelete, and final ones do.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/manage-backups-deleted-instance
func (m *snapshots) restorable(ctx context.Context, req *request) (*driver.Restorable, error) {
	var states []driver.SavedState
	_, err := m.search(ctx, "instance:"+req.Vanished.Name, func(b *backup) bool {
		if b.of(req.Vanished, req.Mark) {
			states = append(states, b.states()...)
		}
		return false // all of them are looked at
	})
	if err != nil {
		return nil, err
	}
	return table.NewestOf(*req.Vanished, states), nil
}

// of reports whether a backup is one of the very instance that vanished, and of nobody else's. A backup says of its instance when that was created, which no later
// one of the name has. Where it does not say that, the mark of the instance at that time says whose it was, and a backup of an earlier instance began before this
// one was created.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backup (instanceSettings).
func (b *backup) of(vanished *driver.ParentRef, own driver.Mark) bool {
	if b.Instance != vanished.Name {
		return false
	}
	_, described := readDescription(b.Description)
	if !described.Leaves(own, true) {
		return false
	}
	var created string
	var mark driver.Mark
	if in := b.InstanceSettings; in != nil {
		created = in.CreateTime
		if in.Settings != nil {
			mark = driver.MarkFrom(in.Settings.UserLabels)
		}
	}
	if !mark.Leaves(own, false) {
		return false
	}
	if created != "" {
		return sameMoment(created, vanished.ID)
	}
	since, err := time.Parse(time.RFC3339, vanished.ID)
	return err == nil && !mark.Zero() && mark.UID == own.UID && b.begun().After(since)
}

// sameMoment reports whether two texts are the same time, however they are written.
func sameMoment(a, b string) bool {
	at, err := time.Parse(time.RFC3339, a)
	if err != nil {
		return a == b
	}
	other, err := time.Parse(time.RFC3339, b)
	return err == nil && at.Equal(other)
}

// states returns the state of the instance that a backup is, if it can be restored or is still being taken; none if it failed or goes.
func (b *backup) states() []driver.SavedState {
	state, _ := backupState(b.Backup)
	if state != driver.Ready && state != driver.Pending {
		return nil
	}
	var o driver.Observation
	stateOfBackup(&snapshotRequest{}, b, &o)
	return []driver.SavedState{{
		Complete: state == driver.Ready, Details: *o.SnapshotDetails, From: driver.Restore{Snapshot: b.id(), SnapshotID: b.id(), Time: b.begun()},
	}}
}

// keepDisk takes a size that is less than that of the disk out of a restore in the place of an instance that vanished: its disk may have grown by itself, and
// Cloud SQL restores none that is smaller.
func (m *snapshots) keepDisk(ctx context.Context, req *request, body *sqladmin.DatabaseInstance) error {
	if req.Restore.Vanished == "" || body.Settings == nil || body.Settings.DataDiskSizeGb == 0 {
		return nil
	}
	from, err := m.find(ctx, &snapshotRequest{Request: driver.Request{ID: req.Restore.SnapshotID}})
	if err != nil || from == nil || from.InstanceSettings == nil || from.InstanceSettings.Settings == nil {
		return err // of a backup that is gone by now, the restore says so
	}
	if body.Settings.DataDiskSizeGb < from.InstanceSettings.Settings.DataDiskSizeGb {
		body.Settings.DataDiskSizeGb = 0
	}
	return nil
}
