package execute

import (
	"slices"
	"time"

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

// rotationLasts is how long the cloud may take to set a password before conditions say that it is at work. RDS takes a minute or two.
const rotationLasts = 10 * time.Minute

// setsPassword reports whether an object only waits for the cloud to set a password whose time has come. That is no edit and no drift, and the server can be
// used meanwhile: conditions tell it only if it lasts. What waits already, as they say, waits on.
func setsPassword(t reconciliation.State, a plan.Action) bool {
	v, o, told := t.View, t.Observation, t.Object.GetResourceStatus().PendingChanges
	news := slices.ContainsFunc(a.Pending, func(p v1alpha1.PendingChange) bool {
		return !slices.ContainsFunc(told, func(w v1alpha1.PendingChange) bool { return w.Field == p.Field && w.To == p.To })
	})
	return v.Rotates && v.WasReady && !v.Edited && !t.Deleting && o.Available && !news && t.Now.Sub(t.Memory.Cloud.SentAt) < rotationLasts
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
