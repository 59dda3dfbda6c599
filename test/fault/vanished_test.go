package fault

import (
	"slices"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// TestVanishedComesBack deletes the server of a database in the cloud, and goes through the writes by which it is restored one by one, as TestWrites and TestKilled do.
// Whatever becomes of one of them, one server takes its place: it is made once, of what was left, and has the password that is published.
func TestVanishedComesBack(t *testing.T) {
	sweepPhase(t, loss)
}

// TestDeletedIsRestoredOnce does the same with a database that is deleted, and restored under its own name by the automated backups that outlive it.
func TestDeletedIsRestoredOnce(t *testing.T) {
	sweepPhase(t, revival)
}

// lose deletes the database's server in the cloud, and waits until another one took its place and has its data. What was left of it goes then.
func (l *lifecycle) lose(t testing.TB) {
	t.Helper()
	l.patch(t, func(o client.Object) { system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedRestore })
	l.awaitReady(t)
	before, published := system.StatusOf(l.get(t)), l.password(t)
	databases := l.console().Databases()
	databases.Lose(t, before.ExternalName)
	l.patch(t, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationReconcile: "lost"}) })
	await(t, l.name+": another server is ready", func() string {
		o := l.cached(t.Context())
		if status := system.StatusOf(o); status.ExternalID == before.ExternalID || status.ExternalID == "" || status.FirstReadyTime == nil {
			return conditions(status.Conditions)
		}
		return unready(o)
	})
	if from := l.get(t).(*v1alpha1.Database).Status.RestoredFrom; from == nil || from.VanishedID != before.ExternalID || from.Time == nil {
		t.Errorf("the status says that it was restored from %+v, want from %s", from, before.ExternalID)
	}
	await(t, l.name+": an Event tells the loss", func() string {
		events := &eventsv1.EventList{}
		l.must(t, l.Client.List(t.Context(), events, client.InNamespace(l.name)))
		if !slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool { return e.Reason == v1alpha1.EventDataLost }) {
			return "there is none"
		}
		return ""
	})
	if l.password(t) != published {
		t.Error("another password is published")
	}
	for _, name := range databases.Snapshots(t, before.ExternalName) {
		l.console().Snapshots().DropSnapshot(t, name)
	}
}

// ofPeople reports whether a write to the cloud is of the people who delete the server, or what was left of it.
func ofPeople(p phase, c call) bool {
	writes := map[phase][]string{loss: {"DeleteDBInstance", "instances.delete", "Backups.DeleteBackup"}, revival: {"DeleteDBSnapshot"}}
	return c.side == cloud && slices.Contains(writes[p], c.name)
}
