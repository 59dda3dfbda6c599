package resource

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// withoutSecrets returns a desk at which no Secret can be read. Its bucket is to have a connection Secret, has a place in the rollout of its
// class, and is usable.
func withoutSecrets(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.RecordDeadline = time.Minute
	d.Reader = interceptor.NewClient(d.Client.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, secret := o.(*corev1.Secret); secret {
				return errors.New("no answer")
			}
			return c.Get(ctx, key, o, opts...)
		},
	})
	d.Rollouts = &class.Rollouts{Idle: time.Hour, Now: time.Now}
	d.Rollouts.Enter("standard", 1, 5, d.bucket().UID, func() {})
	d.bucket().Spec.Connection = &v1alpha1.Connection{SecretName: "photos-access"}
	d.View.Mark, d.View.WasReady, d.View.ClassChanged = driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}, true, class.Fields{"tags"}
	d.Facts.Observed, d.Observation = true, driver.Observation{State: driver.Ready, Available: true, Mark: d.View.Mark}
	return d
}

// A Secret that can't be read keeps nothing but the connection Secret from being brought up to date. The plan is recorded, whoever waits for
// the object's place in a rollout gets it, and the reconciliation is tried again.
func TestPlanIsRecordedAlthoughNoSecretCanBeRead(t *testing.T) {
	for _, a := range []plan.Action{
		{Verb: plan.AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Message: "waiting for approval", Decided: true, Hash: "abc", Pending: edit.Pending},
		{Verb: plan.Converge, Reason: v1alpha1.ReasonReady, Message: "usable and up to date", Decided: true, Pending: edit.Pending[1:]},
	} {
		t.Run(string(a.Verb), func(t *testing.T) {
			d := withoutSecrets(t)
			d.status().Plan = &v1alpha1.PlanStatus{Hash: "before", Serial: 3}
			out, err := d.act(t.Context(), a)
			if err == nil || !strings.Contains(err.Error(), "no answer") {
				t.Fatalf("no Secret can be read, and it ended with %v", err)
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

// What the class of an object changed is applied although no Secret can be read: Secrets are only needed if the change has to wait.
func TestUpdateOfAClassNeedsNoSecret(t *testing.T) {
	d := withoutSecrets(t)
	if _, err := d.act(t.Context(), drift); err != nil || len(d.cloud.asked) != 1 {
		t.Errorf("it ended with %v, and the cloud was asked to %q", err, d.cloud.asked)
	}
}
