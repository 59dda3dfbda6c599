package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A world is one test's namespace on the stage.
type world struct {
	*testing.T
	*stage
	*chronicle
	number    int64
	namespace string
}

// newWorld makes a namespace. With the test go all objects in it, and all their states are checked.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return newWorldAlone(t)
}

func newWorldAlone(t *testing.T) *world {
	t.Helper()
	return shared(t).world(t)
}

// world makes a namespace on a stage.
func (s *stage) world(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, stage: s, number: s.worlds.Add(1)}
	if limited && w.number > s.room {
		t.Fatalf("there is room for %d worlds: make more", s.room)
	}
	w.namespace = worldName(w.number)
	w.must(system.EnsureNamespace(t.Context(), s.Client, w.namespace))
	w.chronicle = s.follow(t, w.namespace)
	t.Cleanup(func() {
		defer w.check(t)
		w.ends()
	})
	return w
}

func worldName(number int64) string { return fmt.Sprintf("world-%d", number) }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// in returns the world as a sub-test has it.
func (w *world) in(t *testing.T) *world {
	sub := *w
	sub.T = t
	return &sub
}

// run runs a sub-test in the same world, and ends the test if it fails: what follows builds on it.
func (w *world) run(name string, f func(*world)) {
	w.Helper()
	if !w.Run(name, func(t *testing.T) { f(w.in(t)) }) {
		w.FailNow()
	}
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name}
}

func kindOf(o client.Object) string {
	switch o.(type) {
	case *v1alpha1.Bucket:
		return "Bucket"
	case *v1alpha1.Database:
		return "Database"
	default:
		panic(fmt.Sprintf("%T", o))
	}
}

func (w *world) create(o client.Object) {
	w.Helper()
	w.must(w.Client.Create(w.Context(), o))
	w.Cleanup(func() { w.discard(o) })
}

// discard deletes an object. The world waits for its end, so that all of them go at once.
func (w *world) discard(o client.Object) {
	if err := client.IgnoreNotFound(w.Client.Delete(whole.Context(), o)); err != nil {
		w.Error(err)
	}
}

// ends waits until every object of the world is gone, or can't go before somebody acts.
func (w *world) ends() {
	w.Helper()
	for _, o := range w.objects() {
		w.await(w.T, o.kind, o.name, "gone, or stalled on its way", func(s snapshot) bool {
			return s.gone || s.deleting && s.observed == s.generation && s.is(v1alpha1.ConditionStalled, yes)
		})
	}
}

// edit changes an object as a person would, and returns the number of states that were known before.
func edit[T client.Object](w *world, o T, change func(T)) (since int) {
	w.Helper()
	for {
		w.must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
		change(o)
		since = len(w.of(kindOf(o), o.GetName(), 0))
		err := w.Client.Update(w.Context(), o)
		if !apierrors.IsConflict(err) {
			w.must(err)
			return since
		}
	}
}

// refused tries an edit that admission must refuse, with a message that says why.
func refused[T client.Object](w *world, o T, why string, change func(T)) {
	w.Helper()
	var err error = apierrors.NewConflict(schema.GroupResource{}, "", nil)
	for apierrors.IsConflict(err) {
		w.must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
		change(o)
		err = w.Client.Update(w.Context(), o)
	}
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), why) {
		w.Errorf("the edit is answered with %v, want it to be refused because %q", err, why)
	}
}

func (w *world) state(o client.Object, what string, wanted func(snapshot) bool) snapshot {
	w.Helper()
	return w.await(w.T, kindOf(o), o.GetName(), what, wanted)
}

// ready waits until this generation is applied and all is as declared.
func (w *world) ready(o client.Object) snapshot {
	w.Helper()
	return w.state(o, "ready and synced", func(s snapshot) bool { return s.isReady(o) })
}

func (s snapshot) isReady(o client.Object) bool {
	return s.generation == o.GetGeneration() && s.observed == s.generation && s.kstatus == status.CurrentStatus &&
		s.is(v1alpha1.ConditionReady, yes) && s.is(v1alpha1.ConditionSynced, yes)
}

// stalled waits until a person has to act, and checks that the message says about what.
func (w *world) stalled(o client.Object, reason v1alpha1.Reason, says ...string) snapshot {
	w.Helper()
	s := w.state(o, "stalled: "+string(reason), func(s snapshot) bool {
		c := s.condition(v1alpha1.ConditionStalled)
		return s.generation >= o.GetGeneration() && c != nil && c.Status == yes && c.Reason == string(reason) &&
			(s.kstatus == status.FailedStatus || s.deleting && s.observed == s.generation)
	})
	for _, text := range says {
		if message := s.condition(v1alpha1.ConditionStalled).Message; !strings.Contains(message, text) {
			w.Errorf("the message is %q, want it to say %q", message, text)
		}
	}
	return s
}

// lacks waits until a new object says that what it refers to is not there: it waits for that, or is a person's to mend after
// a minute.
func (w *world) lacks(o client.Object, reason v1alpha1.Reason, says ...string) {
	w.Helper()
	said := func(s snapshot) *metav1.Condition {
		for name, want := range map[string]status.Status{
			v1alpha1.ConditionReconciling: status.InProgressStatus, v1alpha1.ConditionStalled: status.FailedStatus,
		} {
			if c := s.condition(name); c != nil && c.Status == yes && c.Reason == string(reason) && s.kstatus == want {
				return c
			}
		}
		return nil
	}
	s := w.state(o, "without what it refers to: "+string(reason), func(s snapshot) bool {
		return s.observed == o.GetGeneration() && said(s) != nil
	})
	for _, text := range says {
		if message := s.condition(v1alpha1.ConditionReady).Message; !strings.Contains(message, text) {
			w.Errorf("the message is %q, want it to say %q", message, text)
		}
	}
}

// gone waits until an object has left the API server.
func (w *world) gone(o client.Object) {
	w.Helper()
	w.state(o, "gone", func(s snapshot) bool { return s.gone })
}

func (w *world) delete(o client.Object) {
	w.Helper()
	w.must(w.Client.Delete(w.Context(), o))
}

// eventually waits for something that no watch tells.
func (w *world) eventually(what string, done func() bool) {
	w.Helper()
	deadline := time.Now().Add(patience)
	for !done() {
		if time.Now().After(deadline) {
			w.Fatalf("not so after %v: %s", patience, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// secret returns the data of a Secret of the namespace; nil if there is none.
func (w *world) secret(name string) map[string][]byte {
	w.Helper()
	s := &corev1.Secret{}
	err := w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.must(err)
	return s.Data
}

// looks waits until the cloud object was looked at n times more.
func (w *world) looks(c *cloud, name string, n int) {
	w.Helper()
	before := c.looks(name)
	w.eventually(fmt.Sprintf("%s is looked at", name), func() bool { return c.looks(name) >= before+n })
}

// costs checks what a change cost: the writes to one cloud object since mark, seen after the next look at it. Of these
// the test itself made the first.
func (w *world) costs(c *cloud, name string, mark int, want ...string) {
	w.Helper()
	w.looks(c, name, 1)
	if got := c.writes(name)[mark:]; !slices.Equal(got, want) {
		w.Errorf("writes to %s: %q, want %q", name, got, want)
	}
}
