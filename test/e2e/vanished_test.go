package e2e

import (
	"fmt"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// lossTold waits for the Event that says what of a database is lost, and returns its words.
func (w *fixture) lossTold(d *v1alpha1.Database, about string) (note string) {
	w.Helper()
	list := &eventsv1.EventList{}
	w.AwaitList(list, "the loss of "+d.Name+" is told", func() bool {
		for _, e := range list.Items {
			if e.Regarding.UID == d.UID && e.Reason == v1alpha1.EventDataLost && strings.Contains(e.Note, about) {
				note = e.Note
			}
		}
		return note != ""
	})
	return note
}

// A database that somebody deleted in the cloud comes back under its name with its rows, and under the password of its Secret: as often as that happens.
func TestRestoreOfTheVanished(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, secret := w.sold(c, v1alpha1.EnginePostgres)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.WhenVanished = v1alpha1.WhenVanishedRestore })
		for n := 1; n <= 2; n++ {
			before := w.ready(d)
			name, id := before.Status.ExternalName, before.Status.ExternalID
			w.Disturb()
			c.Databases().Lose(w.T, name)
			after := w.state(d, "another server", func(s system.Snapshot) bool {
				return s.IsReady(d) && s.Status.FirstReadyTime != nil && s.Status.ExternalID != id
			})
			w.equal("its name", after.Status.ExternalName, name)
			now := w.Secret("orders-db")
			w.equal("the password", string(now["password"]), string(secret["password"]))
			w.equal("orders", w.orders(now), n)
			w.Refresh(d)
			from := d.Status.RestoredFrom
			if from == nil || from.VanishedID != id || from.Time == nil {
				w.Fatalf("the status says that it was restored from %+v, want from %s", from, id)
			}
			told := w.lossTold(d, from.Time.UTC().Format("2006-01-02T15:04:05Z"))
			if !strings.Contains(told, "what was written to it after ") {
				w.Errorf("the Event says %q", told)
			}
			w.Must(w.exec(now, fmt.Sprintf("INSERT INTO orders VALUES (%d)", n+1)))
		}
	})
}

// Of a database of which nothing is left nothing is made, until somebody asks for an empty one.
func TestNothingIsLeftOfTheVanished(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.WhenVanished = v1alpha1.WhenVanishedRestore
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.Disturb()
		c.Databases().Delete(w.T, name)
		w.stalled(d, v1alpha1.ReasonVanished, "there is nothing to restore", "set spec.whenVanished: Recreate to create a new, empty one")
		if n := count(c.Writes(name), made.Restore); n != 0 {
			w.Errorf("something was restored: %q", c.Writes(name))
		}
		w.Disturb()
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate })
		w.ready(d)
	})
}

// A restore that has begun goes on, also if the cloud refuses it for a while and the policy is another by then: nothing empty comes in its place.
func TestARestoreThatHasBegunGoesOn(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.WhenVanished = v1alpha1.WhenVanishedRestore
		w.create(d)
		before := w.ready(d)
		name, id := before.Status.ExternalName, before.Status.ExternalID
		w.Disturb()
		refuses := map[string]string{"aws": "RestoreDBInstanceToPointInTime", "gcp": made.Restore}[c.Name]
		lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: refuses, Resource: name}, Kind: localcloud.Throttled})
		c.Databases().Lose(w.T, name)
		w.AwaitObject(d, "the restore has begun", func() bool {
			return d.Status.RestoredFrom != nil && d.Status.RestoredFrom.VanishedID != "" && d.Status.FirstReadyTime == nil
		})
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate })
		w.observedAgain(c, name, 2)
		lift()
		w.ready(d)
		w.Refresh(d)
		if from := d.Status.RestoredFrom; from == nil || from.VanishedID != id {
			w.Errorf("the status says that it was restored from %+v, want from %q", from, id)
		}
		target := system.TargetOf("Database", c.Name)
		if n := count(c.Writes(name), target.Create); n != 1 {
			w.Errorf("a new one was created %d times, want once: %q", n, c.Writes(name))
		}
	})
}

// As long as the cloud does not say what is left of a database, the conditions say that it is gone.
func TestVanishedIsToldBeforeItIsRestored(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		c = w.alone(c.Name) // deletions of other tests make one of these calls, too
		people := system.NewCloudAccount(c.Cloud, c.Name, c.Account)
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.WhenVanished = v1alpha1.WhenVanishedRestore
		w.create(d)
		before := w.ready(d)
		w.Disturb()
		looks := map[string]string{"aws": "DescribeDBInstanceAutomatedBackups", "gcp": "Backups.ListBackups"}[c.Name]
		lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Account: c.Account, Operation: looks}, Kind: localcloud.Denied})
		defer lift()
		people.Databases().Lose(w.T, before.Status.ExternalName)
		w.state(d, "not available", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionAvailable, no) })
		w.stalled(d, v1alpha1.ReasonDenied, "look for what is left of it")
		lift()
		edit(w, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "now"} })
		w.state(d, "another server", func(s system.Snapshot) bool {
			return s.IsReady(d) && s.Status.FirstReadyTime != nil && s.Status.ExternalID != before.Status.ExternalID
		})
	})
}
