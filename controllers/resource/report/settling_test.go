package report

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A refusal that may pass by itself gets its time from when it began, whatever failed before. What was told of this generation of the spec stays told after a restart, which forgets when that was.
func TestSettlingBegins(t *testing.T) {
	now := time.Now()
	refused := outcome.Acted{Err: &driver.Error{Code: driver.Invalid, Message: "no such role", Settling: true}}
	b := &v1alpha1.Bucket{}
	b.Generation = 1
	classify := func(before Memory) (outcome.Outcome, Memory) {
		in := reconciliation.State{Object: b, Stored: b, Done: reconciliation.Done{Err: refused}}
		in.Now = now
		return classifier{in, retry.DefaultCadence(time.Minute)}.classify(before)
	}
	if got, after := classify(Memory{Failures: 9, Failing: now.Add(-time.Hour)}); got.State == condition.Stalled || !after.Settling.Equal(now) {
		t.Errorf("after an hour of other failures: %+v since %v", got, after.Settling)
	}
	if got, _ := classify(Memory{Settling: now.Add(-time.Hour)}); got.State == condition.Stalled {
		t.Errorf("after a refusal of an hour ago, and a success since: %+v", got)
	}
	condition.Set(&b.Status.Conditions, condition.Update{State: condition.Stalled, Reason: v1alpha1.ReasonInvalid, Message: "no such role", Generation: 1})
	if got, _ := classify(Memory{}); got.State != condition.Stalled || got.Reason != v1alpha1.ReasonInvalid {
		t.Errorf("told before: %+v", got)
	}
	b.Generation = 2
	if got, _ := classify(Memory{}); got.State == condition.Stalled {
		t.Errorf("told of another generation: %+v", got)
	}
}
