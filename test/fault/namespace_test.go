package fault

import (
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestNamespaceWithSnapshots deletes a namespace in which there are a database, two snapshots of it, a database that was restored from one of them, and one that waits for
// a snapshot. It ends, what a policy keeps stays in the cloud, and nothing else.
func TestNamespaceWithSnapshots(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{ControllerManager: true}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	var all sync.WaitGroup
	for _, s := range system.Targets {
		if s.Kind != "Database" {
			continue
		}
		all.Go(func() {
			t.Run(s.String(), func(t *testing.T) {
				l := w.prepared(t, s)
				defer l.logIfFailed(t)
				l.enterPhase(creation)
				l.perform(t, creation)
				server, policy := system.StatusOf(l.get(t)).ExternalName, l.get(t).(*v1alpha1.Database).Spec.DeletionPolicy
				kept, gone := l.snapshotOf(t, "kept", v1alpha1.DeletionRetain), l.snapshotOf(t, "gone", v1alpha1.DeletionDelete)
				restored := l.restoredFrom(t, "restored", ofSnapshot(kept.Name))
				l.awaitRestored(t, restored)
				l.restoredFrom(t, "waiting", ofSnapshot("nobody"))
				l.keepLogs(t)
				l.awaitRestored(t, l.replica(t, "reads"))
				l.replica(t, "early") // is perhaps being created, and perhaps not yet
				l.enterPhase(deletion)
				namespaceDeleted(t, l)

				cloud := l.console().Databases()
				if left := cloud.Names(t); len(left) > 0 {
					t.Errorf("the servers %q are left", left)
				}
				have := cloud.Snapshots(t, server)
				final := slices.DeleteFunc(slices.Clone(have), func(name string) bool { return name == kept.Status.ExternalName })
				if !slices.Contains(have, kept.Status.ExternalName) || slices.Contains(have, gone.Status.ExternalName) {
					t.Errorf("the snapshots are %q; want %s to be kept, and %s to be gone", have, kept.Status.ExternalName, gone.Status.ExternalName)
				}
				if keeps := policy == v1alpha1.DeletionSnapshot || policy == ""; (len(final) == 1) != keeps || len(final) > 1 {
					t.Errorf("beside that there are the snapshots %q, and the policy of the database is %s", final, policy)
				}
			})
		})
	}
	all.Wait()
}

// snapshotOf takes a snapshot of the lifecycle's database.
func (l *lifecycle) snapshotOf(t testing.TB, name string, policy v1alpha1.DeletionPolicy) *v1alpha1.DatabaseSnapshot {
	t.Helper()
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: name}}
	s.Spec.Source.DatabaseRef, s.Spec.DeletionPolicy = &v1alpha1.DatabaseReference{Name: l.name}, policy
	l.must(t, l.Client.Create(t.Context(), s))
	l.track(s.UID)
	l.awaitUsable(t, s)
	return s
}

// restoredFrom declares a database that is restored, and of which nothing is kept.
func (l *lifecycle) restoredFrom(t testing.TB, name string, from v1alpha1.DatabaseRestore) *v1alpha1.Database {
	t.Helper()
	of := l.get(t).(*v1alpha1.Database)
	d := l.target.Typical(l.console(), metav1.ObjectMeta{Namespace: l.name, Name: name}).(*v1alpha1.Database)
	d.Spec.ProviderConfigRef, d.Spec.Version, d.Spec.DeletionPolicy = of.Spec.ProviderConfigRef, of.Spec.Version, v1alpha1.DeletionDelete
	d.Spec.Storage, d.Spec.Connection = nil, &v1alpha1.Connection{SecretName: name}
	d.Spec.RestoreFrom = &from
	l.must(t, l.Client.Create(t.Context(), d))
	l.track(d.UID)
	return d
}

// awaitRestored waits until a restored database can be used, with the login in its Secret, and reads its object.
func (l *lifecycle) awaitRestored(t testing.TB, d *v1alpha1.Database) {
	t.Helper()
	key := client.ObjectKeyFromObject(d)
	await(t, l.name+": the restored database is ready", func() string {
		d := &v1alpha1.Database{}
		if err := l.cache.Get(t.Context(), key, d); err != nil {
			return err.Error()
		}
		return unready(d)
	})
	l.must(t, l.Client.Get(t.Context(), key, d))
	l.awaitLogin(t, d.Spec.Connection.SecretName)
}
