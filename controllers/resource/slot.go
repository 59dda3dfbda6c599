package resource

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// How often an object that waits for a slot is looked at, should nobody call it. No call is made for that.
const (
	slotCheck = 30 * time.Second
	// firstSlotCheck is for one whose conditions do not speak of this generation of the spec yet.
	firstSlotCheck = 5 * time.Second
	// silentWait is how long such an object waits for a slot of an account that answers before its conditions say so. Nearly
	// all get their slot earlier, and cost no write for having waited.
	silentWait = 15 * time.Second
)

// A slotKey says which object wants a slot of its account.
type slotKey struct {
	kind string
	name types.NamespacedName
}

// hasSlot: no account takes more than its share of the workers. No worker waits here: the object is reconciled again once a
// slot is free.
func (r *Reconciler) hasSlot(_ context.Context, t *turn) (*outcome.Outcome, error) {
	name, p := client.ObjectKeyFromObject(t.obj), t.mem.report.Priority
	t.release = t.conn.Slots.Acquire(slotKey{r.Kind.Name, name}, p, func() { r.queue.recall(name, p) })
	if t.release != nil {
		t.mem.queuedSince = time.Time{}
		return nil, nil
	}
	t.queued = true
	t.mem.queuedSince = plan.Since(t.mem.queuedSince, true, t.now)
	return r.whileQueued(t, t.conn.Slots.Degraded()), nil
}

// leaveQueue gives up the object's place in the queue for a slot, and a slot that is reserved for it.
func (r *Reconciler) leaveQueue(name types.NamespacedName) {
	r.Credentials.Limiters.Dequeue(slotKey{r.Kind.Name, name})
}

// queueNews is how much the conditions have said while the object waits for a slot. They only ever say more, until the cloud object
// is observed: an account that answers and times out in turns would else have all of its objects written each time.
type queueNews int

const (
	newsNone       queueNews = iota
	newsQueued               // its account has no slot
	newsDegraded             // its account does not answer
	newsUnobserved           // it was not observed for two sync periods
)

// queueNews returns what the conditions have said, also if another process wrote them.
func (t *turn) queueNews() queueNews {
	said := newsNone
	working := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReconciling)
	if working != nil && working.ObservedGeneration == t.obj.GetGeneration() {
		said = map[v1alpha1.Reason]queueNews{
			v1alpha1.ReasonQueued: newsQueued, v1alpha1.ReasonRetrying: newsDegraded, v1alpha1.ReasonNotObserved: newsUnobserved,
		}[v1alpha1.Reason(working.Reason)]
	}
	return max(said, t.mem.queueNews)
}

// whileQueued returns what is to be said of an object that waits for a slot. Conditions that speak of this generation of the spec
// stay, as long as the last observation is young enough. degraded: the account does not answer.
func (r *Reconciler) whileQueued(t *turn, degraded bool) *outcome.Outcome {
	out := &outcome.Outcome{Queued: true, Next: outcome.Later, AtLeast: slotCheck, Reason: v1alpha1.ReasonQueued}
	account := fmt.Sprintf("the account of %s", t.config)
	if id := t.conn.KnownAccount(); id != "" {
		account = fmt.Sprintf("%s account %s", t.conn.Provider, id)
	}
	out.Message = "waiting for a slot of " + account + "; other objects of the account come first, and you need to do nothing"
	news := newsQueued
	if degraded {
		news, out.Reason = newsDegraded, v1alpha1.ReasonRetrying
		out.Message = account + " does not answer, so Mooring tries its objects one at a time; wait, or check the network and the cloud's own status page"
	}
	switch {
	case t.bound() && t.now.Sub(t.mem.seen) > 2*r.Cadence.Sync:
		news, out.State, out.Reason = newsUnobserved, condition.Unseen, v1alpha1.ReasonNotObserved
		out.Message = "not observed for two sync periods: " + out.Message
		*out = outcome.WhileDeleting(t.deleting, *out)
	case !t.unspoken():
		out.KeepConditions = true
	case !degraded && t.now.Sub(t.mem.queuedSince) < silentWait:
		out.KeepConditions, out.AtLeast = true, firstSlotCheck
	case t.deleting:
		out.State, out.Reason = condition.Deleting, v1alpha1.ReasonDeleting
	case meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReady) == nil:
		out.State = condition.Progressing
	default:
		out.State = condition.RetryingLong
	}
	if !out.KeepConditions && news <= t.queueNews() {
		out.KeepConditions = true
	} else if !out.KeepConditions {
		t.mem.queueNews = news
	}
	return out
}

// unspoken reports whether the conditions say nothing about this generation of the spec, or only that the object waits.
func (t *turn) unspoken() bool {
	working := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReconciling)
	waits := working != nil && working.Reason == string(v1alpha1.ReasonQueued)
	return waits || t.status.ObservedGeneration != t.obj.GetGeneration()
}
