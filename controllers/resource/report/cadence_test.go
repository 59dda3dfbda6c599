package report

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/retry"
)

// What is due at a time does not wait behind resyncs then.
func TestWhatIsDueIsNoReCheck(t *testing.T) {
	for _, test := range []struct {
		name     string
		out      outcome.Outcome
		priority account.Priority
	}{
		{"a resync", outcome.Outcome{Next: outcome.AtSync}, account.Resync},
		{"due before it", outcome.Outcome{Next: outcome.AtSync, AtMost: time.Second}, account.UserRequested},
		{"due long after it", outcome.Outcome{Next: outcome.AtSync, AtMost: 100 * time.Hour}, account.Resync},
		{"late, and nobody edited it", outcome.Outcome{Next: outcome.InTurn}, account.Resync},
		{"what has begun", outcome.Outcome{Next: outcome.Soon, AtMost: time.Microsecond}, account.InProgress},
	} {
		m := NewMemory(retry.DefaultCadence(time.Hour), time.Now())
		next := comeBack(test.out, &m)
		if m.Priority != test.priority || *next.Priority != *QueuePriority(test.priority) {
			t.Errorf("%s: it comes in %s with priority %d, want %d", test.name, next.RequeueAfter, m.Priority, test.priority)
		}
	}
}

// An object comes back when it expires, and not a sync period later. One that has expired and is held comes back as ever.
func TestComesBackToExpire(t *testing.T) {
	now := time.Unix(0, 0)
	for _, test := range []struct {
		name     string
		after    string
		age      time.Duration
		deleting bool
		before   time.Duration
		want     time.Duration
	}{
		{"it does not expire", "", 0, false, 0, 0},
		{"it expires", "5h", time.Hour, false, 0, 4 * time.Hour},
		{"something else comes first", "5h", time.Hour, false, time.Hour, time.Hour},
		{"something else comes later", "5h", time.Hour, false, 6 * time.Hour, 4 * time.Hour},
		{"it has expired, and is held", "5h", 6 * time.Hour, false, 0, 0},
		{"it is being deleted", "5h", time.Hour, true, 0, 0},
	} {
		s := &v1alpha1.DatabaseSnapshot{}
		s.Spec.ExpiresAfter, s.Status.CreationTime = test.after, &metav1.Time{Time: now.Add(-test.age)}
		in := reconciliation.State{Facts: outcome.Facts{Kind: kind.DatabaseSnapshot(), Now: now, Deleting: test.deleting}, Object: s, Done: reconciliation.Done{Outcome: outcome.Outcome{AtMost: test.before}}}
		if got := untilExpiry(in).AtMost; got != test.want {
			t.Errorf("%s: it comes back after %s, want %s", test.name, got, test.want)
		}
	}
}

// A step that is repeated is looked at ever later, whatever happens in between, and behind what others wait for. A part of many is not, nor what was done once.
func TestRepeatedStepsWait(t *testing.T) {
	const sync = 10 * time.Minute
	var (
		step     = outcome.Outcome{Next: outcome.Soon}
		repeated = outcome.Outcome{Next: outcome.Soon, Repeated: true}
		part     = outcome.Outcome{Next: outcome.Soon, GotOn: true}
		polls    = outcome.Outcome{Next: outcome.Polling}
		rests    = outcome.Outcome{Next: outcome.AtSync}
	)
	times := func(n int, of ...outcome.Outcome) (all []outcome.Outcome) {
		for range n {
			all = append(all, of...)
		}
		return all
	}
	for _, test := range []struct {
		name   string
		before []outcome.Outcome
		last   outcome.Outcome
		atOnce bool
	}{
		{"one step", nil, step, true},
		{"the steps of a creation", times(5, step, polls), step, true},
		{"the parts of a large bucket", times(5000, part), part, true},
		{"a step again", times(1, step), repeated, false},
		{"a step again and again", times(12, repeated), repeated, false},
		{"a step again and again, and polls between", times(12, repeated, polls), repeated, false},
		{"two steps in turn", times(12, repeated, repeated), repeated, false},
		{"steps without end", times(100, step), step, false},
		{"a step once the object was at rest", append(times(12, repeated), rests), step, true},
	} {
		m := NewMemory(retry.DefaultCadence(sync), time.Now())
		for _, out := range test.before {
			comeBack(out, &m)
		}
		next := comeBack(test.last, &m)
		if atOnce := next.RequeueAfter == time.Millisecond; atOnce != test.atOnce {
			t.Errorf("%s: it is looked at after %v", test.name, next.RequeueAfter)
		}
		if len(test.before) >= 12 && !test.atOnce && next.RequeueAfter < time.Minute {
			t.Errorf("%s: after %d tries it is looked at after %v", test.name, len(test.before), next.RequeueAfter)
		}
	}
}
