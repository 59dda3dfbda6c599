package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A backup of an instance that vanished is one of that very instance and of no other object. One that is being taken is waited for.
func TestBackupsOfTheVanished(t *testing.T) {
	const born, taken, before = "2026-11-20T10:00:00.123Z", "2026-11-27T03:00:00Z", "2026-11-19T03:00:00Z"
	own := driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "u"}
	with := func(change func(*driver.Mark)) driver.Mark { m := own; change(&m); return m }
	others, sister := with(func(m *driver.Mark) { m.Namespace = "bank" }), with(func(m *driver.Mark) { m.Name = "nightly" })
	label := func(mark driver.Mark) func(*sqladmin.Backup) {
		return func(b *sqladmin.Backup) { b.InstanceSettings.Settings.UserLabels = mark.Labels() }
	}
	for name, tt := range map[string]struct {
		change []func(*sqladmin.Backup)
		of     bool
	}{
		"its own":                                   {nil, true},
		"with its mark":                             {[]func(*sqladmin.Backup){label(own)}, true},
		"with the mark of another":                  {[]func(*sqladmin.Backup){label(others)}, false},
		"with the mark of a sister":                 {[]func(*sqladmin.Backup){label(sister)}, false},
		"of an object of the namespace":             {[]func(*sqladmin.Backup){func(b *sqladmin.Backup) { b.Description = descriptionOf("nightly", sister) }}, true},
		"of an object of another":                   {[]func(*sqladmin.Backup){func(b *sqladmin.Backup) { b.Description = descriptionOf("nightly", others) }}, false},
		"of a later instance of the name":           {[]func(*sqladmin.Backup){label(own), func(b *sqladmin.Backup) { b.InstanceSettings.CreateTime = "2026-11-26T10:00:00.123Z" }}, false},
		"of another instance":                       {[]func(*sqladmin.Backup){func(b *sqladmin.Backup) { b.Instance = "orders-2" }}, false},
		"of an unknown time, with its mark":         {[]func(*sqladmin.Backup){label(own), unborn}, true},
		"of an unknown time, with an older mark":    {[]func(*sqladmin.Backup){label(with(func(m *driver.Mark) { m.UID = "before" })), unborn}, false},
		"of an unknown time, of an earlier one":     {[]func(*sqladmin.Backup){label(own), unborn, func(b *sqladmin.Backup) { b.BackupInterval.StartTime = before }}, false},
		"of an unknown time, without a mark":        {[]func(*sqladmin.Backup){unborn}, false},
		"of which the instance is not known at all": {[]func(*sqladmin.Backup){func(b *sqladmin.Backup) { b.InstanceSettings = nil }}, false},
	} {
		b := &sqladmin.Backup{
			Instance: "orders", State: "SUCCESSFUL", BackupInterval: &sqladmin.Interval{StartTime: taken},
			InstanceSettings: &sqladmin.DatabaseInstance{CreateTime: born, Settings: &sqladmin.Settings{}},
		}
		for _, change := range tt.change {
			change(b)
		}
		if got := (&backup{b}).of(&driver.ParentRef{Name: "orders", ID: born}, own); got != tt.of {
			t.Errorf("%s: got %t, want %t", name, got, tt.of)
		}
	}
	for state, want := range map[string]string{
		"SUCCESSFUL": "usable", "RUNNING": "waits", "ENQUEUED": "waits", "FAILED": "", "DELETING": "", "DELETION_FAILED": "", "tomorrow": "",
	} {
		states := (&backup{&sqladmin.Backup{Name: "projects/p/backups/7", State: state, BackupInterval: &sqladmin.Interval{StartTime: taken}}}).states()
		got := ""
		if len(states) > 0 {
			got = map[bool]string{true: "usable", false: "waits"}[states[0].Complete]
		}
		if got != want || len(states) > 0 && states[0].From.SnapshotID != "7" {
			t.Errorf("%s: got %q of %+v, want %q", state, got, states, want)
		}
	}
}

func unborn(b *sqladmin.Backup) { b.InstanceSettings.CreateTime = "" }
