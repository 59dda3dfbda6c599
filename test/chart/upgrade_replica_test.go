package chart

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A followed is a database with a read replica and a snapshot, of which the releases before know nothing.
type followed struct {
	primary, replica *v1alpha1.Database
	snapshot         *v1alpha1.DatabaseSnapshot
	// is the replica in the cloud, and its password as the connection Secret had it.
	id, password string
}

// makeFollowed makes one in each cloud, and pauses the databases, as docs/upgrade.md says before a rollback.
func (w *fixture) makeFollowed() (all []*followed) {
	w.Helper()
	for _, c := range w.clouds() {
		f := &followed{primary: databaseIn(c, "leads"), replica: databaseIn(c, "reads"), snapshot: &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: c.Name + "-kept"}}}
		f.primary.Spec.Version, f.replica.Spec.Version = new("16"), new("16")
		f.primary.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(5)), PointInTimeRecovery: new(true)}
		f.declare()
		system.Connect(f.primary, f.primary.Name)
		system.Connect(f.replica, f.replica.Name)
		f.snapshot.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: f.primary.Name}
		w.create([]client.Object{f.primary, f.replica})
		w.ready([]client.Object{f.primary, f.replica})
		w.create([]client.Object{f.snapshot})
		w.await(f.snapshot, "ready to use", func() bool { return f.snapshot.Status.ReadyToUse })
		f.id, f.password = f.replica.Status.ExternalID, w.passwordOf(f.replica)
		for _, d := range []*v1alpha1.Database{f.primary, f.replica} {
			w.edit(d, func() { d.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"}) })
			w.is(d, v1alpha1.ConditionReady, v1alpha1.ReasonPaused)
		}
		all = append(all, f)
	}
	return all
}

// declare says what the replica follows.
func (f *followed) declare() {
	f.replica.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: f.primary.Name}}
}

func (w *fixture) passwordOf(o client.Object) string {
	w.Helper()
	s := &corev1.Secret{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), s))
	return string(s.Data["password"])
}

// goesOnFollowing ends the pause after the upgrade that follows a rollback, and applies the YAML again of which the release before dropped the replica: the server still is one, and nothing is written to the cloud.
func (w *fixture) goesOnFollowing(all []*followed) {
	w.Helper()
	calls := w.calls()
	for _, f := range all {
		for _, d := range []*v1alpha1.Database{f.primary, f.replica} {
			w.edit(d, func() { d.SetAnnotations(nil) })
		}
		// If the release before wrote the object, the API server dropped spec.replica, and the object says so until it is applied again.
		w.await(f.replica, "a read replica", func() bool {
			stalled := meta.FindStatusCondition(f.replica.Status.Conditions, v1alpha1.ConditionStalled)
			return isReady(f.replica) && f.replica.Status.Replica != nil || stalled != nil && strings.Contains(stalled.Message, "spec.replica was removed")
		})
		w.edit(f.replica, f.declare)
		both := []client.Object{f.primary, f.replica}
		w.ready(both)
		w.awaitObserved(both)
		w.await(f.primary, "followed", func() bool { return slices.Equal(f.primary.Status.Replicas, []string{f.replica.Status.ExternalName}) })
		w.await(f.snapshot, "ready to use", func() bool { return f.snapshot.Status.ReadyToUse && f.snapshot.DeletionTimestamp == nil })
		if f.replica.Status.ExternalID != f.id || f.replica.Spec.Replica == nil {
			w.Errorf("%s is bound to %s, want %s, and follows %+v", f.replica.Name, f.replica.Status.ExternalID, f.id, f.replica.Spec.Replica)
		}
		if after := w.passwordOf(f.replica); after != f.password {
			w.Errorf("the password of %s is another one", f.replica.Name)
		}
	}
	if writes := w.writes(calls); len(writes) > 0 {
		w.Errorf("after the pause there were writes to the cloud: %q", writes)
	}
}
