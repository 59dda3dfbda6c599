package resource

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What waits for its window comes back when that opens, whatever the sync period and its jitter are. What it waits for is written once.
func TestWaitsUntilTheWindowOpens(t *testing.T) {
	for _, edit := range []bool{false, true} {
		d := newDesk(t)
		d.View.WasReady, d.RecordDeadline = true, time.Minute
		d.Facts.Observed, d.Observation = true, driver.Observation{State: driver.Ready, Available: true}
		now := d.Settings.Now()
		d.Settings.Now = func() time.Time { return now }
		d.mem.report.Pace = retry.NewBackoff(retry.Cadence{Sync: 100 * time.Hour})
		a := plan.Action{
			Verb: plan.AwaitWindow, Reason: v1alpha1.ReasonWaitingForWindow, Message: "waiting for the window", Decided: true, EditAwaitsWindow: edit,
			Opens:   now.Add(10 * time.Hour),
			Pending: []v1alpha1.PendingChange{{Field: "tags", WaitsFor: v1alpha1.WaitsForMaintenanceWindow}},
		}
		version := ""
		for range 3 {
			out, err := d.act(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			next, err := d.record(t.Context(), out, nil)
			if err != nil || next.RequeueAfter != 10*time.Hour {
				t.Errorf("it comes back in %s (%v), want 10h", next.RequeueAfter, err)
			}
			if got := d.Object.GetResourceVersion(); version != "" && got != version {
				t.Errorf("version %s was written over %s for nothing", got, version)
			}
			version = d.Object.GetResourceVersion()
		}
		conditions := d.status().Conditions
		ready, working := meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady), meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReconciling)
		if ready == edit || working != edit || meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionSynced) {
			t.Errorf("an edit waits: %v, and the conditions are %+v", edit, conditions)
		}
	}
}

// What was planned in the window is not sent after it, however long it took to store that.
func TestNothingIsSentAfterTheWindow(t *testing.T) {
	for closes, calls := range map[time.Duration]int{time.Second: 1, 0: 0, -time.Second: 0} {
		d := newDesk(t)
		d.View.WasReady = true
		now := d.Settings.Now()
		d.Settings.Now = func() time.Time { return now }
		changes := []driver.Change{{Field: "tags", From: "a", To: "b", Effect: driver.Restarts}}
		out, err := d.act(t.Context(), plan.Action{Verb: plan.Update, Reason: v1alpha1.ReasonUpdating, Message: "being applied", Changes: changes, Closes: now.Add(closes)})
		if err != nil || len(d.cloud.asked) != calls || out.Next != outcome.Soon {
			t.Errorf("the window closes in %s: the cloud was asked %q, and it comes back %v (%v)", closes, d.cloud.asked, out.Next, err)
		}
	}
}
