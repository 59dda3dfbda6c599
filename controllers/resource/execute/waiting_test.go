package execute

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What waited for approval is void once the spec was edited while the cloud was at work: what is recorded then is other changes, which nobody was asked about,
// and the approval of the former ones must not be taken for theirs.
func TestEditWhileTheCloudWorksVoidsTheApproval(t *testing.T) {
	const approved = "abcdef012345"
	for name, tt := range map[string]struct {
		generation int64
		hash       string
		serial     int64
	}{
		"the spec is the same": {generation: 1, hash: approved, serial: 3},
		"the spec was edited":  {generation: 2, hash: "", serial: 4},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWork(t)
			w.status.ObservedGeneration, w.status.Plan = 1, &v1alpha1.PlanStatus{Hash: approved, Serial: 3}
			w.status.PendingChanges = []v1alpha1.PendingChange{{Field: "versioning", To: "Enabled", Effect: "Restarts", WaitsFor: v1alpha1.WaitsForApproval}}
			w.Object.SetGeneration(tt.generation)
			w.View.WasReady, w.View.Edited = true, true
			w.Observed, w.Observation = true, driver.Observation{State: driver.Pending, Available: true}
			other := []v1alpha1.PendingChange{{Field: "versioning", To: "Suspended", Effect: "Restarts"}}
			out, err := w.rest(t.Context(), plan.Action{Verb: plan.Wait, Reason: v1alpha1.ReasonCloudBusy, Pending: other})
			if err != nil || out.State != condition.Updating {
				t.Fatalf("%+v, %v", out, err)
			}
			w.describe(out)
			if p := w.status.Plan; p.Hash != tt.hash || p.Serial != tt.serial {
				t.Errorf("the plan is %+v", p)
			}
			v := plan.View{
				Approval: approved, AwaitedHash: w.status.Plan.Hash, Serial: w.status.Plan.Serial, Waiting: w.status.PendingChanges, Edited: true, WasReady: true,
				Applied: driver.Applied{"versioning": {"old"}},
			}
			change := driver.Change{Field: "versioning", To: "Suspended", Effect: driver.Restarts}
			if d := plan.Decide(v, []driver.Change{change}, plan.Policy{Disruptive: v1alpha1.DisruptiveOnApproval}); len(d.With(plan.AtOnce)) > 0 {
				t.Errorf("nobody approved %+v", d.Changes)
			}
		})
	}
}

// Nobody is told to approve what has no hash: what is not seen now is listed as it waited, and is asked about once it is seen again.
func TestMessageOfWhoWaitsForASlot(t *testing.T) {
	pending := []v1alpha1.PendingChange{{Field: "aws.instanceClass", WaitsFor: v1alpha1.WaitsForApproval}}
	for hash, want := range map[string]bool{"": false, "0123456789ab": true} {
		out := awaitingSlot(plan.Action{Hash: hash, Pending: pending})
		if got := strings.Contains(out.Message, v1alpha1.AnnotationApprove+"="+hash); got != want {
			t.Errorf("with the hash %q it says %s", hash, out.Message)
		}
	}
}
