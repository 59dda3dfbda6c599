package drivertest

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// vanished returns what holds of what is left of objects that are gone.
func vanished[S any]() []obligation[S] {
	return []obligation[S]{
		{"vanished/what is left of an object is its newest snapshot, and the object comes back from it under its name", comesBack[S]},
		{"vanished/nothing is left for another identity, or for another namespace", leavesNothing[S]},
		{"vanished/nothing is said of what nobody asks for, or of an object that is there", asksNothing[S]},
	}
}

// lost makes an object and a snapshot of it, and deletes the object. It returns the request that asks what is left, and how to name the snapshot.
func lost[S any](t testing.TB, b *bench[S]) (request[S], *driver.Restore) {
	t.Helper()
	req, from := taken(t, b)
	asks := req
	asks.Vanished = &driver.ParentRef{Name: req.Name, ID: b.observe(t, req).ID}
	req.Deletion = &driver.Deletion{}
	b.gone(t, &req)
	asks.ID, asks.Operation, asks.Applied = "", "", nil
	return asks, from
}

func comesBack[S any](t testing.TB, b *bench[S]) {
	req, from := lost(t, b)
	left := b.observe(t, req).Backup.GetRestorable()
	if left == nil || left.From == nil || left.Pending {
		t.Fatalf("got %+v, want the snapshot", left)
	}
	is := left.From
	if is.Vanished != req.Vanished.ID || is.Source != *req.Vanished || is.Time.IsZero() || is.Snapshot == "" || is.SnapshotID != from.SnapshotID || from.SnapshotID == "" && is.Snapshot != from.Snapshot {
		t.Errorf("it is to be made of %+v, want of %+v in the place of %+v", is, from, req.Vanished)
	}
	if left.Details.Engine == "" || left.Details.Version == "" {
		t.Errorf("nothing says what is in it: %+v", left.Details)
	}
	gone := *req.Vanished
	req.Restore, req.Vanished = is, nil
	restore(t, b, &req)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.Mark != req.Mark || obs.ID == gone.ID {
		t.Errorf("got the mark %+v and the id %q, want the mark %+v and an id of its own", obs.Mark, obs.ID, req.Mark)
	}
}

func leavesNothing[S any](t testing.TB, b *bench[S]) {
	req, _ := lost(t, b)
	another, elsewhere := req, req
	another.Vanished = &driver.ParentRef{Name: req.Vanished.Name, ID: req.Vanished.ID + "-before"}
	elsewhere.Mark.Namespace += "-elsewhere"
	for what, asks := range map[string]request[S]{"identity": another, "namespace": elsewhere} {
		if left := b.observe(t, asks).Backup.GetRestorable(); left == nil || left.From != nil || left.Pending {
			t.Errorf("for another %s the cloud has %+v, want nothing", what, left)
		}
	}
}

func asksNothing[S any](t testing.TB, b *bench[S]) {
	req, _ := taken(t, b)
	obs := b.observe(t, req)
	if obs.Backup.GetRestorable() != nil {
		t.Errorf("nobody asked, and got %+v", obs.Backup.GetRestorable())
	}
	req.Vanished = &driver.ParentRef{Name: req.Name, ID: obs.ID}
	if left := b.observe(t, req).Backup.GetRestorable(); left != nil {
		t.Errorf("the object is there, and got %+v", left)
	}
}
