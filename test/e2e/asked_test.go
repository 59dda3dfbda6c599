package e2e

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// Cloud SQL is asked once an hour whether the initial database is still in the server. Who asks for a reconciliation
// is told at once.
func TestADroppedDatabaseIsToldToWhoAsks(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	d := connected(w.database(c, "orders", system.MinimalDatabase(c)))
	d.Spec.DatabaseName = new("stock")
	w.create(d)
	name := w.ready(d).Status.ExternalName
	c.DropDatabase(t, name, "stock")
	w.Disturb()
	for _, value := range []string{"once", "again"} {
		before := c.Observations(name)
		w.asks(d, v1alpha1.AnnotationReconcile, value)
		w.Eventually("it is looked at", func() bool { return c.Observations(name) > before })
	}
	told := w.state(d, "the loss is told", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionStalled, yes) })
	if message := told.Condition(v1alpha1.ConditionStalled).Message; !strings.Contains(message, "the database stock") {
		t.Errorf("it says %q", message)
	}
}
