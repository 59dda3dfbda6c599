package action

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An actor is a cloud that answers an action with an error, and looks at what is stored when it is asked.
type actor struct {
	driver.Session
	answer error
	asked  []driver.Command
	stored func() v1alpha1.ActionStatus
	seen   v1alpha1.ActionOutcome
}

func (a *actor) Do(_ context.Context, _ string, _ driver.Request, command driver.Command, _ driver.Secrets) (driver.Result, error) {
	a.asked, a.seen = append(a.asked, command), a.stored().Outcome
	return driver.Result{Operation: "op-1"}, a.answer
}

// An action is stored before it is sent, and sent once. What the cloud answers decides what the status says: only a certain refusal takes the request back.
func TestOperate(t *testing.T) {
	former := v1alpha1.ActionStatus{Name: string(driver.Restart), Value: "one", Outcome: v1alpha1.ActionSucceeded}
	for _, tt := range []struct {
		name    string
		answer  error
		outcome v1alpha1.ActionOutcome
		value   string
		waits   bool
		event   string
		next    outcome.When
	}{
		{"accepted", nil, v1alpha1.ActionStarted, "two", false, v1alpha1.EventActionStarted, outcome.Soon},
		{"busy", &driver.Error{Code: driver.Busy, Message: "later"}, v1alpha1.ActionSucceeded, "one", true, "", outcome.AfterError},
		{"throttled", &driver.Error{Code: driver.Throttled}, v1alpha1.ActionSucceeded, "one", true, "", outcome.AfterError},
		{"changed meanwhile", &driver.Error{Code: driver.Conflict}, v1alpha1.ActionSucceeded, "one", true, "", outcome.AfterError},
		{"no answer", &driver.Error{Code: driver.Unavailable}, v1alpha1.ActionRequested, "two", false, "", outcome.Soon},
		{"an answer that nobody understands", &driver.Error{Code: driver.Internal}, v1alpha1.ActionRequested, "two", false, "", outcome.Soon},
		{"denied", &driver.Error{Code: driver.Denied, Message: "no"}, v1alpha1.ActionFailed, "two", false, v1alpha1.EventActionFailed, outcome.Soon},
		{"invalid", &driver.Error{Code: driver.Invalid, Message: "no"}, v1alpha1.ActionFailed, "two", false, v1alpha1.EventActionFailed, outcome.Soon},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid"}}
			d.Status.Actions = []v1alpha1.ActionStatus{former}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(d).WithStatusSubresource(d).Build()
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
				t.Fatal(err)
			}
			w := &featuretest.Work{State: stateOf(kind.Database(), d)}
			w.StoreFunc = func(ctx context.Context) error { return c.Status().Update(ctx, w.Object) }
			cloud := &actor{answer: tt.answer, stored: func() v1alpha1.ActionStatus {
				live := &v1alpha1.Database{}
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), live); err != nil {
					t.Fatal(err)
				}
				return live.Status.Actions[0]
			}}
			w.Session, w.Redact = cloud, func(message string) string { return message }
			requested := former
			requested.Value, requested.Outcome, requested.Time = "two", v1alpha1.ActionRequested, &metav1.Time{Time: time.Unix(1_700_000_000, 0)}
			out, err := hooks(t, w.Kind).Acts[Operate](t.Context(), w, plan.Action{Verb: Operate, Part: operation{status: requested, former: former, command: &driver.Command{Verb: driver.Restart}}})
			if err != nil || out.Next != tt.next || !out.KeepConditions {
				t.Errorf("got %+v, %v", out, err)
			}
			if len(cloud.asked) != 1 || cloud.seen != v1alpha1.ActionRequested {
				t.Errorf("the cloud was asked for %v while %q was stored", cloud.asked, cloud.seen)
			}
			got := w.Object.(*v1alpha1.Database).Status.Actions[0]
			if got.Outcome != tt.outcome || got.Value != tt.value || (got.WaitsFor != "") != tt.waits {
				t.Errorf("the status has %+v", got)
			}
			event := ""
			for _, n := range w.Notes {
				event = n.Reason
			}
			if event != tt.event {
				t.Errorf("got the Event %q, want %q", event, tt.event)
			}
		})
	}
}

// Nothing is sent if the request can't be stored.
func TestOperateIsStoredFirst(t *testing.T) {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid"}}
	w := &featuretest.Work{State: stateOf(kind.Database(), d), StoreFunc: func(context.Context) error { return errors.New("no answer") }}
	cloud := &actor{stored: func() v1alpha1.ActionStatus { return v1alpha1.ActionStatus{} }}
	w.Session = cloud
	_, err := hooks(t, w.Kind).Acts[Operate](t.Context(), w, plan.Action{Verb: Operate, Part: operation{
		status: v1alpha1.ActionStatus{Name: string(driver.Restart), Value: "two", Outcome: v1alpha1.ActionRequested}, command: &driver.Command{Verb: driver.Restart},
	}})
	if err == nil || len(cloud.asked) > 0 {
		t.Errorf("error %v; the cloud was asked for %v", err, cloud.asked)
	}
}
