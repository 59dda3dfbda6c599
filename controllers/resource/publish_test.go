package resource

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A field that the cloud does not keep says nothing about the login, so the connection Secret is still written.
func TestUnmade(t *testing.T) {
	for name, tc := range map[string]struct {
		change driver.Change
		want   bool
	}{
		"a tag that is reset again and again":    {driver.Change{Field: "tags", From: "team=z", To: "team=b"}, false},
		"the database, which was just made":      {driver.Change{Field: "databaseName", To: "app"}, true},
		"the administrator, who was just made":   {driver.Change{Field: driver.FieldUsername, To: "boss"}, true},
		"another database than the one in there": {driver.Change{Field: "databaseName", From: "app", To: "foo", Effect: driver.Impossible}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.request.Mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: "photos", UID: "uid-now"}
			d.spec.ExternalName = "photos"
			d.session = &showing{d.cloud, []driver.Observation{{
				State: driver.Ready, Available: true, Mark: d.request.Mark, Changes: []driver.Change{tc.change},
			}}}
			d.mem.cloud.Sent, d.mem.cloud.SentAt, d.Settle = []driver.Change{tc.change}, d.now, time.Hour
			d.deleting = true // so that no password is looked for, which buckets don't have
			if err := d.observe(t.Context(), d.turn); err != nil {
				t.Fatal(err)
			}
			if !d.view.Unsettled || d.unmade != tc.want {
				t.Errorf("unsettled %t, unmade %t, want %t", d.view.Unsettled, d.unmade, tc.want)
			}
		})
	}
}

// A stall that judged no differences, as while the class is missing, leaves what waits for approval as it is.
func TestStallKeepsWhatWaits(t *testing.T) {
	d := newDesk(t)
	d.status.Plan = &v1alpha1.PlanStatus{Hash: "abc", Serial: 3}
	for _, a := range []plan.Action{
		{Verb: plan.Stall, Reason: v1alpha1.ReasonClassNotFound, Message: "no class"},
		{Verb: plan.Stall, Reason: v1alpha1.ReasonNotOwned, Message: "another's"},
	} {
		out, err := d.act(t.Context(), d.turn, a)
		if err != nil {
			t.Fatal(err)
		}
		d.describe(d.turn, out)
		if out.State != condition.Stalled || d.status.Plan.Hash != "abc" || d.status.Plan.Serial != 3 {
			t.Errorf("%s: %v, the plan is %+v", a.Reason, out.State, d.status.Plan)
		}
	}
	out, err := d.act(t.Context(), d.turn, plan.Action{Verb: plan.Stall, Decided: true, Reason: v1alpha1.ReasonImmutable, Message: "it can't"})
	if err != nil {
		t.Fatal(err)
	}
	if d.describe(d.turn, out); d.status.Plan.Hash != "" || d.status.Plan.Serial != 4 {
		t.Errorf("nothing waits any more, and the plan is %+v", d.status.Plan)
	}
}

// describe brings the status in line with an outcome and what was observed.
func (d *desk) describe(t *turn, out outcome.Outcome) {
	described, _ := d.facts(t).Describe(t.obj, out)
	t.setObject(described)
}
