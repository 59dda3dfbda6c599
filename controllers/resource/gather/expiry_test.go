package gather

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// An object whose time has passed is deleted, but for one that is deleted already, and one that something is being restored from.
func TestExpired(t *testing.T) {
	restored := func(change func(*v1alpha1.Database)) *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "copy"}}
		d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: "x"}}
		if change != nil {
			change(d)
		}
		return d
	}
	const passed, coming = 3600, 3599
	for _, tt := range []struct {
		name    string
		now     int64
		there   *v1alpha1.Database
		deleted bool
		expires bool
	}{
		{name: "its time comes", now: coming},
		{name: "its time has passed", now: passed, expires: true},
		{name: "it is being deleted", now: passed, deleted: true},
		{name: "something is being restored from it", now: passed, there: restored(nil)},
		{name: "something was restored from it", now: passed, there: restored(func(d *v1alpha1.Database) { d.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)} }), expires: true},
		{name: "something is being restored from another", now: passed, there: restored(func(d *v1alpha1.Database) { d.Spec.RestoreFrom.SnapshotRef.Name = "y" }), expires: true},
		{name: "what was to be restored is being deleted", now: passed, there: restored(func(d *v1alpha1.Database) {
			d.DeletionTimestamp, d.Finalizers = &metav1.Time{Time: time.Unix(1, 0)}, []string{v1alpha1.FinalizerResource}
		}), expires: true},
		{name: "something is being restored in another namespace", now: passed, there: restored(func(d *v1alpha1.Database) { d.Namespace = "bank" }), expires: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x", Finalizers: []string{v1alpha1.FinalizerResource}}}
			s.Spec.ExpiresAfter, s.Status.CreationTime, s.CreationTimestamp = "1h", &metav1.Time{Time: time.Unix(0, 0)}, metav1.Unix(0, 0)
			if tt.deleted {
				s.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)}
			}
			k, c := kind.DatabaseSnapshot(), relatives(t)
			if tt.there != nil {
				c = relatives(t, tt.there)
			}
			g := (&Gatherer{Kind: k, Family: kind.FamilyOf(k, kind.All()), Cache: c}).begin(reconciliation.Begin(s, time.Unix(tt.now, 0), reconciliation.News{}, reconciliation.Memory{}))
			if err := (&expiring{g}).findHolders(t.Context()); err != nil {
				t.Fatal(err)
			}
			stop := isNotExpired(g.State)
			if (stop != nil) != tt.expires || stop != nil && (stop.Action == nil || stop.Action.Verb != plan.Expire) {
				t.Errorf("got %+v", stop)
			}
		})
	}
}
