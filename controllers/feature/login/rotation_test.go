package login

import (
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// rotating is the fixture about a database that is as declared, and whose password is to be changed at a time.
func rotating(next time.Time) *fixture {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "orders", UID: "uid-now", Generation: 2, Finalizers: []string{v1alpha1.FinalizerResource},
	}}
	d.Status.FirstReadyTime, d.Status.AppliedGeneration = &metav1.Time{Time: time.Unix(1, 0)}, 2
	d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: 2}}
	d.Status.Rotation = &v1alpha1.PasswordRotation{Period: "720h", LastTime: metav1.NewTime(next.Add(-720 * time.Hour)), NextTime: metav1.NewTime(next)}
	d.Spec.Connection, d.Spec.Credentials = &v1alpha1.Connection{SecretName: "orders-db"}, &v1alpha1.DatabaseCredentials{RotationPeriod: "720h"}
	g := fixtureOf(d, fake.NewClientBuilder().Build())
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: string(d.UID)}
	g.View, g.Observed = plan.View{WasReady: true, Mark: mark}, true
	g.Request.Mark, g.Observation = mark, driver.Observation{State: driver.Ready, Available: true, Mark: mark}
	return g
}

// A look that could not change a password whose time has come comes back for it at once, and not a sync period later, if the next one can: that one begins
// after the time, and finds the database to be settled. It does not come back at once again, whatever it does.
func TestNoRotationIsMissed(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	edited := func(g *fixture) { g.Stored.GetResourceStatus().Conditions[0].ObservedGeneration = 1 }
	converged := outcome.Outcome{State: condition.UpToDate, Next: outcome.AtSync}
	for _, test := range []struct {
		name   string
		began  time.Duration // after the time of the rotation
		change func(*fixture)
		out    outcome.Outcome
		want   time.Duration // after the look began; 0 for not at once
	}{
		{name: "not yet", began: -2 * time.Hour, out: converged, want: 2 * time.Hour},
		{name: "the time comes during the look", began: -time.Second, out: converged, want: time.Second},
		{name: "it came before the look, which knew it", began: time.Second, out: converged},
		{name: "an edit was applied", began: time.Hour, change: edited, out: converged, want: -1},
		{name: "drift waits, and an edit was applied", began: time.Hour, change: edited, out: outcome.Outcome{State: condition.DriftWaits, Next: outcome.AtSync}, want: -1},
		{name: "an edit waits", began: time.Second, change: edited, out: outcome.Outcome{State: condition.EditWaits, Next: outcome.AtSync}},
		{name: "it is Stalled", began: time.Second, change: edited, out: outcome.Outcome{State: condition.Stalled, Next: outcome.AtSync}},
		{name: "it is looked at soon", began: time.Second, change: edited, out: outcome.Outcome{State: condition.DriftWaits, Next: outcome.Polling}},
		{name: "it is stopped", began: time.Hour, out: converged, change: func(g *fixture) { edited(g); g.Observation.Available, g.Observation.Stopped = false, true }},
		{name: "it can't be used", began: time.Hour, out: converged, change: func(g *fixture) { edited(g); g.Observation.Available = false }},
		{name: "it has no rotation", began: time.Hour, out: converged, change: func(g *fixture) { edited(g); g.Want.(*v1alpha1.Database).Spec.Credentials = nil }},
		{name: "something that the login takes may not be there", began: time.Hour, out: converged, change: func(g *fixture) {
			edited(g)
			g.Differences = []driver.Change{{Field: "databaseName", To: "app"}}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := rotating(now)
			g.Now = now.Add(test.began)
			if test.change != nil {
				test.change(g)
			}
			g.remember(published(g.Now))
			for i, want := range []time.Duration{test.want, 0} {
				if _, err := g.compare(t.Context(), g.State); err != nil {
					t.Fatal(err)
				}
				g.Outcome = test.out
				got := due(*g.State)
				switch {
				case want > 0 && !got.Equal(g.Now.Add(want)), want < 0 && !got.Equal(g.Now), want == 0 && !got.IsZero():
					t.Errorf("look %d, which began at %s, comes back at %s, want %s", i+1, g.Now, got, want)
				case want > 0:
					return
				}
				g.Stored = g.Object.DeepCopyObject().(v1alpha1.ResourceObject)
				g.Now = g.Now.Add(time.Second)
			}
		})
	}
}

// The time of a rotation brings nobody back who was not looked at, or whose reconciliation failed.
func TestRotationBringsBackWhoWasLookedAt(t *testing.T) {
	g := rotating(time.Now().Add(time.Hour))
	g.remember(published(g.Now))
	if at := due(*g.State); !at.IsZero() {
		t.Errorf("it was not looked at, and comes back at %s", at)
	}
	if _, err := g.compare(t.Context(), g.State); err != nil {
		t.Fatal(err)
	}
	if at := due(*g.State); at.IsZero() {
		t.Error("it does not come back")
	}
	if g.Err = errors.New("no answer"); !due(*g.State).IsZero() {
		t.Error("it comes back for its password before it is tried again")
	}
}

// published is what a connection Secret holds that was found right at a time.
func published(at time.Time) *binding.ConnectionSecret {
	return &binding.ConnectionSecret{Name: "orders-db", Checked: at}
}

// While a password is set whose time has come, conditions go on to say that drift waits, as they did before. Only what they do not say yet is told.
func TestConditionsDuringARotation(t *testing.T) {
	waits := v1alpha1.PendingChange{Field: "size", From: "b", To: "a", WaitsFor: v1alpha1.WaitsForApproval}
	for _, test := range []struct {
		name    string
		told    []v1alpha1.PendingChange
		pending []v1alpha1.PendingChange
		verb    plan.Verb
		since   time.Duration
		keeps   bool
	}{
		{"nothing waits", nil, nil, plan.Wait, 0, true},
		{"what is told waits", []v1alpha1.PendingChange{waits}, []v1alpha1.PendingChange{waits}, plan.Wait, 0, true},
		{"something came true meanwhile", []v1alpha1.PendingChange{waits}, nil, plan.Wait, 0, true},
		{"something else waits", nil, []v1alpha1.PendingChange{waits}, plan.Wait, 0, false},
		{"it waits for another value", []v1alpha1.PendingChange{{Field: "size", From: "b", To: "c"}}, []v1alpha1.PendingChange{waits}, plan.Wait, 0, false},
		{"it lasts", nil, nil, plan.Wait, rotationLasts, false},
		{"the plan does something", nil, nil, plan.Update, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := rotating(time.Unix(1, 0))
			g.View.Rotates, g.Observation.State, g.Memory.Cloud.SentAt = true, driver.Pending, g.Now.Add(-test.since)
			g.Status().PendingChanges = slices.Clone(test.told)
			if a := planLogin(g.State, plan.Action{Verb: test.verb, Reason: v1alpha1.ReasonCloudBusy, Pending: test.pending}); a.KeepConditions != test.keeps {
				t.Errorf("conditions are kept: %t, want %t", a.KeepConditions, test.keeps)
			}
		})
	}
}
