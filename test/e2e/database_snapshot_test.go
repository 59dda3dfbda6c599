package e2e

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
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
