package report

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/feature"
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

// An object comes back when a feature asks for that, and not a sync period later.
func TestComesBackWhenDue(t *testing.T) {
	now := time.Unix(0, 0)
	for _, test := range []struct {
		name      string
		due       []time.Duration
		out, want time.Duration
	}{
		{"nothing is due", []time.Duration{0}, 0, 0},
		{"nothing is due, and something else comes", []time.Duration{0}, time.Hour, time.Hour},
		{"something is due", []time.Duration{4 * time.Hour}, 0, 4 * time.Hour},
		{"something is due first", []time.Duration{4 * time.Hour, 0, 3 * time.Hour}, 0, 3 * time.Hour},
		{"something else comes first", []time.Duration{4 * time.Hour}, time.Hour, time.Hour},
		{"something else comes later", []time.Duration{4 * time.Hour}, 6 * time.Hour, 4 * time.Hour},
		{"it was due", []time.Duration{-time.Hour}, 6 * time.Hour, time.Millisecond},
	} {
		var set feature.Set
		for _, after := range test.due {
			set = append(set, feature.Feature{}, feature.Feature{Due: func(in reconciliation.State) time.Time {
				if after == 0 {
					return time.Time{}
				}
				return in.Now.Add(after)
			}})
		}
		in := reconciliation.State{Facts: outcome.Facts{Now: now}, Done: reconciliation.Done{Outcome: outcome.Outcome{AtMost: test.out}}}
		e := &entry{Reporter: &Reporter{Features: set}, State: in}
		if got := e.untilDue().AtMost; got != test.want {
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
