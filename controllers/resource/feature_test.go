package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/controllers/feature"
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

// What a feature planned is recorded once features have stored what comes first, and not at all if that can't be stored: a request for another password would be called done, and it is not.
func TestWhatFeaturesPlanIsRecordedAfterWhatTheyStore(t *testing.T) {
	for _, fails := range []bool{false, true} {
		d := newDesk(t)
		d.View, d.Observation.State = plan.View{WasReady: true}, driver.Ready
		recording(d)
		preparing(d, fails)
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
	ends := errors.New("not yet")
	d := newDesk(t)
	d.Features = feature.Set{{
		Acts: map[plan.Verb]feature.Act{"Fly": func(_ context.Context, w feature.Work, a plan.Action) (outcome.Outcome, error) {
			w.Note(outcome.Normal("Flown", "it flew"))
			calls = append(calls, string(a.Verb))
			return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
		}},
		Finish: func(context.Context, feature.Work) error {
			calls = append(calls, "finish")
			return ends
		},
		Drop: func(_ context.Context, _ feature.Work, stays bool) error {
			calls = append(calls, fmt.Sprintf("drop, and the cloud object stays: %t", stays))
			return errors.New("not yet")
		},
	}}
	if out, err := d.act(t.Context(), plan.Action{Verb: "Fly"}); err != nil || out.Next != outcome.Soon || len(d.Notes) != 1 {
		t.Errorf("got %+v, %v, %+v", out, err, d.Notes)
	}
	if _, err := d.act(t.Context(), plan.Action{Verb: plan.RemoveFinalizer}); err == nil || d.Stored.GetFinalizers() == nil {
		t.Errorf("the finalizer goes although a feature has not ended: %v", err)
	}
	ends = nil
	if _, err := d.act(t.Context(), plan.Action{Verb: plan.RemoveFinalizer, Orphaned: true}); err == nil || d.Stored.GetFinalizers() == nil {
		t.Errorf("the finalizer goes although a feature has not dropped what it made: %v", err)
	}
	if want := []string{"Fly", "finish", "finish", "drop, and the cloud object stays: true"}; !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
}
