package fault

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// TestReplicaIsMadeAndPromotedOnce goes through the writes by which a read replica is made, promoted and deleted, one by one, as TestWrites and TestKilled do. Whatever becomes of one of
// them, there is one replica, with the password of its primary, and it is promoted once.
func TestReplicaIsMadeAndPromotedOnce(t *testing.T) {
	sweepPhase(t, following)
}

// follow makes a read replica of the lifecycle's database, promotes it, and deletes it.
func (l *lifecycle) follow(t testing.TB) {
	t.Helper()
	l.keepLogs(t)
	cloud := l.console().Databases()
	before := cloud.Names(t)
	r := l.replica(t, l.name+"-reads")
	key := client.ObjectKeyFromObject(r)
	l.awaitRestored(t, r)
	if made := cloud.Names(t); len(made) != len(before)+1 || !slices.Contains(made, r.Status.ExternalName) || r.Status.Replica == nil {
		t.Errorf("of the servers %q there are %q once the replica was made, which follows %+v", before, made, r.Status.Replica)
	}
	l.publishesAlike(t, r)
	l.alterPassword(t, "in-between-"+l.name) // which the replica has, too, and keeps when it is promoted
	l.must(t, l.Client.Patch(t.Context(), r, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replica":{"role":"Primary"}}}`))))
	hash := ""
	await(t, l.name+": the promotion waits for approval", func() string {
		d := &v1alpha1.Database{}
		if err := l.cache.Get(t.Context(), key, d); err != nil || d.Status.Plan == nil || d.Status.Plan.Hash == "" {
			return conditions(d.Status.Conditions)
		}
		hash = d.Status.Plan.Hash
		return ""
	})
	l.must(t, l.Client.Patch(t.Context(), r, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+v1alpha1.AnnotationApprove+`":"`+hash+`"}}}`))))
	await(t, l.name+": the replica is promoted", func() string {
		d := &v1alpha1.Database{}
		if err := l.cache.Get(t.Context(), key, d); err != nil || d.Status.Replica != nil {
			return conditions(d.Status.Conditions)
		}
		return unready(d)
	})
	l.publishesAlike(t, r)
	l.awaitLogin(t, r.Spec.Connection.SecretName)
	l.alterPassword(t, l.password(t))
	l.must(t, client.IgnoreNotFound(l.Client.Delete(t.Context(), r)))
	await(t, l.name+": the promoted database is gone", func() string {
		d := &v1alpha1.Database{}
		if err := l.cache.Get(t.Context(), key, d); !apierrors.IsNotFound(err) {
			return conditions(d.Status.Conditions)
		}
		return ""
	})
	if left := cloud.Names(t); !slices.Equal(left, before) {
		t.Errorf("the servers are %q once the promoted one is deleted, want %q", left, before)
	}
	l.awaitReady(t)
}

// keepLogs has the lifecycle's database keep what it takes to have read replicas, where it does not by itself.
func (l *lifecycle) keepLogs(t testing.TB) {
	t.Helper()
	if l.target.Cloud != "gcp" {
		return
	}
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
		s.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(2)), PointInTimeRecovery: new(true)}
	})
	l.awaitReady(t)
}

// replica declares a read replica of the lifecycle's database, of which nothing is kept.
func (l *lifecycle) replica(t testing.TB, name string) *v1alpha1.Database {
	t.Helper()
	of := l.get(t).(*v1alpha1.Database)
	d := l.target.Typical(l.console(), metav1.ObjectMeta{Namespace: l.name, Name: name}).(*v1alpha1.Database)
	d.Spec.ProviderConfigRef, d.Spec.Version, d.Spec.DatabaseName, d.Spec.DeletionPolicy = of.Spec.ProviderConfigRef, of.Spec.Version, of.Spec.DatabaseName, v1alpha1.DeletionDelete
	d.Spec.Storage, d.Spec.Connection = nil, &v1alpha1.Connection{SecretName: name}
	d.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: l.name}}
	l.must(t, l.Client.Create(t.Context(), d))
	l.track(d.UID)
	return d
}

// publishesAlike waits until a database and the lifecycle's own have the same password.
func (l *lifecycle) publishesAlike(t testing.TB, d *v1alpha1.Database) {
	t.Helper()
	want := l.password(t)
	await(t, l.name+": the replica has the password of its primary", func() string {
		s := &corev1.Secret{}
		l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: d.Spec.Connection.SecretName}, s))
		if string(s.Data["password"]) != want {
			return "it has another"
		}
		return ""
	})
}
