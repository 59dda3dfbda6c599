package restore

import (
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of the backups of deleted servers only those are restored that have the mark of the very object, or no mark of this cluster and the name of its server where the account
// is open. Of several the one with the time is, or else the newest.
func TestBackupsOfTheDeleted(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 3, 0, 0, 0, time.UTC) }
	own := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid-before"}
	with := func(change func(*driver.Mark)) driver.Mark { m := own; change(&m); return m }
	of := func(id string, from, to int, mark driver.Mark) driver.SavedState {
		return driver.SavedState{From: driver.Restore{Source: driver.ParentRef{Name: "shop-orders", ID: id}, Time: day(to)}, Since: day(from), Mark: mark, Complete: true}
	}
	called := func(b driver.SavedState, name string) driver.SavedState { b.From.Source.Name = name; return b }
	pending := driver.SavedState{From: driver.Restore{Source: driver.ParentRef{Name: "shop-orders", ID: "db-9"}}, Mark: own}
	for _, tt := range []struct {
		name    string
		backups []driver.SavedState
		deleted deletedServers // more than what each has
		want    string         // the identity; empty for none
		reason  v1alpha1.Reason
		says    []string
	}{
		{name: "one", backups: []driver.SavedState{of("db-1", 1, 5, own)}, want: "db-1"},
		{name: "of a server of another name, with the mark", backups: []driver.SavedState{called(of("db-1", 1, 5, own), "chosen")}, want: "db-1"},
		{name: "left behind", backups: []driver.SavedState{of("db-1", 1, 5, with(func(m *driver.Mark) { m.Released = true }))}, want: "db-1"},
		{name: "several, and no time", backups: []driver.SavedState{of("db-1", 1, 5, own), of("db-3", 12, 20, own)}, want: "db-3", reason: v1alpha1.ReasonInvalid,
			says: []string{"orders was deleted more than once", "from 2026-11-01T03:00:00Z to 2026-11-05T03:00:00Z, and from 2026-11-12T03:00:00Z to 2026-11-20T03:00:00Z", "pointInTime.time"}},
		{name: "the one with the time", backups: []driver.SavedState{of("db-1", 1, 5, own), of("db-3", 12, 20, own), of("db-2", 6, 11, own)}, deleted: deletedServers{Time: day(7)}, want: "db-2"},
		{name: "the first moment", backups: []driver.SavedState{of("db-1", 1, 5, own)}, deleted: deletedServers{Time: day(1)}, want: "db-1"},
		{name: "the last moment", backups: []driver.SavedState{of("db-1", 1, 5, own)}, deleted: deletedServers{Time: day(5)}, want: "db-1"},
		{name: "a time between two", backups: []driver.SavedState{of("db-1", 1, 5, own), of("db-2", 7, 11, own)}, deleted: deletedServers{Time: day(6)}, reason: v1alpha1.ReasonInvalid,
			says: []string{"time is 2026-11-06T03:00:00Z", "from 2026-11-01T03:00:00Z to 2026-11-05T03:00:00Z, and from 2026-11-07T03:00:00Z to 2026-11-11T03:00:00Z"}},
		{name: "a time after all", backups: []driver.SavedState{of("db-1", 1, 5, own)}, deleted: deletedServers{Time: day(6)}, reason: v1alpha1.ReasonInvalid, says: []string{"set a time in between"}},
		{name: "not complete", backups: []driver.SavedState{pending}, reason: v1alpha1.ReasonSnapshotNotReady, says: []string{"not complete yet"}},
		{name: "the newest is not complete", backups: []driver.SavedState{of("db-1", 1, 5, own), pending}, reason: v1alpha1.ReasonSnapshotNotReady},
		{name: "the newest is not complete, and an older one has the time", backups: []driver.SavedState{of("db-1", 1, 5, own), pending}, deleted: deletedServers{Time: day(2)}, want: "db-1"},
		{name: "one that is not complete may have the time", backups: []driver.SavedState{of("db-1", 1, 5, own), pending}, deleted: deletedServers{Time: day(6)}, reason: v1alpha1.ReasonSnapshotNotReady},
		{name: "unfit", backups: []driver.SavedState{of("db-1", 1, 5, own)}, deleted: deletedServers{Unfit: "too large"}, want: "db-1", reason: v1alpha1.ReasonInvalid, says: []string{"shop-orders: too large"}},
		{name: "none", reason: v1alpha1.ReasonSnapshotNotFound, says: []string{"there is no Database orders in this namespace", "nothing to restore; create it"}},
		{name: "none, of the object itself", deleted: deletedServers{Itself: true}, reason: v1alpha1.ReasonSnapshotNotFound, says: []string{"names this object itself", "remove spec.restoreFrom"}},
		{name: "the cloud can't", deleted: deletedServers{Supported: false, Provider: "gcp"}, reason: v1alpha1.ReasonSnapshotNotFound, says: []string{"gcp restores no deleted server", "spec.source.externalName"}},
		{name: "of another namespace", backups: []driver.SavedState{of("db-1", 1, 5, with(func(m *driver.Mark) { m.Namespace = "bank" }))}, reason: v1alpha1.ReasonSnapshotNotFound},
		{name: "of another namespace, in an open account", backups: []driver.SavedState{of("db-1", 1, 5, with(func(m *driver.Mark) { m.Namespace = "bank" }))}, deleted: deletedServers{Open: true}, reason: v1alpha1.ReasonSnapshotNotFound},
		{name: "of another object of the namespace, and its server had the name", backups: []driver.SavedState{of("db-1", 1, 5, with(func(m *driver.Mark) { m.Name = "others" }))}, deleted: deletedServers{Open: true}, reason: v1alpha1.ReasonSnapshotNotFound},
		{name: "without a mark, in a shared account", backups: []driver.SavedState{of("db-1", 1, 5, driver.Mark{})}, reason: v1alpha1.ReasonNotOwned, says: []string{"allowAdoption: Any"}},
		{name: "without a mark, in an open account", backups: []driver.SavedState{of("db-1", 1, 5, driver.Mark{})}, deleted: deletedServers{Open: true}, want: "db-1"},
		{name: "without a mark and of another name, in an open account", backups: []driver.SavedState{called(of("db-1", 1, 5, driver.Mark{}), "others")}, deleted: deletedServers{Open: true}, reason: v1alpha1.ReasonSnapshotNotFound},
		{name: "of a cluster that was lost, in a shared account", backups: []driver.SavedState{of("db-1", 1, 5, with(func(m *driver.Mark) { m.Cluster = "lost" }))}, reason: v1alpha1.ReasonNotOwned},
		{name: "of a cluster that was lost, in an open account", backups: []driver.SavedState{of("db-1", 1, 5, with(func(m *driver.Mark) { m.Cluster = "lost" }))}, deleted: deletedServers{Open: true}, want: "db-1"},
		{name: "of a cluster that was lost and of another name, in an open account", backups: []driver.SavedState{called(of("db-1", 1, 5, with(func(m *driver.Mark) { m.Cluster = "lost" })), "others")}, deleted: deletedServers{Open: true}, reason: v1alpha1.ReasonSnapshotNotFound},
		{name: "another's is newer", backups: []driver.SavedState{of("db-1", 1, 5, own), of("db-2", 6, 11, with(func(m *driver.Mark) { m.Namespace = "bank" }))}, want: "db-1"},
		{name: "without an identity", backups: []driver.SavedState{of("", 1, 5, own)}, reason: v1alpha1.ReasonSnapshotNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := tt.deleted
			d.Name, d.Server, d.Backups, d.Supported = "orders", "shop-orders", tt.backups, d.Provider == ""
			v := plan.View{Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "restored", UID: "uid"}}
			got := ""
			if b := d.chosen(v); b != nil {
				got = b.From.Source.ID
			}
			r := deletedRefusal(v, d)
			if got != tt.want || r.Reason != tt.reason {
				t.Errorf("it is to be made of %q: %+v; want %q, %s", got, r, tt.want, tt.reason)
			}
			for _, part := range tt.says {
				if !strings.Contains(r.Message, part) {
					t.Errorf("the message lacks %q: %s", part, r.Message)
				}
			}
		})
	}
}

// The first whole second to which a server can be restored is not before its first moment.
func TestWindowsHaveWholeSeconds(t *testing.T) {
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	for _, since := range []time.Duration{0, time.Millisecond, time.Second} {
		if got := wholeSecond(at.Add(since)); got.Before(at.Add(since)) || got.Nanosecond() != 0 || got.Sub(at.Add(since)) >= time.Second {
			t.Errorf("after %v it is %v", since, got)
		}
	}
}
