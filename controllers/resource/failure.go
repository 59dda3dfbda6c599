package resource

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// atOnce adds what the conditions say whatever the cloud answers first: that the object is being deleted.
func (t *turn) atOnce(out outcome) outcome {
	silent := (out.quiet || out.state == condition.Retrying) && !out.gone && !out.queued
	if silent && t.deleting && !t.deletionRecorded() {
		out.quiet, out.state, out.reason, out.message = false, condition.Deleting, v1alpha1.ReasonDeleting, messageDeleting
	}
	return out
}

// messageDeleting is what an object says that is to be deleted until there is more to say.
const messageDeleting = "being deleted"

// deletionRecorded reports whether the conditions speak about the deletion.
func (t *turn) deletionRecorded() bool {
	ready := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.ObservedGeneration == t.obj.GetGeneration()
}

// unobserved reports whether the cloud object was not observed for two sync periods.
func (r *Reconciler) unobserved(t *turn) bool {
	return t.now.Sub(t.mem.seen) > 2*r.Cadence.Sync
}

// judge turns an error into an outcome.
func (r *Reconciler) judge(t *turn, out outcome, err error) outcome {
	if errors.Is(err, errStale) || apierrors.IsConflict(err) {
		return outcome{quiet: true, next: polling} // somebody else was faster; look again
	}
	if t.mem.failures++; t.mem.failures == 1 {
		t.mem.failing = t.now
	}
	out.next, out.message, out.quiet = afterError, err.Error(), false
	if refusal, ok := errors.AsType[*identity.ValidationError](err); ok {
		return t.whileDeleting(r.judgeRefusal(t, out, refusal))
	}
	verdict := retry.Judge(err)
	out.reason = verdict.Reason
	if verdict.Advice != "" {
		out.message += "; " + verdict.Advice
	}
	if cloud, ok := errors.AsType[*driver.Error](err); ok {
		out.atLeast, out.throttled = cloud.RetryAfter, cloud.Code == driver.Throttled
	}
	_, did := errors.AsType[acted](err)
	switch {
	case verdict.Stalled && did:
		out.state = condition.Stalled
	case verdict.Stalled && (t.mem.failures >= stubborn || r.unobserved(t)):
		out.state = r.stateOfRefusal(t)
	case r.unobserved(t):
		out.state, out.reason = condition.Unseen, v1alpha1.ReasonNotObserved
		out.message = "not observed for two sync periods: " + out.message
	case verdict.Soon:
		return r.judgeBusy(t, out)
	case t.mem.failures >= stubborn:
		out.state = condition.RetryingLong
	default:
		out.state = condition.Retrying
	}
	return t.whileDeleting(out)
}

// stateOfRefusal returns the state of an object of which the cloud, or its provider config, refused something. What was last observed
// as declared stays so for a while if it was the observation that was refused: a key that was rotated wrongly changes nothing
// of the object.
func (r *Reconciler) stateOfRefusal(t *turn) condition.State {
	if !t.looked && !t.deleting && t.applied() && !r.unobserved(t) {
		return condition.ObservationRefused
	}
	return condition.Stalled
}

// grace is how long a new object waits for what it refers to before that is a person's move: all of it may have been applied
// at once, in any order.
const grace = time.Minute

// judgeRefusal turns a refusal of what an object refers to into an outcome.
func (r *Reconciler) judgeRefusal(t *turn, out outcome, refusal *identity.ValidationError) outcome {
	out.reason, out.message = refusal.Reason, refusal.Message
	left := grace - t.now.Sub(t.obj.GetCreationTimestamp().Time)
	switch {
	case refusal.Missing() && t.status.FirstReadyTime == nil && !t.deleting && left > 0:
		out.state, out.atMost = condition.Progressing, left
	case refusal.Reason == v1alpha1.ReasonAccountChanged: // what was observed was in another account
		out.state = condition.Stalled
	default:
		out.state = r.stateOfRefusal(t)
	}
	return out
}

// judgeBusy turns the answer that the cloud is busy into an outcome. It is usual, and over before long; what lasts is recorded.
func (r *Reconciler) judgeBusy(t *turn, out outcome) outcome {
	out.next = polling
	if t.mem.failures < stubborn || t.now.Sub(t.mem.failing) < r.Cadence.PollLongest {
		out.state, out.quiet = condition.Retrying, true
		return out
	}
	out.message = "the cloud refuses this for now, and Mooring retries: " + out.message
	switch {
	case t.deleting:
		out.state, out.reason = condition.Deleting, v1alpha1.ReasonDeleting
	case t.status.FirstReadyTime == nil:
		out.state = condition.Progressing
	case t.status.AppliedGeneration != t.obj.GetGeneration():
		out.state = condition.Updating
	default:
		out.state = condition.RetryingLong
	}
	return out
}

// whileDeleting turns an outcome into that of an object that is being deleted, if it is.
func (t *turn) whileDeleting(out outcome) outcome {
	switch {
	case !t.deleting:
	case out.state == condition.Stalled:
		out.state = condition.DeletionStalled
	case out.state == condition.RetryingLong || out.state == condition.Unseen:
		out.state, out.reason = condition.Deleting, v1alpha1.ReasonDeleting
	}
	return out
}

// failedBefore reports whether an operation that was to create the object failed, which the conditions say. That it is tried
// again is no news: why it failed stays until a person acted, or the object is seen to work.
func (t *turn) failedBefore() bool {
	return t.mem.failure != "" && t.status.FirstReadyTime == nil && !t.deleting && t.stalledBefore() != nil
}

// stalledBefore returns the condition that the object stalls at this generation of the spec; nil if it does not.
func (t *turn) stalledBefore() *metav1.Condition {
	c := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != t.obj.GetGeneration() {
		return nil
	}
	return c
}

// whyFailed returns what to say of an object that the cloud shows as failed. Why its creation failed is said by the operation
// alone, and once; known says that the conditions tell it already, also if another process was told.
func (t *turn) whyFailed(shown string) (message string, known bool) {
	if t.status.FirstReadyTime != nil || t.deleting {
		return shown, false
	}
	if before := t.stalledBefore(); before != nil && !t.wanted {
		switch v1alpha1.Reason(before.Reason) {
		case v1alpha1.ReasonFailed, v1alpha1.ReasonInvalid, v1alpha1.ReasonDenied, v1alpha1.ReasonQuotaExceeded, v1alpha1.ReasonNoCapacity,
			v1alpha1.ReasonConflict:
			return shown, true
		default: // it has nothing to do with the cloud
		}
	}
	if t.mem.failure != "" {
		return "it failed in the cloud: " + t.mem.failure, false
	}
	return shown, false
}

// troubled reports whether the last turn failed, or the object stalls, at this generation of the spec.
func (t *turn) troubled() bool { return t.mem.failures > 0 || t.stalledBefore() != nil }
