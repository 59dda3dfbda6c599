package e2e

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A snapshot is one state that an object passed through.
type snapshot struct {
	kind, name, uid      string
	generation, observed int64
	deleting, gone       bool
	status               v1alpha1.ResourceStatus
	mirror               map[string]any
	kstatus              status.Status
	finalizers           []string
	annotations          map[string]string
	// disturbance is no state of an object: something outside changed here, as the test said.
	disturbance bool
}

func (s snapshot) condition(name string) *metav1.Condition {
	return meta.FindStatusCondition(s.status.Conditions, name)
}

// is reports whether a condition has a status; an absent one has none.
func (s snapshot) is(name string, want metav1.ConditionStatus) bool {
	c := s.condition(name)
	return c != nil && c.Status == want || c == nil && want == ""
}

// String is a line for a failed test's message.
func (s snapshot) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s generation %d, observed %d, %s", s.kind, s.name, s.generation, s.observed, s.kstatus)
	if s.gone {
		b.WriteString(", gone")
	}
	for _, c := range s.status.Conditions {
		fmt.Fprintf(&b, "\n      %s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return b.String()
}

// plot is the state in short: what kstatus says, and the reason that Ready or Stalled gives. Drift that is
// seen and a pause show in Synced alone.
func (s snapshot) plot() string {
	reason := ""
	for _, name := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced, v1alpha1.ConditionStalled} {
		if c := s.condition(name); c != nil {
			reason = c.Reason
			if name == v1alpha1.ConditionSynced && c.Status == metav1.ConditionFalse {
				reason += ", not synced"
				if !s.is(v1alpha1.ConditionReady, metav1.ConditionTrue) {
					reason = c.Reason
				}
			}
		}
	}
	if s.gone {
		return "gone"
	}
	return strings.TrimSpace(string(s.kstatus) + " " + reason)
}

// A chronicle keeps every state of every object of one namespace.
type chronicle struct {
	mu     sync.Mutex
	states []snapshot
	news   chan struct{} // closed when there is more
	err    error
}

var watched = map[string]schema.GroupVersionResource{
	"Bucket":   v1alpha1.GroupVersion.WithResource("buckets"),
	"Database": v1alpha1.GroupVersion.WithResource("databases"),
}

// follow begins a chronicle, before there are any objects.
func (s *stage) follow(t *testing.T, namespace string) *chronicle {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &chronicle{news: make(chan struct{})}
	var watches sync.WaitGroup
	for _, resource := range watched {
		w, err := s.watch.Resource(resource).Namespace(namespace).Watch(ctx, metav1.ListOptions{})
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

func (c *chronicle) note(e watch.Event) {
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
	s.gone = e.Type == watch.Deleted
	c.states = append(c.states, s)
	close(c.news)
	c.news = make(chan struct{})
}

func read(u *unstructured.Unstructured) (snapshot, error) {
	s := snapshot{
		kind: u.GetKind(), name: u.GetName(), uid: string(u.GetUID()), generation: u.GetGeneration(),
		deleting: u.GetDeletionTimestamp() != nil, finalizers: u.GetFinalizers(), annotations: u.GetAnnotations(),
	}
	if raw, ok := u.Object["status"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &s.status); err != nil {
			return s, err
		}
		s.mirror, _ = raw["observed"].(map[string]any)
	}
	s.observed = s.status.ObservedGeneration
	result, err := status.Compute(u)
	if err != nil {
		return s, err
	}
	s.kstatus = result.Status
	return s, nil
}

// disturb says that from here on something is changed behind the backs of all objects, or lifted: a cloud object, a
// Secret, a fault. Each condition may then turn once, and turn back once that is mended.
func (c *chronicle) disturb() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states = append(c.states, snapshot{disturbance: true})
}

// objects returns the first state of each object there was, by kind and name.
func (c *chronicle) objects() []snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first []snapshot
	for _, s := range c.states {
		known := func(f snapshot) bool { return f.kind == s.kind && f.name == s.name }
		if !s.disturbance && !slices.ContainsFunc(first, known) {
			first = append(first, s)
		}
	}
	return first
}

// of returns the states of one object, in order, from the since-th on.
func (c *chronicle) of(kind, name string, since int) []snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		panic(c.err)
	}
	var out []snapshot
	for _, s := range c.states {
		if s.kind == kind && s.name == name {
			out = append(out, s)
		}
	}
	return out[min(since, len(out)):]
}

// await returns the latest state of an object as soon as that is as wanted.
func (c *chronicle) await(t *testing.T, kind, name, what string, wanted func(snapshot) bool) snapshot {
	t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		news := c.news
		c.mu.Unlock()
		states := c.of(kind, name, 0)
		if n := len(states); n > 0 && wanted(states[n-1]) {
			return states[n-1]
		}
		select {
		case <-news:
		case <-deadline:
			last := states[max(0, len(states)-3):]
			t.Fatalf("%s/%s is not %s after %v; its last states:\n%v", kind, name, what, patience, last)
		}
	}
}

// story tells the states of an object from the since-th on, repetitions left out.
func (c *chronicle) story(kind, name string, since int) []string {
	var plots []string
	for _, s := range c.of(kind, name, since) {
		plots = append(plots, s.plot())
	}
	return slices.Compact(plots)
}

// value returns what status.observed shows of a field, as JSON; "" if it shows nothing.
func (s snapshot) value(path string) string {
	var at any = s.mirror
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
