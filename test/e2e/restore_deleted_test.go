package e2e

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// toTime restores a Database of the namespace as it was at a time; nil for the latest one.
func toTime(name string, at *metav1.Time) v1alpha1.DatabaseRestore {
	return v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: name}, Time: at}}
}

// A database that was deleted comes back as it was between two rows, under another name, and under its own name as it was at last, by the automated backups that RDS retained. The
// mark on these says whose they are, also in an account that is shared. Cloud SQL has no such restore, and the message says what else there is.
func TestRestoreOfADeletedDatabaseToAPointInTime(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, secret := w.sold(c, v1alpha1.EnginePostgres)
		at := metav1.Time{Time: time.Now().Add(time.Second).Truncate(time.Second)} // after the first row
		w.Eventually("that time has passed", func() bool { return time.Since(at.Time) > 100*time.Millisecond })
		w.Must(w.exec(secret, "INSERT INTO orders VALUES (2)"))
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot })
		was := w.ready(d).Status
		w.delete(d)
		w.awaitDeleted(d)

		if c.Name == "gcp" {
			for _, name := range []string{"restored", "orders"} {
				again := w.restores(d, name, toTime("orders", nil))
				w.create(again)
				w.awaitMissing(again, v1alpha1.ReasonSnapshotNotFound, "restores no deleted server to a point in time", "spec.source.externalName")
			}
			return
		}
		between := w.restores(d, "restored", toTime("orders", &at))
		w.create(between)
		w.ready(between)
		w.equal("orders between the two rows", w.orders(w.Secret("restored-db")), 1)
		w.Refresh(between)
		if from := between.Status.RestoredFrom; from == nil || from.Server != was.ExternalName || from.Time == nil || !from.Time.Equal(&at) || from.VanishedID != "" {
			w.Errorf("the status says that it was restored from %+v, want from %s", from, was.ExternalName)
		}
		early := w.restores(d, "early", toTime("orders", &metav1.Time{Time: at.Add(-time.Hour)}))
		w.create(early)
		w.stalled(early, v1alpha1.ReasonInvalid, "has backups from ", "set a time in between")
		edit(w, early, func(d *v1alpha1.Database) { d.Spec.RestoreFrom.PointInTime.Time = &at })
		w.ready(early)
		w.equal("orders, once the time is right", w.orders(w.Secret("early-db")), 1)

		again := w.restores(d, "orders", toTime("orders", nil))
		w.create(again)
		is := w.ready(again).Status
		restored := w.Secret("orders-db")
		w.equal("orders at last", w.orders(restored), 2)
		if is.ExternalName != was.ExternalName || is.ExternalID == was.ExternalID {
			w.Errorf("the server is %s (%s), want another one of the name %s", is.ExternalName, is.ExternalID, was.ExternalName)
		}
		if string(restored["password"]) == string(secret["password"]) {
			w.Error("the restored server has the password of the deleted one")
		}
	})
}

// Nothing is left of a database that was deleted with its backups, and nothing empty comes in its place.
func TestNothingIsLeftOfADeletedDatabase(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	d.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	w.create(d)
	w.ready(d)
	w.delete(d)
	w.awaitDeleted(d)
	for _, tt := range []struct{ name, says string }{
		{"restored", "there is no Database orders in this namespace"}, {"orders", "names this object itself, which does not exist in the cloud"},
	} {
		again := w.restores(d, tt.name, toTime("orders", nil))
		w.create(again)
		w.awaitMissing(again, v1alpha1.ReasonSnapshotNotFound, tt.says, "there is nothing to restore")
		w.Refresh(again)
		if server := again.Status.ExternalName; server != "" && slices.Contains(c.Databases().Names(w.T), server) {
			w.Errorf("%s was created", server)
		}
	}
}
