package gather

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/retry"
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

// A Queue is what is remembered of an object's wait for a slot.
type Queue struct {
	// Since is when the object began to wait; zero if it does not.
	Since time.Time
	// Said is what the conditions have said since then.
	Said Said
	// AllowedAt is when the share of the namespace allows a reconciliation that somebody asked for; zero if none waits for that.
	AllowedAt time.Time
}

// Said is how much the conditions have said while the object waits for a slot. They only ever say more, until the cloud object
// is observed: an account that answers and times out in turns would else have all of its objects written each time.
type Said int

const (
	saidNothing    Said = iota
	saidQueued          // its account has no slot
	saidDegraded        // its account does not answer
	saidUnobserved      // it was not observed for two sync periods
)

// said returns what the conditions have said, also if another process wrote them.
func said(g Gathered) Said {
	before := saidNothing
	working := meta.FindStatusCondition(g.status().Conditions, v1alpha1.ConditionReconciling)
	if working != nil && working.ObservedGeneration == g.Object.GetGeneration() {
		before = map[v1alpha1.Reason]Said{
			v1alpha1.ReasonQueued: saidQueued, v1alpha1.ReasonRetrying: saidDegraded, v1alpha1.ReasonNotObserved: saidUnobserved,
		}[v1alpha1.Reason(working.Reason)]
	}
	return max(before, g.Memory.Queue.Said)
}

// whileQueued returns what is to be said of an object that waits for a slot, and how much the conditions have said then. Conditions that
// speak of this generation of the spec stay, as long as the last observation is young enough.
func whileQueued(g Gathered) (outcome.Outcome, Said) {
	out := outcome.Outcome{Queued: true, Next: outcome.Later, AtLeast: slotCheck, Reason: v1alpha1.ReasonQueued}
	if g.Slot.Postponed > 0 {
		out.KeepConditions, out.AtLeast = true, g.Slot.Postponed
		return out, g.Memory.Queue.Said
	}
	out.Message = "waiting for a slot of " + g.Slot.Account + "; other objects of the account come first, and you need to do nothing"
	news := saidQueued
	if g.Slot.Degraded {
		news, out.Reason = saidDegraded, v1alpha1.ReasonRetrying
		out.Message = g.Slot.Account + " does not answer, so Mooring tries its objects one at a time; wait, or check the network and the cloud's own status page"
	}
	switch {
	case g.bound() && g.Unobserved:
		news, out.State, out.Reason = saidUnobserved, condition.Unseen, v1alpha1.ReasonNotObserved
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
	case meta.FindStatusCondition(g.status().Conditions, v1alpha1.ConditionReady) == nil:
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

// excuses reports whether an object that was not observed for so long is only late: the calls of its account are limited, or others of the account
// get their slots before it.
func (s Slot) excuses(age, sync time.Duration, paces bool) bool {
	return (paces || s.Queued && s.Moves && !s.Degraded) && age <= retry.LongestPaced(sync)
}

// silentFor returns how long an object waits before its conditions say so.
func silentFor(g Gathered) time.Duration {
	if g.Slot.Moves {
		return longestSilentWait
	}
	return silentWait
}

// postpone returns how long an object that somebody asked to reconcile waits for the share that its namespace has of the account, and whether
// it waited for that until now. What was edited or is being deleted does not wait.
func (q *Queue) postpone(now time.Time, asked, pending bool, share func() time.Duration) (wait time.Duration, waited bool) {
	if asked && !pending && q.AllowedAt.IsZero() {
		if wait := share(); wait > 0 {
			q.AllowedAt = now.Add(wait)
		}
	}
	switch {
	case q.AllowedAt.IsZero():
		return 0, false
	case !pending && now.Before(q.AllowedAt):
		return q.AllowedAt.Sub(now), false
	}
	q.AllowedAt = time.Time{}
	return 0, true
}

// unspoken reports whether the conditions say nothing about this generation of the spec, or only that the object waits.
func unspoken(g Gathered) bool {
	working := meta.FindStatusCondition(g.status().Conditions, v1alpha1.ConditionReconciling)
	waits := working != nil && working.Reason == string(v1alpha1.ReasonQueued)
	return waits || g.status().ObservedGeneration != g.Object.GetGeneration()
}
