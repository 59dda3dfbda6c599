package gather

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// How often an object that waits for a slot is looked at, should nobody call it. No call is made for that.
const (
	slotCheck = 30 * time.Second
	// firstSlotCheck is for one whose conditions do not speak of this generation of the spec yet.
	firstSlotCheck = 5 * time.Second
	// silentWait is how long such an object waits for a slot of an account that answers before its conditions say so, if no other object of the account
	// gets one either, and longestSilentWait if others do: then its turn comes, and a write for each of many objects that wait would only make them
	// wait longer.
	silentWait        = 15 * time.Second
	longestSilentWait = 10 * time.Minute
)

// A Requester says which object wants a slot of its account.
type Requester struct {
	Kind string
	Name types.NamespacedName
}

// said returns what the conditions have said, also if another process wrote them.
func said(g reconciliation.State) reconciliation.Said {
	before := reconciliation.SaidNothing
	working := meta.FindStatusCondition(g.Status().Conditions, v1alpha1.ConditionReconciling)
	if working != nil && working.ObservedGeneration == g.Object.GetGeneration() {
		before = map[v1alpha1.Reason]reconciliation.Said{
			v1alpha1.ReasonQueued: reconciliation.SaidQueued, v1alpha1.ReasonRetrying: reconciliation.SaidDegraded, v1alpha1.ReasonNotObserved: reconciliation.SaidUnobserved,
		}[v1alpha1.Reason(working.Reason)]
	}
	return max(before, g.Memory.Queue.Said)
}

// whileQueued returns what is to be said of an object that waits for a slot, and how much the conditions have said then. Conditions that
// speak of this generation of the spec stay, as long as the last observation is young enough.
func whileQueued(g reconciliation.State) (outcome.Outcome, reconciliation.Said) {
	out := outcome.Outcome{Queued: true, Next: outcome.Later, AtLeast: slotCheck, Reason: v1alpha1.ReasonQueued}
	if g.Slot.Postponed > 0 {
		out.KeepConditions, out.AtLeast = true, g.Slot.Postponed
		return out, g.Memory.Queue.Said
	}
	out.Message = "waiting for a slot of " + g.Slot.Account + "; other objects of the account come first, and you need to do nothing"
	news := reconciliation.SaidQueued
	if g.Slot.Degraded {
		news, out.Reason = reconciliation.SaidDegraded, v1alpha1.ReasonRetrying
		out.Message = g.Slot.Account + " does not answer, so Mooring tries its objects one at a time; wait, or check the network and the cloud's own status page"
	}
	switch {
	case g.Bound() && g.Unobserved:
		news, out.State, out.Reason = reconciliation.SaidUnobserved, condition.Unobserved, v1alpha1.ReasonNotObserved
		out.Message = outcome.NotObserved(g.Paces, out.Message)
		out = outcome.WhileDeleting(g.Deleting, out)
	case !unspoken(g):
		out.KeepConditions = true
	case !g.Slot.Degraded && g.Now.Sub(g.Memory.Queue.Since) < silentFor(g):
		out.KeepConditions = true
		if !g.Slot.Moves {
			out.AtLeast = firstSlotCheck
		}
	case g.Deleting:
		out.State, out.Reason = condition.Deleting, v1alpha1.ReasonDeleting
	case meta.FindStatusCondition(g.Status().Conditions, v1alpha1.ConditionReady) == nil:
		out.State = condition.Progressing
	default:
		out.State = condition.RetryingLong
	}
	if out.KeepConditions || news <= said(g) {
		out.KeepConditions = true
		return out, g.Memory.Queue.Said
	}
	return out, news
}

// silentFor returns how long an object waits before its conditions say so.
func silentFor(g reconciliation.State) time.Duration {
	if g.Slot.Moves {
		return longestSilentWait
	}
	return silentWait
}

// unspoken reports whether the conditions say nothing about this generation of the spec, or only that the object waits.
func unspoken(g reconciliation.State) bool {
	working := meta.FindStatusCondition(g.Status().Conditions, v1alpha1.ConditionReconciling)
	waits := working != nil && working.Reason == string(v1alpha1.ReasonQueued)
	return waits || g.Status().ObservedGeneration != g.Object.GetGeneration()
}
