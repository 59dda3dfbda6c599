package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Statuses of conditions.
const (
	yes    = metav1.ConditionTrue
	no     = metav1.ConditionFalse
	open   = metav1.ConditionUnknown
	absent = metav1.ConditionStatus("")
)

// A fixture is one test's namespace on the environment.
type fixture struct {
	*system.Fixture
	*system.Recorder
	of     *environment
	number int64
}

// newFixture makes a namespace. With the test go all objects in it, and all their states are checked.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	return newSerialFixture(t)
}

func newSerialFixture(t *testing.T) *fixture {
	t.Helper()
	return shared(t).fixture(t)
}

// fixture makes a namespace on an environment.
func (s *environment) fixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{of: s, number: s.fixtures.Add(1)}
	if s.limited && w.number > s.room {
		t.Fatalf("there is room for %d fixtures: make more", s.room)
	}
	w.Fixture = &system.Fixture{T: t, Environment: s.Environment, Namespace: namespaceName(w.number)}
	w.Must(system.EnsureNamespace(t.Context(), s.Client, w.Namespace))
	w.Recorder = system.Record(t, s.Environment, w.Namespace)
	t.Cleanup(func() {
		defer w.Check(t)
		w.awaitEnd()
	})
	return w
}

func namespaceName(number int64) string { return fmt.Sprintf("test-%d", number) }

// in returns the fixture as a sub-test has it.
func (w *fixture) in(t *testing.T) *fixture {
	sub := *w
	sub.Fixture = w.With(t)
	return &sub
}

// run runs a sub-test in the same fixture, and ends the test if it fails: what follows builds on it.
func (w *fixture) run(name string, f func(*fixture)) {
	w.Helper()
	if !w.Run(name, func(t *testing.T) { f(w.in(t)) }) {
		w.FailNow()
	}
}

func (w *fixture) create(o client.Object) {
	w.Helper()
	w.Must(w.Client.Create(w.Context(), o))
	w.Cleanup(func() { w.discard(o) })
}

// discard deletes an object. The fixture waits for its end, so that all of them go at once.
func (w *fixture) discard(o client.Object) {
	if err := client.IgnoreNotFound(w.Client.Delete(suite.Context(), o)); err != nil {
		w.Error(err)
	}
}

// awaitEnd waits until every object of the fixture is gone, or can't go before somebody acts.
func (w *fixture) awaitEnd() {
	w.Helper()
	ends := func(ofSnapshots bool) {
		for _, o := range w.Objects() {
			if (o.Kind == "DatabaseSnapshot") == ofSnapshots {
				w.awaitEndOf(o)
			}
		}
	}
	ends(false)
	left := &v1alpha1.DatabaseSnapshotList{} // by databases
	w.Must(w.Client.List(suite.Context(), left, client.InNamespace(w.Namespace)))
	for _, s := range left.Items {
		w.discard(&s)
	}
	ends(true)
}

func (w *fixture) awaitEndOf(o system.Snapshot) {
	w.Helper()
	w.Await(w.T, o.Kind, o.Name, "deleted, or stalled on its way", func(s system.Snapshot) bool {
		return s.Deleted || s.Deleting && s.ObservedGeneration == s.Generation && s.Is(v1alpha1.ConditionStalled, yes)
	})
}

// edit changes an object as a person would, and returns the number of states that were known before.
func edit[T client.Object](w *fixture, o T, change func(T)) (since int) {
	w.Helper()
	for {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
		change(o)
		since = len(w.States(system.KindOf(o), o.GetName(), 0))
		err := w.Client.Update(w.Context(), o)
		if !apierrors.IsConflict(err) {
			w.Must(err)
			return since
		}
	}
}

// refused tries an edit that admission must refuse, with a message that says why.
func refused[T client.Object](w *fixture, o T, why string, change func(T)) {
	w.Helper()
	var err error = apierrors.NewConflict(schema.GroupResource{}, "", nil)
	for apierrors.IsConflict(err) {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
		change(o)
		err = w.Client.Update(w.Context(), o)
	}
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), why) {
		w.Errorf("the edit is answered with %v, want it to be refused because %q", err, why)
	}
}

func (w *fixture) state(o client.Object, what string, wanted func(system.Snapshot) bool) system.Snapshot {
	w.Helper()
	return w.Await(w.T, system.KindOf(o), o.GetName(), what, wanted)
}

// ready waits until this generation is applied and all is as declared.
func (w *fixture) ready(o client.Object) system.Snapshot {
	w.Helper()
	return w.state(o, "ready and synced", func(s system.Snapshot) bool { return s.IsReady(o) })
}

// stalled waits until a person has to act, and checks that the message says about what.
func (w *fixture) stalled(o client.Object, reason v1alpha1.Reason, says ...string) system.Snapshot {
	w.Helper()
	s := w.state(o, "stalled: "+string(reason), func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionStalled)
		return s.Generation >= o.GetGeneration() && c != nil && c.Status == yes && c.Reason == string(reason) &&
			(s.KStatus == status.FailedStatus || s.Deleting && s.ObservedGeneration == s.Generation)
	})
	for _, text := range says {
		if message := s.Condition(v1alpha1.ConditionStalled).Message; !strings.Contains(message, text) {
			w.Errorf("the message is %q, want it to say %q", message, text)
		}
	}
	return s
}

// awaitMissing waits until a new object says that what it refers to is not there: it waits for that, or is a person's to mend after
// a minute.
func (w *fixture) awaitMissing(o client.Object, reason v1alpha1.Reason, says ...string) {
	w.Helper()
	said := func(s system.Snapshot) *metav1.Condition {
		for name, want := range map[string]status.Status{
			v1alpha1.ConditionReconciling: status.InProgressStatus, v1alpha1.ConditionStalled: status.FailedStatus,
		} {
			if c := s.Condition(name); c != nil && c.Status == yes && c.Reason == string(reason) && s.KStatus == want {
				return c
			}
		}
		return nil
	}
	s := w.state(o, "without what it refers to: "+string(reason), func(s system.Snapshot) bool {
		return s.ObservedGeneration == o.GetGeneration() && said(s) != nil
	})
	for _, text := range says {
		if message := s.Told(); !strings.Contains(message, text) {
			w.Errorf("the message is %q, want it to say %q", message, text)
		}
	}
}

// awaitDeleted waits until an object has left the API server.
func (w *fixture) awaitDeleted(o client.Object) {
	w.Helper()
	w.state(o, "deleted", func(s system.Snapshot) bool { return s.Deleted })
}

func (w *fixture) delete(o client.Object) {
	w.Helper()
	w.Must(w.Client.Delete(w.Context(), o))
}

// observedAgain waits until the cloud object was looked at n times more.
func (w *fixture) observedAgain(c *system.Cloud, name string, n int) {
	w.Helper()
	before := c.Observations(name)
	w.Eventually(fmt.Sprintf("%s is looked at", name), func() bool { return c.Observations(name) >= before+n })
}

// expectWrites checks what a change cost: the writes to one cloud object since mark, seen after the next look at it. Of these
// the test itself made the first.
func (w *fixture) expectWrites(c *system.Cloud, name string, mark int, want ...string) {
	w.Helper()
	w.observedAgain(c, name, 1)
	if got := c.Writes(name)[mark:]; !slices.Equal(got, want) {
		w.Errorf("writes to %s: %q, want %q", name, got, want)
		for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Writes}) {
			w.Logf("%s %s by %s: %d %s", call.Time.Format(time.StampMilli), call.Operation, call.Caller, call.Status, call.Code)
		}
		events := &eventsv1.EventList{}
		w.Must(w.Client.List(w.Context(), events, client.InNamespace(w.Namespace)))
		for _, e := range events.Items {
			w.Logf("%s %s %s: %s", e.CreationTimestamp.Format(time.TimeOnly), e.Regarding.Name, e.Reason, e.Note)
		}
	}
}

// changesLimited are the fields that are changed where Mooring is limited to namespaces, too. Its rights and its caches there do not depend on
// the field, and what follows the changes builds on these.
var changesLimited = []string{"tags", "version", "deletionProtection", "publicAccess", "forceDestroy"}

// changes reports whether a test changes a field.
func (w *fixture) changes(field string) bool {
	return !w.of.limited || slices.Contains(changesLimited, field)
}
