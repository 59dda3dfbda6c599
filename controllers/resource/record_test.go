package resource

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/report"
)

// Who stalls without an error is looked at when a converged object would be, and behind all that somebody wants; who stalls
// because of one is tried again later each time, whatever else is recorded in between.
func TestStalledComesBackSlowly(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline = time.Minute
	stall, err := d.act(t.Context(), plan.Action{Verb: plan.Stall, Reason: v1alpha1.ReasonNotOwned, Message: "another's"})
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]outcome.Outcome{"the plan": stall, "a check": {State: condition.Stalled, Reason: v1alpha1.ReasonAccountChanged, Message: "elsewhere", Next: outcome.AtSync}} {
		for range 3 {
			next, err := d.record(t.Context(), out, nil)
			if err != nil || next.RequeueAfter < d.Cadence.Sync*9/10 || *next.Priority != *report.QueuePriority(account.Resync) {
				t.Errorf("by %s: it comes back %+v (%v)", name, next, err)
			}
		}
	}
	missing := &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound, Message: "create it"}
	var last time.Duration
	for range 12 {
		next, err := d.record(t.Context(), outcome.Outcome{}, missing)
		if err != nil {
			t.Fatal(err)
		}
		last = next.RequeueAfter
		if *next.Priority != *report.QueuePriority(account.Resync) {
			t.Fatalf("it comes before what people want: %+v", next)
		}
	}
	if last < d.Cadence.Longest/2 {
		t.Errorf("after twelve refusals it comes back in %v", last)
	}
}
