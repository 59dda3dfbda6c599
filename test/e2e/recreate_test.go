package e2e

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A cloud object that vanished and is created again begins with nothing applied: all that the first one got is made again, and
// the object is not Ready before that.
func TestRecreatedInFull(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "again")
		system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedRecreate
		system.Connect(o, "again")
		k.More(o)
		tagged(k, o, "a")
		making := k.CreateMore
		w.create(o)
		name := w.ready(o).Status.ExternalName
		w.equal("writes", c.Writes(name), making)
		for range 2 {
			w.recreated(c, k, o, name, making)
		}
	})
}

// recreated has an object vanish, and checks what is made in its place.
func (w *fixture) recreated(c *system.Cloud, k system.Target, o client.Object, name string, making []string) {
	w.Helper()
	first := w.ready(o)
	w.Disturb()
	k.Drop(c, w.T, name)
	mark := len(c.Writes(name))
	w.Eventually("all of it is made again", func() bool { return len(c.Writes(name)) >= mark+len(making) })
	w.state(o, "ready, and another cloud object", func(s system.Snapshot) bool {
		return s.IsReady(o) && s.Status.FirstReadyTime != nil && (c.Name == "aws" && k.Kind == "Bucket" || s.Status.ExternalID != first.Status.ExternalID)
	})
	w.observedAgain(c, name, 2)
	w.ready(o)
	w.expectWrites(c, name, mark, making...)
	w.equal("what is applied", w.ready(o).Status.Applied, first.Status.Applied)
}

// No state between the loss of a database and the end of its creation is Ready, and what the connection Secret names is there
// once it is.
func TestRecreatedDatabaseCanBeUsed(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		p := system.MinimalDatabase(c)
		p.DatabaseName = new("app")
		d := w.database(c, "orders", p)
		d.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate
		d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("keeper")}
		system.Connect(d, "orders-db")
		w.create(d)
		s := w.ready(d)
		name, first := s.Status.ExternalName, s.Status.ExternalID
		w.Disturb()
		since := len(w.States("Database", d.Name, 0))
		c.Databases().Delete(w.T, name)
		w.state(d, "Ready with another server", func(s system.Snapshot) bool {
			return s.IsReady(d) && s.Status.FirstReadyTime != nil && s.Status.ExternalID != first
		})
		states := w.States("Database", d.Name, since)
		lost := slices.IndexFunc(states, func(s system.Snapshot) bool { return !s.Is(v1alpha1.ConditionReady, yes) })
		if lost < 0 {
			w.Fatal("a server that was lost was Ready all the time")
		}
		for _, s := range states[lost:] {
			if s.Is(v1alpha1.ConditionReady, yes) && !s.IsReady(d) {
				w.Errorf("it is Ready before it is as declared:\n    %v", s)
			}
		}
		user, database, err := w.query(w.Secret("orders-db"))
		w.Must(err)
		w.equal("user", user, "keeper")
		w.equal("database", database, "app")
	})
}
