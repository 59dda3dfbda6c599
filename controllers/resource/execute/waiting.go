package execute

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// waiting returns the state of an object that only waits for the cloud.
func waiting(v plan.View, o driver.Observation) condition.State {
	switch {
	case v.Deleting:
		return condition.Deleting
	case !v.WasReady:
		return condition.Progressing
	case v.Edited, !o.Available: // Ready promises that it can be used
		return condition.Updating
	default:
		return condition.DriftWaits
	}
}

// stillPending returns the changes that are not applied while the cloud is at work on an object. It shows as done what it has
// accepted, so what was recorded of this generation of the spec stays until it is at rest.
func stillPending(t reconciliation.State, a plan.Action) (pending []v1alpha1.PendingChange, known bool) {
	atWork := t.Observation.State == driver.Pending && t.View.WasReady && !t.Deleting && !a.KeepConditions
	sameSpec := t.Object.GetResourceStatus().ObservedGeneration == t.Object.GetGeneration()
	if !atWork || sameSpec && len(t.Object.GetResourceStatus().PendingChanges) > 0 {
		return nil, false
	}
	return a.Pending, true
}
