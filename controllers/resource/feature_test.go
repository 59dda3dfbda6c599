package resource

import (
	"context"
	"errors"
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// recording plans nothing of its own, and has one thing recorded.
func recording(d *desk) {
	d.Features = feature.Set{{Plan: func(in *reconciliation.State, a plan.Action) plan.Action {
		in.Records = append(in.Records, func(s *reconciliation.State) { s.Notes = append(s.Notes, outcome.Normal("Recorded", "by a feature")) })
		return a
	}}}
	d.Features.Plan(&d.State, plan.Action{})
}

// What a feature planned is recorded once the password is stored, and not at all if it can't be stored: a request for another password would be called done, and it is not.
func TestWhatFeaturesPlanIsRecordedAfterThePassword(t *testing.T) {
	for _, fails := range []bool{false, true} {
		d := newDesk(t)
		d.PasswordSecret = d.executor().Passwords.New(password.Owner{Kind: "Bucket", Name: d.Object.GetName(), UID: d.Object.GetUID()})
		d.Password.State, d.Password.Store = password.State{Stored: password.Stored{Next: "two", Serial: 2}}, password.AtOnce
		if fails {
			d.Client = interceptor.NewClient(d.Client.(client.WithWatch), interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
					return errors.New("no answer")
				},
			})
		}
		d.View, d.Observation.State = plan.View{WasReady: true}, driver.Ready
		recording(d)
		_, err := d.act(t.Context(), plan.Action{Verb: plan.Wait, KeepConditions: true})
		recorded := slices.ContainsFunc(d.Notes, func(n outcome.Note) bool { return n.Reason == "Recorded" })
		if (err != nil) != fails || recorded == fails {
			t.Errorf("storing fails: %t; got %v, recorded: %t", fails, err, recorded)
		}
	}
}

// The loop has a feature carry out its own verbs, and end what it has to end before the finalizer goes.
func TestTheLoopCallsFeatures(t *testing.T) {
	var calls []string
	d := newDesk(t)
	d.Features = feature.Set{{
		Acts: map[plan.Verb]feature.Act{"Fly": func(_ context.Context, w feature.Work, a plan.Action) (outcome.Outcome, error) {
			w.Note(outcome.Normal("Flown", "it flew"))
			calls = append(calls, string(a.Verb))
			return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
		}},
		Finish: func(context.Context, feature.Work) error {
			calls = append(calls, "finish")
			return errors.New("not yet")
		},
	}}
	if out, err := d.act(t.Context(), plan.Action{Verb: "Fly"}); err != nil || out.Next != outcome.Soon || len(d.Notes) != 1 {
		t.Errorf("got %+v, %v, %+v", out, err, d.Notes)
	}
	if _, err := d.act(t.Context(), plan.Action{Verb: plan.RemoveFinalizer}); err == nil || d.Stored.GetFinalizers() == nil {
		t.Errorf("the finalizer goes although a feature has not ended: %v", err)
	}
	if want := []string{"Fly", "finish"}; !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
}
