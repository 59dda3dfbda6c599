package resource

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A stall that judged no differences, as while the class is missing, leaves what waits for approval as it is.
func TestStallKeepsWhatWaits(t *testing.T) {
	d := newDesk(t)
	d.status().Plan = &v1alpha1.PlanStatus{Hash: "abc", Serial: 3}
	for _, a := range []plan.Action{
		{Verb: plan.Stall, Reason: v1alpha1.ReasonClassNotFound, Message: "no class"},
		{Verb: plan.Stall, Reason: v1alpha1.ReasonNotOwned, Message: "another's"},
	} {
		out, err := d.act(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		d.describe(out)
		if out.State != condition.Stalled || d.status().Plan.Hash != "abc" || d.status().Plan.Serial != 3 {
			t.Errorf("%s: %v, the plan is %+v", a.Reason, out.State, d.status().Plan)
		}
	}
	out, err := d.act(t.Context(), plan.Action{Verb: plan.Stall, Decided: true, Reason: v1alpha1.ReasonImmutable, Message: "it can't"})
	if err != nil {
		t.Fatal(err)
	}
	if d.describe(out); d.status().Plan.Hash != "" || d.status().Plan.Serial != 4 {
		t.Errorf("nothing waits any more, and the plan is %+v", d.status().Plan)
	}
}

// describe brings the status in line with an outcome and what was observed.
func (d *desk) describe(out outcome.Outcome) {
	d.Redact = d.Redactor()
	d.Object = d.Describe(d.Object, out).Object
}
