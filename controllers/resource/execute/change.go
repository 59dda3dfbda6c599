package execute

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// updating returns the outcome of an update that the cloud takes.
func updating(t reconciliation.State, a plan.Action) outcome.Outcome {
	out := outcome.Outcome{Reason: a.Reason, Message: a.Message, Pending: a.Pending, Hash: a.Hash, Next: outcome.Soon}
	switch {
	case t.Deleting:
		out.State = condition.Deleting
	case a.Verb == plan.Adopt && t.Object.GetResourceStatus().FirstReadyTime != nil:
		out.KeepConditions = true // it only lost its mark
	case a.Verb == plan.Adopt:
		out.State = condition.Progressing
	case t.Object.GetResourceStatus().FirstReadyTime == nil:
		out.State, out.Reason, out.Message = condition.Progressing, v1alpha1.ReasonCreating, plan.MessageOfNew(t.View)
	case a.Reason == v1alpha1.ReasonUpdating, t.View.Edited && a.Hash == "":
		out.State = condition.Updating // what was set for an edit differs as drift does, until it has come true once
	default:
		out.KeepConditions = true // drift, put right: conditions tell it only if it lasts
	}
	return out
}

// inVain makes the outcome of an update that of one which the cloud took before, and which did not come true. What a
// call said about that stands.
func inVain(t reconciliation.State, out outcome.Outcome, changes []driver.Change) outcome.Outcome {
	out.Next, out.Retried = outcome.AfterError, true
	switch {
	case t.Failures > 0:
		out.KeepConditions = true
	case !t.Deleting && !t.Observation.Available && t.Observation.Problem != "": // that is worse than to differ
		out.KeepConditions, out.State, out.Reason = false, condition.Stalled, v1alpha1.ReasonFailed
		out.Message = "it can't be used: " + t.Observation.Problem + "; Mooring tries again from time to time: " + plan.ListChanges(changes)
	case out.KeepConditions:
		out.KeepConditions, out.State = false, condition.DriftWaits
		out.Message = "the cloud does not keep the value that Mooring sets; find out who else changes it, or set the spec to the value in the cloud: " + plan.ListChanges(changes)
	case out.State == condition.Progressing && t.Observation.Available: // it is made, and can be used
		out.State, out.Reason = condition.Updating, v1alpha1.ReasonUpdating
		out.Message = "the cloud does not keep a value that Mooring sets since the creation; find out who else changes it, or set the spec to the value in the cloud: " + plan.ListChanges(changes)
	case out.State == condition.Progressing:
		out.Message += "; it accepted a part of it before and does not show that, so Mooring sends it again: " + plan.ListChanges(changes)
	case out.State == condition.Updating:
		out.Message = "the cloud accepted this change before but does not show it, so Mooring sends it again: " + plan.ListChanges(changes)
	}
	return out
}

// updated says what was set in the cloud. said is how a feature says it; nil if none does.
func updated(t reconciliation.State, a plan.Action, changes []driver.Change, said *outcome.Note) []outcome.Note {
	switch {
	case len(changes) == 0:
		return nil
	case a.Verb == plan.Update && t.Object.GetResourceStatus().FirstReadyTime == nil: // a part of the creation, and no news
		return nil
	case a.Verb == plan.Adopt && plan.Ownership(t.View, t.Observation) == plan.Copied: // as well
		return nil
	case a.Verb == plan.Adopt:
		return []outcome.Note{outcome.Normal(v1alpha1.EventAdopted, "took over %s", t.Request.Name)}
	case said != nil && said.Reason == "": // no news
		return nil
	case said != nil:
		return []outcome.Note{*said}
	case a.Reason == v1alpha1.ReasonDrifted:
		return []outcome.Note{outcome.Normal(v1alpha1.EventDriftCorrected, "corrected drift: %s", plan.ListChanges(changes))}
	default:
		return []outcome.Note{outcome.Normal(v1alpha1.EventUpdated, "changed %s", plan.ListChanges(changes))}
	}
}

func without(changes []driver.Change, failed []driver.FieldError) []driver.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool {
		return slices.ContainsFunc(failed, func(f driver.FieldError) bool { return f.Field == c.Field })
	})
}

// comesFirst reports whether an update began what the cloud does before it makes the changes: all of them wait for that, and nothing failed.
func comesFirst(changes []driver.Change, done driver.Result) bool {
	refused := func(f driver.FieldError) bool { return driver.CodeOf(f.Err) != driver.Busy }
	return done.Operation != "" && len(done.Failed) > 0 && len(done.Failed) >= len(changes) && !slices.ContainsFunc(done.Failed, refused)
}

// resting returns the operation of the cloud that rests until it is told to go on; empty if there is none.
func resting(o driver.Observation) string {
	if o.State != driver.Ready {
		return ""
	}
	return o.Operation
}
