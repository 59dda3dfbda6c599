package fault

import (
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// takeSnapshot takes a snapshot of the database, makes another database of it, and deletes both. The account has one of each meanwhile, and none before and after,
// whatever went wrong.
func (l *lifecycle) takeSnapshot(t testing.TB) {
	t.Helper()
	server := system.StatusOf(l.get(t)).ExternalName
	taken := func(want ...string) {
		t.Helper()
		if have := l.console().Databases().Snapshots(t, server); !slices.Equal(have, want) {
			t.Errorf("%s has the snapshots %q, want %q", server, have, want)
		}
	}
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: l.name}}
	s.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: l.name}
	taken()
	l.must(t, l.Client.Create(t.Context(), s))
	l.track(s.UID)
	l.awaitUsable(t, s)
	taken(s.Status.ExternalName)
	l.restoreBeside(t, l.name+"-restored", ofSnapshot(s.Name))
	l.dropSnapshot(t, s)
	taken()
	l.awaitReady(t)
}

// recover makes another database of this one as it is, and deletes it.
func (l *lifecycle) recover(t testing.TB) {
	t.Helper()
	l.restoreBeside(t, l.name+"-recovered", v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: l.name}}})
	l.awaitReady(t)
}

// revive makes another database of this one, deletes it with a final snapshot, makes it again of the automated backups that stay, and deletes it.
func (l *lifecycle) revive(t testing.TB) {
	t.Helper()
	name := l.name + "-revived"
	d := l.restoredFrom(t, name, v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: l.name}}})
	l.awaitRestored(t, d)
	server := d.Status.ExternalName
	l.must(t, l.Client.Patch(t.Context(), d, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"deletionPolicy":"Snapshot"}}`))))
	l.must(t, client.IgnoreNotFound(l.Client.Delete(t.Context(), d)))
	l.awaitDropped(t, d)
	l.verifyFinalSnapshot(t, server) // what the deletion left has its object, whatever went wrong
	l.dropSnapshots(t)
	for _, taken := range l.console().Databases().Snapshots(t, server) {
		l.console().Snapshots().DropSnapshot(t, taken)
	}
	l.restoreBeside(t, name, v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: name}}})
	l.awaitReady(t)
}

func ofSnapshot(name string) v1alpha1.DatabaseRestore {
	return v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: name}}
}

// restoreBeside makes a database of what there is of the first one, beside that, and deletes it.
func (l *lifecycle) restoreBeside(t testing.TB, name string, from v1alpha1.DatabaseRestore) {
	t.Helper()
	cloud := l.console()
	before := cloud.Databases().Names(t)
	d := l.restoredFrom(t, name, from)
	l.awaitRestored(t, d)
	if made := cloud.Databases().Names(t); len(made) != len(before)+1 || !slices.Contains(made, d.Status.ExternalName) {
		t.Errorf("of the servers %q there are %q once %s was restored", before, made, d.Status.ExternalName)
	}
	l.must(t, client.IgnoreNotFound(l.Client.Delete(t.Context(), d)))
	l.awaitDropped(t, d)
	if left := cloud.Databases().Names(t); !slices.Equal(left, before) {
		t.Errorf("the servers are %q once the restored one is deleted, want %q", left, before)
	}
}

// awaitDropped waits until a restored database that is being deleted is gone.
func (l *lifecycle) awaitDropped(t testing.TB, d *v1alpha1.Database) {
	t.Helper()
	key := client.ObjectKeyFromObject(d)
	await(t, l.name+": the restored database is gone", func() string {
		d := &v1alpha1.Database{}
		if err := l.cache.Get(t.Context(), key, d); !apierrors.IsNotFound(err) {
			return conditions(d.Status.Conditions)
		}
		return ""
	})
}

// awaitUsable waits until a snapshot can be used, and reads its object.
func (l *lifecycle) awaitUsable(t testing.TB, s *v1alpha1.DatabaseSnapshot) {
	t.Helper()
	key := client.ObjectKeyFromObject(s)
	await(t, l.name+": its snapshot is ready", func() string {
		s := &v1alpha1.DatabaseSnapshot{}
		if err := l.cache.Get(t.Context(), key, s); err != nil {
			return err.Error()
		}
		if !s.Status.ReadyToUse {
			return conditions(s.Status.Conditions)
		}
		return unready(s)
	})
	l.must(t, l.Client.Get(t.Context(), key, s))
}

func (l *lifecycle) dropSnapshot(t testing.TB, s *v1alpha1.DatabaseSnapshot) {
	t.Helper()
	key := client.ObjectKeyFromObject(s)
	l.must(t, client.IgnoreNotFound(l.Client.Delete(t.Context(), s)))
	await(t, l.name+": its snapshot is gone", func() string {
		s := &v1alpha1.DatabaseSnapshot{}
		if err := l.cache.Get(t.Context(), key, s); !apierrors.IsNotFound(err) {
			return conditions(s.Status.Conditions)
		}
		return ""
	})
}

// snapshots returns the DatabaseSnapshots of the lifecycle's namespace.
func (l *lifecycle) snapshots(t testing.TB) []v1alpha1.DatabaseSnapshot {
	t.Helper()
	all := &v1alpha1.DatabaseSnapshotList{}
	l.must(t, l.Client.List(t.Context(), all, client.InNamespace(l.name)))
	return all.Items
}

// verifyFinalSnapshot checks that an object stands for each snapshot that a deleted server left, and for nothing else, and that it finds the snapshot.
func (l *lifecycle) verifyFinalSnapshot(t testing.TB, server string) {
	t.Helper()
	if l.target.Kind != "Database" {
		return
	}
	var left []string
	for _, s := range l.snapshots(t) {
		l.track(s.UID)
		l.awaitUsable(t, &s)
		left = append(left, s.Status.ExternalName)
	}
	if have := l.console().Databases().Snapshots(t, server); len(have) > 1 || !slices.Equal(have, left) {
		t.Errorf("%s left the snapshots %q, and there are objects for %q", server, have, left)
	}
}

// dropSnapshots deletes the objects of snapshots. What a deletion left stays in the cloud.
func (l *lifecycle) dropSnapshots(t testing.TB) {
	t.Helper()
	for _, s := range l.snapshots(t) {
		l.dropSnapshot(t, &s)
	}
}
