package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// What can't change compares with what the cloud has: a bad edit is refused at once, although the field was never declared, and
// to name what is there is admitted.
func TestWhatCannotChangeIsRefusedAtOnce(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		p := system.MinimalDatabase(c)
		p.DatabaseName = new("app")
		d := w.database(c, "orders", p)
		w.create(d)
		s := w.ready(d)
		w.equal("fixed database", s.Status.Fixed["databaseName"], "app")
		w.equal("fixed engine", s.Status.Fixed["engine"], "postgres")
		w.equal("fixed username", s.Status.Fixed["credentials.username"], "postgres")
		mark := len(c.Writes(s.Status.ExternalName))

		refused(w, d, "spec.databaseName can't change", func(d *v1alpha1.Database) { d.Spec.DatabaseName = new("foo") })
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("postgres")}
		})
		w.ready(d)
		refused(w, d, "spec.credentials.username can't change", func(d *v1alpha1.Database) { d.Spec.Credentials.Username = new("boss") })
		w.observedAgain(c, s.Status.ExternalName, 1)
		w.equal("writes", len(c.Writes(s.Status.ExternalName)), mark)
	})
}

// A bad edit that is stored all the same, as by an earlier release, can be taken back, and meanwhile nothing restarts.
func TestNothingRestartsBesideWhatIsImpossible(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	w.create(d)
	name := w.ready(d).Status.ExternalName
	mark := len(c.Writes(name))
	w.forgetFixed(d)
	edit(w, d, func(d *v1alpha1.Database) {
		delete(d.Annotations, v1alpha1.AnnotationPaused)
		d.Spec.DatabaseName = new("foo")
		d.Spec.AWS.InstanceClass = new("db.t4g.small")
	})
	w.stalled(d, v1alpha1.ReasonImmutable, `databaseName can't change from "postgres" to "foo"`)
	w.observedAgain(c, name, 2)
	w.equal("writes", len(c.Writes(name)), mark)
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.DatabaseName = nil })
	w.ready(d)
	w.expectWrites(c, name, mark, "ModifyDBInstance")
}

// forgetFixed makes the status of a database that of an earlier release. It pauses the database, so that nobody writes it anew.
func (w *fixture) forgetFixed(d *v1alpha1.Database) {
	w.Helper()
	edit(w, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
	w.state(d, "paused", func(s system.Snapshot) bool {
		synced := s.Condition(v1alpha1.ConditionSynced)
		return synced != nil && synced.Reason == string(v1alpha1.ReasonPaused)
	})
	for done := false; !done; {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(d), d))
		d.Status.Fixed = nil
		err := w.Client.Status().Update(w.Context(), d)
		if done = err == nil; !done && !apierrors.IsConflict(err) {
			w.Must(err)
		}
	}
}
