package resource

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Absence is sure once it lasted as long as reads may lag; one sighting begins the count anew.
func TestAbsenceIsSureOnceItLasts(t *testing.T) {
	const settle = 5 * time.Second
	r := &Reconciler[*v1alpha1.Database, v1alpha1.DatabaseParameters]{Settings: Settings{Settle: settle}}
	mem, began := &memory{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		at                   time.Duration
		state, snapshot      driver.State
		object, snapshotGone bool
	}{
		{0, driver.Absent, driver.Absent, false, false},
		{settle - 1, driver.Absent, driver.Absent, false, false},
		{settle, driver.Absent, driver.Absent, true, true},
		{2 * settle, driver.Absent, driver.Pending, true, false},
		{3 * settle, driver.Absent, driver.Absent, true, false},
		{4 * settle, driver.Absent, driver.Absent, true, true},
		{5 * settle, driver.Deleting, driver.Unknown, false, false},
		{6 * settle, driver.Absent, driver.Absent, false, false},
	} {
		d := &v1alpha1.Database{}
		turn := &turn[*v1alpha1.Database, v1alpha1.DatabaseParameters]{
			obj: d, status: &d.Status.ResourceStatus, mem: mem, now: began.Add(step.at),
			seen: driver.Observation{State: step.state, Snapshot: step.snapshot},
		}
		r.look(turn)
		if v := turn.view; v.AbsenceSure != step.object || v.SnapshotAbsenceSure != step.snapshotGone {
			t.Errorf("after %s: %t for the object and %t for its snapshot, want %t and %t",
				step.at, v.AbsenceSure, v.SnapshotAbsenceSure, step.object, step.snapshotGone)
		}
	}
}
