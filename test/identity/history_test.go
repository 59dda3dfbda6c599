package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A history keeps every state of every Bucket.
type history struct {
	mu     sync.Mutex
	states map[client.ObjectKey][]state
	news   chan struct{} // closed when there is more
	err    error
}

// A state is one that a Bucket passed through.
type state struct {
	*v1alpha1.Bucket
	seen time.Time
	gone bool
}

// follow begins a history, before there are any Buckets.
func follow(t *testing.T, c client.WithWatch) *history {
	t.Helper()
	h := &history{states: map[client.ObjectKey][]state{}, news: make(chan struct{})}
	w, err := c.Watch(context.Background(), &v1alpha1.BucketList{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for e := range w.ResultChan() {
			h.note(e)
		}
	}()
	t.Cleanup(func() {
		w.Stop()
		<-ended
	})
	return h
}

func (h *history) note(e watch.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if b, ok := e.Object.(*v1alpha1.Bucket); ok {
		key := client.ObjectKeyFromObject(b)
		h.states[key] = append(h.states[key], state{b, time.Now(), e.Type == watch.Deleted})
	} else {
		h.err = fmt.Errorf("the watch ended: %v", e.Object)
	}
	close(h.news)
	h.news = make(chan struct{})
}

// of returns the states of a Bucket so far, and what is closed when there are more.
func (h *history) of(key client.ObjectKey) ([]state, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		panic(h.err)
	}
	return slices.Clone(h.states[key]), h.news
}

// await returns the latest state of a Bucket as soon as that is as wanted.
func (h *history) await(t *testing.T, b *v1alpha1.Bucket, what string, wanted func(state) bool) state {
	t.Helper()
	deadline := time.After(patience)
	for {
		states, news := h.of(client.ObjectKeyFromObject(b))
		if len(states) > 0 && wanted(states[len(states)-1]) {
			return states[len(states)-1]
		}
		select {
		case <-news:
		case <-deadline:
			t.Fatalf("%s/%s is not %s after %v:\n%v", b.Namespace, b.Name, what, patience, states[max(0, len(states)-1):])
		}
	}
}

// A mark is a place in the history of some Buckets.
type mark map[client.ObjectKey]int

func (h *history) mark(buckets []*v1alpha1.Bucket) mark {
	m := mark{}
	for _, b := range buckets {
		states, _ := h.of(client.ObjectKeyFromObject(b))
		m[client.ObjectKeyFromObject(b)] = len(states)
	}
	return m
}

// verifyUnturned checks that no condition of any Bucket has turned since a mark. That an object was not looked at in time says only
// that the machine is slow, so such states are passed over.
func (h *history) verifyUnturned(t *testing.T, since mark) {
	t.Helper()
	for key, n := range since {
		all, _ := h.of(key)
		states := slices.DeleteFunc(all[max(n-1, 0):], state.waits)
		for i := 1; i < len(states); i++ {
			if before, after := states[i-1], states[i]; before.conditions() != after.conditions() {
				t.Errorf("%v turned from%v\nto%v", key, before, after)
			}
		}
	}
}

// longestStalled returns for how long a Bucket was Stalled at a stretch since a mark.
func (h *history) longestStalled(key client.ObjectKey, since mark) time.Duration {
	var longest time.Duration
	var began time.Time
	states, _ := h.of(key)
	for _, s := range states[max(since[key]-1, 0):] {
		stalled := meta.IsStatusConditionTrue(s.Status.Conditions, v1alpha1.ConditionStalled)
		switch {
		case !stalled && !began.IsZero():
			longest, began = max(longest, s.seen.Sub(began)), time.Time{}
		case stalled && began.IsZero():
			began = s.seen
		}
	}
	if !began.IsZero() {
		longest = max(longest, time.Since(began))
	}
	return longest
}

// conditions are the statuses of all conditions.
func (s state) conditions() string {
	text := ""
	for _, c := range s.Status.Conditions {
		text += fmt.Sprintf("%s=%s ", c.Type, c.Status)
	}
	return text
}

// String is for a failed test's message.
func (s state) String() string {
	text := fmt.Sprintf(" %s generation %d, observed %d, gone %t", s.seen.Format("15:04:05.000"), s.Generation, s.Status.ObservedGeneration, s.gone)
	for _, c := range s.Status.Conditions {
		text += fmt.Sprintf("\n      %s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return text
}

func (s state) condition(name string) metav1.Condition {
	if c := meta.FindStatusCondition(s.Status.Conditions, name); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// waits reports whether the Bucket waits for its account, which is busy with others and answers.
func (s state) waits() bool {
	return s.condition(v1alpha1.ConditionSynced).Reason == string(v1alpha1.ReasonNotObserved) &&
		strings.Contains(s.condition(v1alpha1.ConditionSynced).Message, "waiting for a slot of")
}

func (s state) ready() bool {
	return !s.gone && s.Status.ObservedGeneration == s.Generation &&
		meta.IsStatusConditionTrue(s.Status.Conditions, v1alpha1.ConditionReady) &&
		meta.IsStatusConditionTrue(s.Status.Conditions, v1alpha1.ConditionSynced)
}

func (s state) stalled() bool {
	return !s.gone && meta.IsStatusConditionTrue(s.Status.Conditions, v1alpha1.ConditionStalled)
}
