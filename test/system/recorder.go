package system

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/patience"
)

// A Snapshot is one state that an object passed through.
type Snapshot struct {
	Kind, Namespace, Name, UID     string
	Generation, ObservedGeneration int64
	Deleting, Deleted              bool
	Status                         v1alpha1.ResourceStatus
	Mirror                         map[string]any
	KStatus                        status.Status
	Finalizers                     []string
	Annotations                    map[string]string
	// At is when the test saw it.
	At time.Time
	// disturbance is no state of an object: something outside changed here, as the test said.
	disturbance bool
}

// Condition returns a condition by its type; nil if there is none.
func (s Snapshot) Condition(name string) *metav1.Condition {
	return meta.FindStatusCondition(s.Status.Conditions, name)
}

// Told returns the message that says everything: that of Stalled, or of Ready where that is not there.
func (s Snapshot) Told() string { return Told(s.Status.Conditions) }

// Told does so for conditions.
func Told(conditions []metav1.Condition) string {
	for _, name := range []string{v1alpha1.ConditionStalled, v1alpha1.ConditionReady} {
		if c := meta.FindStatusCondition(conditions, name); c != nil {
			return c.Message
		}
	}
	return ""
}

// Is reports whether a condition has a status; an absent one has none.
func (s Snapshot) Is(name string, want metav1.ConditionStatus) bool {
	c := s.Condition(name)
	return c != nil && c.Status == want || c == nil && want == ""
}

// String is a line for a failed test's message.
func (s Snapshot) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s generation %d, observed %d, %s", s.Kind, s.Name, s.Generation, s.ObservedGeneration, s.KStatus)
	if s.Deleted {
		b.WriteString(", deleted")
	}
	for _, c := range s.Status.Conditions {
		fmt.Fprintf(&b, "\n      %s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return b.String()
}

// IsReady reports whether this generation of an object is applied, and all is as declared.
func (s Snapshot) IsReady(o client.Object) bool {
	return s.Generation == o.GetGeneration() && s.ObservedGeneration == s.Generation && s.KStatus == status.CurrentStatus &&
		s.Is(v1alpha1.ConditionReady, isTrue) && s.Is(v1alpha1.ConditionSynced, isTrue)
}

// Summary is the state in short: what kstatus says, and the reason that Ready or Stalled gives. Drift that is
// seen and a pause show in Synced alone.
func (s Snapshot) Summary() string {
	reason := ""
	for _, name := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced, v1alpha1.ConditionStalled} {
		if c := s.Condition(name); c != nil {
			reason = c.Reason
			if name == v1alpha1.ConditionSynced && c.Status == metav1.ConditionFalse {
				reason += ", not synced"
				if !s.Is(v1alpha1.ConditionReady, metav1.ConditionTrue) {
					reason = c.Reason
				}
			}
		}
	}
	if s.Deleted {
		return "deleted"
	}
	return strings.TrimSpace(string(s.KStatus) + " " + reason)
}

// A Recorder keeps every state of every object of one namespace.
type Recorder struct {
	mu     sync.Mutex
	states []Snapshot
	news   chan struct{} // closed when there is more
	err    error
}

// Record starts to record what is in a namespace, or in all if it is empty, before there are any objects. It ends with the test.
func Record(t testing.TB, e *Environment, namespace string) *Recorder {
	t.Helper()
	kinds, err := dynamic.NewForConfig(e.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Recorder{news: make(chan struct{})}
	var watches sync.WaitGroup
	for _, k := range kind.All() {
		w, err := kinds.Resource(v1alpha1.GroupVersion.WithResource(k.Plural)).Namespace(namespace).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		watches.Go(func() {
			for e := range w.ResultChan() {
				c.note(e)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		watches.Wait()
	})
	return c
}

func (c *Recorder) note(e watch.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, ok := e.Object.(*unstructured.Unstructured)
	if !ok {
		c.err = fmt.Errorf("the watch ended: %v", e.Object)
		return
	}
	s, err := read(u)
	if err != nil {
		c.err = err
	}
	s.Deleted, s.At = e.Type == watch.Deleted, time.Now()
	c.states = append(c.states, s)
	close(c.news)
	c.news = make(chan struct{})
}

func read(u *unstructured.Unstructured) (Snapshot, error) {
	s := Snapshot{
		Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), UID: string(u.GetUID()), Generation: u.GetGeneration(),
		Deleting: u.GetDeletionTimestamp() != nil, Finalizers: u.GetFinalizers(), Annotations: u.GetAnnotations(),
	}
	if raw, ok := u.Object["status"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &s.Status); err != nil {
			return s, err
		}
		s.Mirror, _ = raw["observed"].(map[string]any)
	}
	s.ObservedGeneration = s.Status.ObservedGeneration
	result, err := status.Compute(u)
	if err != nil {
		return s, err
	}
	s.KStatus = result.Status
	return s, nil
}

// Disturb says that from here on something is changed behind the backs of all objects, or lifted: a cloud object, a
// Secret, a fault. Each condition may then change once, and change back when that is mended.
func (c *Recorder) Disturb() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states = append(c.states, Snapshot{disturbance: true})
}

// Objects returns the first state of each object there was, by kind and name.
func (c *Recorder) Objects() []Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first []Snapshot
	for _, s := range c.states {
		known := func(f Snapshot) bool { return f.Kind == s.Kind && f.Name == s.Name }
		if !s.disturbance && !slices.ContainsFunc(first, known) {
			first = append(first, s)
		}
	}
	return first
}

// States returns the states of one object, in order, from the since-th on.
func (c *Recorder) States(kind, name string, since int) []Snapshot {
	return c.matching(func(s Snapshot) bool { return s.Kind == kind && s.Name == name }, since)
}

// StatesOf is States for a recorder of all namespaces.
func (c *Recorder) StatesOf(o client.Object, since int) []Snapshot { return c.matching(isOf(o), since) }

func isOf(o client.Object) func(Snapshot) bool {
	kind := KindOf(o)
	return func(s Snapshot) bool {
		return s.Kind == kind && s.Namespace == o.GetNamespace() && s.Name == o.GetName()
	}
}

func (c *Recorder) matching(match func(Snapshot) bool, since int) []Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		panic(c.err)
	}
	var out []Snapshot
	for _, s := range c.states {
		if !s.disturbance && match(s) {
			out = append(out, s)
		}
	}
	return out[min(since, len(out)):]
}

// Await returns the latest state of an object as soon as that is as wanted.
func (c *Recorder) Await(t testing.TB, kind, name, what string, wanted func(Snapshot) bool) Snapshot {
	t.Helper()
	return c.await(t, kind+"/"+name, func(s Snapshot) bool { return s.Kind == kind && s.Name == name }, what, wanted)
}

// AwaitState is Await for a recorder of all namespaces.
func (c *Recorder) AwaitState(t testing.TB, o client.Object, what string, wanted func(Snapshot) bool) Snapshot {
	t.Helper()
	return c.await(t, o.GetNamespace()+"/"+o.GetName(), isOf(o), what, wanted)
}

func (c *Recorder) await(t testing.TB, object string, match func(Snapshot) bool, what string, wanted func(Snapshot) bool) Snapshot {
	t.Helper()
	ctx, cancel := patience.ForTest(t)
	defer cancel()
	for {
		c.mu.Lock()
		news := c.news
		c.mu.Unlock()
		states := c.matching(match, 0)
		if n := len(states); n > 0 && wanted(states[n-1]) {
			return states[n-1]
		}
		select {
		case <-news:
		case <-ctx.Done():
			t.Fatalf("%s is not %s (%v); its last states:\n%v", object, what, context.Cause(ctx), states[max(0, len(states)-3):])
		}
	}
}

// Transitions returns the states of an object from the since-th on, repetitions left out.
func (c *Recorder) Transitions(kind, name string, since int) []string {
	var summaries []string
	for _, s := range c.States(kind, name, since) {
		summaries = append(summaries, s.Summary())
	}
	return slices.Compact(summaries)
}

// Ending is Transitions from the first state on in which an object is being deleted: what was written about it right before, such as a mirror that moves
// a moment after the object is Ready, is no part of its deletion.
func (c *Recorder) Ending(kind, name string) []string {
	before := slices.IndexFunc(c.States(kind, name, 0), func(s Snapshot) bool { return s.Deleting || s.Deleted })
	if before < 0 {
		return nil
	}
	return c.Transitions(kind, name, before)
}

// Value returns what status.observed shows of a field, as JSON; "" if it shows nothing.
func (s Snapshot) Value(path string) string {
	var at any = s.Mirror
	for step := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok || m[step] == nil {
			return ""
		}
		at = m[step]
	}
	text, err := json.Marshal(at)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
