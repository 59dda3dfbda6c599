package drivertest

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// deleted makes an object and deletes it with a final snapshot. It returns the request of the object, with its identity, and one that asks what is left of it.
func deleted[S any](t testing.TB, b *bench[S]) (was, asks request[S]) {
	t.Helper()
	was = b.request(t, b.kind.Full())
	was.ID = b.create(t, &was).ID
	b.Finish(t)
	gone := was
	gone.Deletion = &driver.Deletion{}
	if b.kind.Snapshots {
		gone.Deletion.Snapshot = was.Name + "-final-1"
	}
	b.gone(t, &gone)
	asks = b.request(t, b.kind.Full())
	asks.Vanished = &driver.ParentRef{Name: was.Name}
	asks.VanishedMark = driver.Mark{Cluster: was.Mark.Cluster, Namespace: was.Mark.Namespace, Name: was.Mark.Name}
	return was, asks
}

func restoredDeleted[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.described(t).Capabilities.RestoresDeleted, "way to restore what was deleted to a time")
	was, asks := deleted(t, b)
	for what, change := range map[string]func(*request[S]){
		"its name and its mark": func(*request[S]) {},
		"its mark":              func(r *request[S]) { r.Vanished = &driver.ParentRef{Name: r.Vanished.Name + "-other"} },
		"its name":              func(r *request[S]) { r.VanishedMark.Name += "-other" },
	} {
		asks := asks
		change(&asks)
		left := b.observe(t, asks).Backup.GetRestorable()
		if left == nil || len(left.Backups) != 1 {
			t.Fatalf("by %s the cloud has %+v, want the backups of one", what, left)
		}
		is := left.Backups[0]
		if is.From.Source != (driver.ParentRef{Name: was.Name, ID: was.ID}) || !is.Mark.SameOwner(was.Mark) || !is.Complete {
			t.Errorf("by %s they are of %+v with the mark %+v, complete: %t; want those of %q with %+v", what, is.From.Source, is.Mark, is.Complete, was.ID, was.Mark)
		}
		if is.Since.IsZero() || is.From.Time.Before(is.Since) || is.Details.Engine == "" || is.Details.Version == "" {
			t.Errorf("by %s they are from %v to %v, of %+v", what, is.Since, is.From.Time, is.Details)
		}
	}
	is := b.observe(t, asks).Backup.GetRestorable().Backups[0]
	for _, from := range []driver.Restore{{Source: is.From.Source}, {Source: is.From.Source, Time: is.Since.Add(is.From.Time.Sub(is.Since) / 2)}} {
		req := ofSnapshot(t, b, &from)
		restore(t, b, &req)
		obs := b.observe(t, req)
		unchanged(t, obs)
		if obs.Mark != req.Mark || !obs.Available || obs.ID == was.ID {
			t.Errorf("got the mark %+v and the id %q, available: %t; want the mark %+v and an id of its own", obs.Mark, obs.ID, obs.Available, req.Mark)
		}
	}
	late := ofSnapshot(t, b, &driver.Restore{Source: is.From.Source, Time: is.From.Time.Add(1)})
	makesNothing(t, b, late, driver.Invalid)
	other := ofSnapshot(t, b, &driver.Restore{Source: driver.ParentRef{Name: was.Name, ID: was.ID + "-before"}})
	makesNothing(t, b, other, driver.NotFound)
}

func deletedOfAnother[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.described(t).Capabilities.RestoresDeleted, "way to restore what was deleted to a time")
	_, asks := deleted(t, b)
	asks.Vanished = &driver.ParentRef{Name: asks.Vanished.Name + "-other"}
	for what, mark := range map[string]driver.Mark{
		"of another name":      {Cluster: asks.VanishedMark.Cluster, Namespace: asks.VanishedMark.Namespace, Name: asks.VanishedMark.Name + "-other"},
		"of another namespace": {Cluster: asks.VanishedMark.Cluster, Namespace: asks.VanishedMark.Namespace + "-other", Name: asks.VanishedMark.Name},
		"of another cluster":   {Cluster: asks.VanishedMark.Cluster + "-other", Namespace: asks.VanishedMark.Namespace, Name: asks.VanishedMark.Name},
	} {
		asks.VanishedMark = mark
		if left := b.observe(t, asks).Backup.GetRestorable(); left == nil || len(left.Backups) > 0 {
			t.Errorf("with the mark %s the cloud has %+v, want nothing", what, left)
		}
	}
}

func leftOfTheLiving[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.described(t).Capabilities.RestoresDeleted, "way to restore what was deleted to a time")
	of := b.request(t, b.kind.Full())
	b.create(t, &of)
	b.Finish(t)
	asks := b.request(t, b.kind.Full())
	if obs := b.observe(t, asks); obs.Backup.GetRestorable() != nil {
		t.Errorf("nobody asked, and got %+v", obs.Backup.GetRestorable())
	}
	asks.Vanished, asks.VanishedMark = &driver.ParentRef{Name: of.Name}, driver.Mark{Cluster: of.Mark.Cluster, Namespace: of.Mark.Namespace, Name: of.Mark.Name}
	if left := b.observe(t, asks).Backup.GetRestorable(); left == nil || len(left.Backups) > 0 {
		t.Errorf("of an object that is there the cloud has %+v, want nothing", left)
	}
}

func saysNothingOfTheDeleted[S any](t testing.TB, b *bench[S]) {
	can := b.described(t).Capabilities
	skipUnless(t, can.Restores && !can.RestoresDeleted, "kind of which nothing that was deleted is restored to a time")
	was, asks := deleted(t, b)
	if left := b.observe(t, asks).Backup.GetRestorable(); left != nil && (len(left.Backups) > 0 || left.From != nil) {
		t.Errorf("the cloud has %+v, and can't restore it to a time", left)
	}
	if can.PointInTime {
		req := ofSnapshot(t, b, &driver.Restore{Source: driver.ParentRef{Name: was.Name, ID: was.ID}, SourceMark: was.Mark})
		makesNothing(t, b, req, driver.NotFound)
	}
}
