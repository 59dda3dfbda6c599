package execute

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// rotating is the work about a database that is as declared, and whose password is to be changed at a time.
func rotating(t *testing.T, next time.Time) *work {
	t.Helper()
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "orders", UID: "uid-now", Generation: 2, Finalizers: []string{v1alpha1.FinalizerResource},
	}}
	d.Status.FirstReadyTime, d.Status.AppliedGeneration = &metav1.Time{Time: time.Unix(1, 0)}, 2
	d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: 2}}
	d.Status.Rotation = &v1alpha1.PasswordRotation{Period: "720h", LastTime: metav1.NewTime(next.Add(-720 * time.Hour)), NextTime: metav1.NewTime(next)}
	w := workOn(kind.Database(), d, fake.NewClientBuilder().Build())
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: string(d.UID)}
	w.View, w.Connection, w.Observed = plan.View{WasReady: true, Mark: mark}, &identity.Connection{}, true
	w.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: mark}
	w.Policy.Management = v1alpha1.ManagementFull
	return w
}

// A look that could not change a password whose time has come comes back for it at once, and not a sync period later, if the next one can: that one begins
// after the time, and finds the database to be settled. It does not come back at once again, whatever it does.
func TestNoRotationIsMissed(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	edited := func(w *work) { w.Stored.GetResourceStatus().Conditions[0].ObservedGeneration = 1 }
	for _, test := range []struct {
		name   string
		began  time.Duration // after the time of the rotation
		ends   time.Duration
		change func(*work)
		action plan.Action
		want   time.Duration
	}{
		{name: "not yet", began: -2 * time.Hour, ends: -time.Hour, want: time.Hour},
		{name: "the time comes during the look", began: -time.Second, ends: time.Second, want: time.Millisecond},
		{name: "the time comes at its very end", began: -time.Second, want: time.Millisecond},
		{name: "it came before the look, which knew it", began: time.Second, ends: 2 * time.Second},
		{name: "an edit was applied", began: time.Hour, ends: time.Hour, change: edited, want: time.Millisecond},
		{name: "drift waits, and the time comes during the look", began: -time.Second, ends: time.Second, action: plan.Action{Verb: plan.AwaitApproval}, want: time.Millisecond},
		{name: "an edit waits", began: -time.Second, ends: time.Second, action: plan.Action{Verb: plan.AwaitApproval, EditWaits: true}},
		{name: "it is Stalled", began: -time.Second, ends: time.Second, action: plan.Action{Verb: plan.Stall, Decided: true}},
		{name: "it is stopped", began: time.Hour, ends: time.Hour, change: func(w *work) { edited(w); w.Observation.Available, w.Observation.Stopped = false, true }},
		{name: "it can't be used", began: time.Hour, ends: time.Hour, change: func(w *work) { edited(w); w.Observation.Available = false }},
		{name: "it has no rotation", began: time.Hour, ends: time.Hour, change: func(w *work) { edited(w); w.Object.(*v1alpha1.Database).Status.Rotation = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := rotating(t, now)
			w.Now = now.Add(test.began)
			w.executor.Clock = func() time.Time { return now.Add(test.ends) }
			if test.change != nil {
				test.change(w)
			}
			if test.action.Verb == "" {
				test.action.Verb = plan.Converge
			}
			for i, want := range []time.Duration{test.want, 0} {
				w.Stored = w.Stored.DeepCopyObject().(v1alpha1.ResourceObject)
				done, err := w.executor.Execute(t.Context(), w.State, test.action, noTeller)
				if err != nil || done.Outcome.AtMost != want {
					t.Errorf("look %d comes back in %s (%v), want %s", i+1, done.Outcome.AtMost, err, want)
				}
				if want > time.Millisecond {
					return
				}
				recorded := w.Describe(done.Object, done.Outcome).Object
				w.Stored, w.Object = recorded, recorded
				w.Now = w.executor.Clock().Add(want)
				w.executor.Clock = func() time.Time { return w.Now.Add(time.Second) }
			}
		})
	}
}

// While a password is set whose time has come, conditions go on to say that drift waits, as they did before. Only what they do not say yet is told.
func TestConditionsDuringARotation(t *testing.T) {
	waits := v1alpha1.PendingChange{Field: "size", From: "b", To: "a", WaitsFor: v1alpha1.WaitsForApproval}
	for _, test := range []struct {
		name    string
		told    []v1alpha1.PendingChange
		pending []v1alpha1.PendingChange
		keeps   bool
	}{
		{"nothing waits", nil, nil, true},
		{"what is told waits", []v1alpha1.PendingChange{waits}, []v1alpha1.PendingChange{waits}, true},
		{"something came true meanwhile", []v1alpha1.PendingChange{waits}, nil, true},
		{"something else waits", nil, []v1alpha1.PendingChange{waits}, false},
		{"it waits for another value", []v1alpha1.PendingChange{{Field: "size", From: "b", To: "c"}}, []v1alpha1.PendingChange{waits}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := rotating(t, time.Unix(1, 0))
			w.View.Rotates, w.Observation.State, w.Memory.Cloud.SentAt = true, driver.Pending, w.Now
			w.status.PendingChanges = slices.Clone(test.told)
			meta.SetStatusCondition(&w.status.Conditions, metav1.Condition{
				Type: v1alpha1.ConditionSynced, Status: metav1.ConditionFalse, Reason: string(v1alpha1.ReasonApprovalRequired), ObservedGeneration: 2,
			})
			out, err := w.rest(t.Context(), plan.Action{Verb: plan.Wait, Reason: v1alpha1.ReasonCloudBusy, Pending: test.pending})
			if err != nil || out.KeepConditions != test.keeps || out.State != condition.DriftWaits {
				t.Errorf("conditions are kept: %t, want %t (%+v, %v)", out.KeepConditions, test.keeps, out, err)
			}
		})
	}
}
