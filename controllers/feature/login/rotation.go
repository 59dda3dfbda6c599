package login

import (
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// rotationLasts is how long the cloud may take to set a password before conditions say that it is at work. RDS takes a minute or two.
const rotationLasts = 10 * time.Minute

// planLogin has the object looked at again while the password of its primary is being changed, and keeps conditions calm while the cloud sets a password.
func planLogin(in *reconciliation.State, a plan.Action) plan.Action {
	a.Polls = a.Polls || place.In(in.Parts).changing
	a.KeepConditions = a.KeepConditions || a.Verb == plan.Wait && setsPassword(*in, a)
	return a
}

// setsPassword reports whether an object only waits for the cloud to set a password whose time has come. That is no edit and no drift, and the server can be
// used meanwhile: conditions tell it only if it lasts. What waits already, as they say, waits on.
func setsPassword(in reconciliation.State, a plan.Action) bool {
	v, o, told := in.View, in.Observation, in.Status().PendingChanges
	news := slices.ContainsFunc(a.Pending, func(p v1alpha1.PendingChange) bool {
		return !slices.ContainsFunc(told, func(w v1alpha1.PendingChange) bool { return w.Field == p.Field && w.To == p.To })
	})
	return v.Rotates && v.WasReady && !v.Edited && o.Available && !news && in.Now.Sub(in.Memory.Cloud.SentAt) < rotationLasts
}

// due returns when the password has to be changed because its period passes; zero if nothing has to come back for that. What the reconciliation
// left for a reason that it ended itself is looked at again at once: that look begins after the time and with what is recorded now, so it changes the password, or knows why not.
func due(in reconciliation.State) time.Time {
	now, out := place.In(in.Parts), in.Outcome
	if !now.compared {
		return time.Time{}
	}
	if next := nextRotation(in.Kind, in.Object); next.After(in.Now) {
		return next
	}
	ready := in.Err == nil && (out.State == condition.UpToDate || out.State == condition.DriftWaits) && out.Next == outcome.AtSync && !out.KeepConditions
	if ready && binding.Usable(in) && rotationMissed(in.Kind, now.settled, in.Object, in.Observation, in.Policy) {
		return in.Now
	}
	return time.Time{}
}
