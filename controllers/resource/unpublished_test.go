package resource

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// unpublishable returns a desk at which a feature can't publish. Its bucket has a place in the rollout of its class, and is usable.
func unpublishable(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.RecordDeadline = time.Minute
	d.Features = feature.Set{{Publish: func(_ context.Context, _ feature.Work, out outcome.Outcome) (outcome.Outcome, error) {
		return out, errors.New("no answer")
	}}}
	d.Rollouts = &class.Rollouts{Idle: time.Hour, Now: time.Now}
	d.Rollouts.Enter("standard", 1, 5, d.bucket().UID, func() {})
	d.View.Mark, d.View.WasReady, d.View.ClassChanged = driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}, true, class.Fields{"tags"}
	d.Facts.Observed, d.Observation = true, driver.Observation{State: driver.Ready, Available: true, Mark: d.View.Mark}
	return d
}

// What can't be published keeps nothing else from being done. The plan is recorded, whoever waits for
// the object's place in a rollout gets it, and the reconciliation is tried again.
func TestPlanIsRecordedAlthoughNothingCanBePublished(t *testing.T) {
	for _, a := range []plan.Action{
		{Verb: plan.AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Message: "waiting for approval", Decided: true, Hash: "abc", Pending: edit.Pending},
		{Verb: plan.Converge, Reason: v1alpha1.ReasonReady, Message: "usable and up to date", Decided: true, Pending: edit.Pending[1:]},
	} {
		t.Run(string(a.Verb), func(t *testing.T) {
			d := unpublishable(t)
			d.status().Plan = &v1alpha1.PlanStatus{Hash: "before", Serial: 3}
			out, err := d.act(t.Context(), a)
			if err == nil || !strings.Contains(err.Error(), "no answer") {
				t.Fatalf("nothing can be published, and it ended with %v", err)
			}
			if !d.LeftRollout {
				t.Error("its place in the rollout is held still")
			}
			result, err := d.record(t.Context(), out, err)
			if err != nil || result.RequeueAfter == 0 || d.mem.report.Failures != 1 {
				t.Errorf("it is tried again after %v, and %d reconciliations failed (%v)", result.RequeueAfter, d.mem.report.Failures, err)
			}
			b := &v1alpha1.Bucket{}
			if err := d.Client.Get(t.Context(), client.ObjectKeyFromObject(d.Object), b); err != nil {
				t.Fatal(err)
			}
			if b.Status.Plan == nil || b.Status.Plan.Hash != a.Hash || !slices.Equal(b.Status.PendingChanges, a.Pending) {
				t.Errorf("the plan is %+v, and pending are %v; want %q and %v", b.Status.Plan, b.Status.PendingChanges, a.Hash, a.Pending)
			}
		})
	}
}

// What the class of an object changed is applied although nothing can be published: features publish only if the change has to wait.
func TestUpdateOfAClassPublishesNothing(t *testing.T) {
	d := unpublishable(t)
	if _, err := d.act(t.Context(), drift); err != nil || len(d.cloud.asked) != 1 {
		t.Errorf("it ended with %v, and the cloud was asked to %q", err, d.cloud.asked)
	}
}
