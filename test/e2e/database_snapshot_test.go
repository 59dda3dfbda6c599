package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// snapshotOf declares a snapshot of a Database.
func (w *fixture) snapshotOf(d *v1alpha1.Database, name string) *v1alpha1.DatabaseSnapshot {
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: w.Meta(name)}
	s.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: d.Name}
	return s
}

// snapshotNamed declares a snapshot that exists.
func (w *fixture) snapshotNamed(c *system.Cloud, name, externalName string) *v1alpha1.DatabaseSnapshot {
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: w.Meta(name)}
	s.Spec.Source.ExternalName, s.Spec.ProviderConfigRef = externalName, c.Ref()
	return s
}

// onEachMade runs a test for the snapshots of each cloud.
func onEachMade(t *testing.T, test func(*fixture, *system.Cloud, system.Made)) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		for _, made := range system.MadeOf {
			if made.Cloud == c.Name {
				test(w, c, made)
			}
		}
	})
}

// usable waits until a snapshot can be used, and returns it as it is stored.
func (w *fixture) usable(s *v1alpha1.DatabaseSnapshot) *v1alpha1.DatabaseSnapshot {
	w.Helper()
	w.ready(s)
	w.Refresh(s)
	if !s.Status.ReadyToUse || s.Status.CreationTime == nil || s.Status.Engine != "postgres" || s.Status.EngineVersion == "" {
		w.Errorf("the status of a snapshot that is Ready: %+v", s.Status)
	}
	return s
}

func count(calls []string, call string) (n int) {
	for _, c := range calls {
		if c == call {
			n++
		}
	}
	return n
}

// A snapshot is taken once, of a Database that may come later, and is deleted with its object.
func TestSnapshotOfADatabase(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		s := w.snapshotOf(d, "before-upgrade")
		w.create(s)
		w.awaitMissing(s, v1alpha1.ReasonParentNotFound, "there is no Database orders")
		w.create(d)
		server := w.ready(d).Status.ExternalName
		w.usable(s)
		name := s.Status.ExternalName
		if s.Status.SourceServer != server || s.Status.Database.ExternalName != server || s.Status.Location != c.Region() || s.Status.Provider != c.Name {
			w.Errorf("the status says of the snapshot of %s: %+v", server, s.Status)
		}
		if mark := driver.MarkFrom(c.Snapshots().SnapshotMark(w.T, name)); mark.Namespace != w.Namespace || mark.Name != s.Name {
			w.Errorf("the snapshot has the mark %+v", mark)
		}
		w.equal("snapshots", c.Databases().Snapshots(w.T, server), []string{name})
		if n := count(append(c.Writes(name), c.Writes(server)...), made.Create); n != 1 {
			w.Errorf("%s was called %d times, want once", made.Create, n)
		}
		refused(w, s, "spec.source can't change", func(s *v1alpha1.DatabaseSnapshot) { s.Spec.Source.DatabaseRef.Name = "others" })
		w.delete(s)
		w.awaitDeleted(s)
		if c.Snapshots().SnapshotMark(w.T, name) != nil {
			w.Error("the snapshot is still in the cloud")
		}
	})
}

// A snapshot outlives its Database: its object stays Ready, and deletes the snapshot.
func TestSnapshotOutlivesItsDatabase(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		s := w.snapshotOf(d, "kept")
		w.create(s)
		name := w.usable(s).Status.ExternalName
		w.delete(d)
		w.awaitDeleted(d)
		edit(w, s, func(s *v1alpha1.DatabaseSnapshot) {
			s.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "1"}
		})
		w.usable(s)
		w.delete(s)
		w.awaitDeleted(s)
		if c.Snapshots().SnapshotMark(w.T, name) != nil {
			w.Error("the snapshot is still in the cloud")
		}
	})
}

// A snapshot that exists is found, observed or adopted as the spec says, never made, and stays by default.
func TestSnapshotThatExists(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		server := w.ready(d).Status.ExternalName
		theirs := w.Namespace + "-theirs"
		c.Snapshots().TakeSnapshot(w.T, server, theirs)

		w.run("it is nobody's", func(w *fixture) {
			s := w.snapshotNamed(c, "found", theirs)
			w.create(s)
			w.stalled(s, v1alpha1.ReasonNotOwned, "set spec.adoption: IfExists to take it over")
			w.delete(s)
			w.awaitDeleted(s)
		})
		w.run("it is observed", func(w *fixture) {
			s := w.snapshotNamed(c, "seen", theirs)
			s.Spec.Management = v1alpha1.ManagementObserve
			w.create(s)
			if w.usable(s).Status.SourceServer != server {
				w.Errorf("it is a snapshot of %q", s.Status.SourceServer)
			}
			w.delete(s)
			w.awaitDeleted(s)
		})
		w.run("there is none", func(w *fixture) {
			s := w.snapshotNamed(c, "none", w.Namespace+"-none")
			w.create(s)
			w.stalled(s, v1alpha1.ReasonNotFound, "creates none")
			if calls := c.Writes(w.Namespace + "-none"); len(calls) > 0 {
				w.Errorf("calls: %q", calls)
			}
			w.delete(s)
			w.awaitDeleted(s)
		})
		if made.Mark == "" {
			return
		}
		w.run("it is adopted, and stays", func(w *fixture) {
			s := w.snapshotNamed(c, "ours", theirs)
			s.Spec.Adoption = v1alpha1.AdoptionIfExists
			w.create(s)
			w.usable(s)
			w.delete(s)
			w.awaitDeleted(s)
			if mark := driver.MarkFrom(c.Snapshots().SnapshotMark(w.T, theirs)); !mark.Released || mark.Name != "ours" {
				w.Errorf("the mark of what stays is %+v", mark)
			}
		})
		if writes := c.Writes(theirs); slices.Contains(writes, made.Delete) {
			w.Errorf("writes: %q", writes)
		}
	})
}

// Somebody deletes the snapshot in the cloud: it is not taken again, since it would be of another time.
func TestSnapshotVanishes(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		s := w.snapshotOf(d, "nightly")
		w.create(s)
		name := w.usable(s).Status.ExternalName
		c.Snapshots().DropSnapshot(w.T, name)
		edit(w, s, func(s *v1alpha1.DatabaseSnapshot) {
			s.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "1"}
		})
		w.stalled(s, v1alpha1.ReasonVanished)
		calls := append(c.Writes(name), c.Writes(s.Status.SourceServer)...)
		if n := count(calls, made.Create); n != 1 {
			w.Errorf("%s was called %d times: %s", made.Create, n, strings.Join(calls, " "))
		}
	})
}

// final returns the object that a deleted Database left.
func (w *fixture) final(d *v1alpha1.Database) *v1alpha1.DatabaseSnapshot {
	w.Helper()
	all := &v1alpha1.DatabaseSnapshotList{}
	w.Must(w.Client.List(w.Context(), all, client.InNamespace(w.Namespace)))
	for i, s := range all.Items {
		if s.Name == d.Name+"-final-"+string(d.UID)[:8] {
			return &all.Items[i]
		}
	}
	w.Fatalf("%s left no object of its final snapshot; there are %d of other names", d.Name, len(all.Items))
	return nil
}

// A deleted Database leaves an object that stands for its final snapshot, also where a class gave the account. The snapshot stays until a person wants
// it gone.
func TestFinalSnapshotHasAnObject(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) { s.DeletionPolicy = v1alpha1.DeletionSnapshot })
		d := w.tenLines("orders")
		w.create(d)
		server := w.ready(d).Status.ExternalName
		w.delete(d)
		w.awaitDeleted(d)
		s := w.usable(w.final(d))
		name := s.Status.ExternalName
		if s.Spec.DeletionPolicy != v1alpha1.DeletionRetain || s.Status.SourceServer != server || s.Status.AccountID == "" {
			w.Errorf("the object of %s: %+v %+v", name, s.Spec, s.Status)
		}
		w.equal("snapshots", c.Databases().Snapshots(w.T, server), []string{name})

		w.delete(s)
		w.awaitDeleted(s)
		w.equal("snapshots once the object is gone", c.Databases().Snapshots(w.T, server), []string{name})
		if calls := c.Writes(name); slices.Contains(calls, made.Delete) {
			w.Errorf("calls: %q", calls)
		}
	})
}

// The snapshot goes with its object once the deletion policy says so.
func TestFinalSnapshotIsDeleted(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot
		w.create(d)
		server := w.ready(d).Status.ExternalName
		w.delete(d)
		w.awaitDeleted(d)
		s := w.usable(w.final(d))
		edit(w, s, func(s *v1alpha1.DatabaseSnapshot) { s.Spec.DeletionPolicy = v1alpha1.DeletionDelete })
		w.ready(s)
		w.delete(s)
		w.awaitDeleted(s)
		w.equal("snapshots", c.Databases().Snapshots(w.T, server), []string(nil))
	})
}

// A server that is stopped is deleted as any other, and its snapshots outlive it, whatever the cloud has to change of it before.
func TestDeletionOfAStoppedServerKeepsItsSnapshots(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		w.ready(d)
		s := w.snapshotOf(d, "kept")
		w.create(s)
		kept := w.usable(s).Status.ExternalName
		w.power(d, v1alpha1.PowerStateStopped)
		w.down(d)
		w.delete(d)
		w.awaitDeleted(d)
		if c.Snapshots().SnapshotMark(w.T, kept) == nil {
			w.Errorf("%s is gone with its server", kept)
		}
	})
}

// A snapshot that a policy keeps stays when everything is deleted at once, as with a namespace.
func TestRetainedSnapshotOutlivesEverything(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		s, gone := w.snapshotOf(d, "kept"), w.snapshotOf(d, "gone")
		s.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		w.create(s)
		w.create(gone)
		kept, dropped := w.usable(s).Status.ExternalName, w.usable(gone).Status.ExternalName
		for _, o := range []client.Object{s, gone, d} {
			w.delete(o)
		}
		for _, o := range []client.Object{s, gone, d} {
			w.awaitDeleted(o)
		}
		if c.Snapshots().SnapshotMark(w.T, kept) == nil {
			w.Errorf("%s is gone with its server", kept)
		}
		if c.Snapshots().SnapshotMark(w.T, dropped) != nil {
			w.Errorf("%s is still there", dropped)
		}
		// A new object of that name takes over nothing by itself: the snapshot is of another time.
		d = w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		w.ready(d)
		again, before := w.snapshotOf(d, "kept"), len(c.Writes(kept))+len(c.Writes(s.Status.SourceServer))
		w.create(again)
		w.stalled(again, v1alpha1.ReasonNotOwned, "set spec.adoption: IfExists")
		edit(w, again, func(s *v1alpha1.DatabaseSnapshot) { s.Spec.Adoption = v1alpha1.AdoptionIfExists })
		w.usable(again)
		if calls := slices.Concat(c.Writes(kept), c.Writes(again.Status.SourceServer))[before:]; slices.Contains(calls, made.Create) {
			w.Errorf("calls: %q", calls)
		}
	})
}

// A class limits the snapshots of its Databases. One that counts is not left in the cloud without its object, and the place of one that is deleted is free.
func TestAClassLimitsSnapshots(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		class := w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) { s.MaxSnapshotsPerNamespace = new(int32(1)) })
		d := w.tenLines("orders")
		w.create(d)
		w.ready(d)
		first, second := w.snapshotOf(d, "first"), w.snapshotOf(d, "second")
		first.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		w.create(first)
		name := w.usable(first).Status.ExternalName
		w.equal("class", first.Status.Database.ClassName, w.Namespace)
		w.create(second)
		w.stalled(second, v1alpha1.ReasonClassNotAllowed, "has 1 objects of kind DatabaseSnapshot")
		w.delete(first)
		w.stalled(first, v1alpha1.ReasonClassViolated, "set spec.deletionPolicy: Delete")
		if c.Snapshots().SnapshotMark(w.T, name) == nil {
			w.Error("the snapshot is gone, and was to be retained")
		}
		w.Disturb()
		edit(w, first, func(s *v1alpha1.DatabaseSnapshot) { s.Spec.DeletionPolicy = v1alpha1.DeletionDelete })
		w.awaitDeleted(first)
		w.usable(second)
		third := w.snapshotOf(d, "third")
		w.create(third)
		w.stalled(third, v1alpha1.ReasonClassNotAllowed, "has 1 objects of kind DatabaseSnapshot")
		w.Disturb()
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.MaxSnapshotsPerNamespace = new(int32(2)) })
		w.usable(third) // at once, and not a sync period later
	})
}

// Snapshots end by themselves: one at the time that its spec says, and not a sync period later, and a final one after the days that its Database said.
func TestSnapshotsExpire(t *testing.T) {
	t.Parallel()
	clock := newSchedule()
	const sync = 48 * time.Hour // longer than until lets the time pass
	clock.seldom = sync
	day := newDayFixture(t, clock, sync, localcloud.Durations{})
	for _, p := range providersFor(t) {
		day.run(p.Name, func(f *fixture) {
			w, c := &dayFixture{f, clock}, day.onDay(p.Name)
			d := w.database(c, "orders-"+c.Name, system.MinimalDatabase(c))
			d.Spec.DeletionPolicy, d.Spec.FinalSnapshot = v1alpha1.DeletionSnapshot, &v1alpha1.FinalSnapshot{RetainDays: new(int32(1))}
			w.create(d)
			w.until(d, "ready", func(s system.Snapshot) bool { return s.IsReady(d) })
			s := w.snapshotOf(d, "daily-"+c.Name)
			s.Spec.ExpiresAfter = "12h" // twice what until lets pass
			w.create(s)
			w.expires(c, s)
			w.delete(d)
			w.until(d, "deleted", func(s system.Snapshot) bool { return s.Deleted })
			w.expires(c, w.final(d))
		})
	}
}

// expires waits until a snapshot can be used, and holds that it ends when its status says.
func (w *dayFixture) expires(c *system.Cloud, s *v1alpha1.DatabaseSnapshot) {
	w.Helper()
	w.until(s, "ready", func(seen system.Snapshot) bool { return seen.IsReady(s) })
	w.Refresh(s)
	name, at := s.Status.ExternalName, s.Status.DeletionTime
	if at == nil {
		w.Fatalf("nothing says when %s expires: %+v", s.Name, s.Status)
	}
	w.clock.pass(at.Add(-time.Second))
	if w.last(s).Deleting || c.Snapshots().SnapshotMark(w.T, name) == nil {
		w.Errorf("%s is gone before its time", s.Name)
	}
	w.clock.pass(at.Add(10 * time.Minute))
	w.until(s, "deleted", func(s system.Snapshot) bool { return s.Deleted })
	if c.Snapshots().SnapshotMark(w.T, name) != nil {
		w.Errorf("%s is still in the cloud", name)
	}
}
