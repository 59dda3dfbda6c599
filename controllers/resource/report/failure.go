package report

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Lasting is how many failures in a row it takes before conditions speak of them: one flips nothing.
const Lasting = 3

// messageDeleting is what an object says that is to be deleted until there is more to say.
const messageDeleting = "being deleted"

// deletionFirst returns an outcome with what the conditions say whatever the cloud answers first: that the object is being deleted.
func deletionFirst(in Reconciliation) outcome.Outcome {
	out := in.Outcome
	silent := (out.KeepConditions || out.State == condition.Retrying) && !out.Deleted && !out.Queued
	if silent && in.Deleting && !deletionRecorded(in.Object) {
		out.KeepConditions, out.State, out.Reason, out.Message = false, condition.Deleting, v1alpha1.ReasonDeleting, messageDeleting
	}
	return out
}

// deletionRecorded reports whether the conditions speak about the deletion.
func deletionRecorded(object v1alpha1.ResourceObject) bool {
	ready := meta.FindStatusCondition(object.GetResourceStatus().Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.ObservedGeneration == object.GetGeneration()
}

// A judge turns the error of a reconciliation into an outcome. It is pure.
type judge struct {
	Reconciliation
	cadence retry.Cadence
}

func (j judge) judge(memory Memory) (outcome.Outcome, Memory) {
	if errors.Is(j.Err, outcome.ErrStale) || apierrors.IsConflict(j.Err) {
		return outcome.Outcome{KeepConditions: true, Next: outcome.Polling}, memory // somebody else was faster; observe again
	}
	if memory.Failures++; memory.Failures == 1 {
		memory.Failing = j.Now
	}
	out := j.Outcome
	out.Next, out.Message, out.KeepConditions = outcome.AfterError, j.Err.Error(), false
	if refusal, ok := errors.AsType[*identity.ValidationError](j.Err); ok {
		return outcome.WhileDeleting(j.Deleting, j.judgeRefusal(out, refusal)), memory
	}
	return j.judgeError(out, memory), memory
}

// judgeError turns an error of a call into an outcome.
func (j judge) judgeError(out outcome.Outcome, memory Memory) outcome.Outcome {
	verdict := retry.Judge(j.Err)
	out.Reason = verdict.Reason
	if verdict.Advice != "" {
		out.Message += "; " + verdict.Advice
	}
	if cloud, ok := errors.AsType[*driver.Error](j.Err); ok {
		out.AtLeast, out.Throttled = cloud.RetryAfter, cloud.Code == driver.Throttled
	}
	_, did := errors.AsType[outcome.Acted](j.Err)
	switch {
	case verdict.Stalled && did:
		out.State = condition.Stalled
	case verdict.Stalled && (memory.Failures >= Lasting || j.Unobserved):
		out.State = j.stateOfRefusal()
	case j.Unobserved:
		out.State, out.Reason = condition.Unseen, v1alpha1.ReasonNotObserved
		out.Message = "not observed for two sync periods: " + out.Message
	case verdict.Soon:
		return j.judgeBusy(out, memory)
	case memory.Failures >= Lasting:
		out.State = condition.RetryingLong
	default:
		out.State = condition.Retrying
	}
	return outcome.WhileDeleting(j.Deleting, out)
}

// stateOfRefusal returns the state of an object of which the cloud, or its provider config, refused something. What was last observed
// as declared stays so for a while if it was the observation that was refused: a key that was rotated wrongly changes nothing
// of the object.
func (j judge) stateOfRefusal() condition.State {
	if !j.Observed && !j.Deleting && applied(j.Object) && !j.Unobserved {
		return condition.ObservationRefused
	}
	return condition.Stalled
}

// grace is how long a new object waits for what it refers to before that is a person's move: all of it may have been applied
// at once, in any order.
const grace = time.Minute

// judgeRefusal turns a refusal of what an object refers to into an outcome.
func (j judge) judgeRefusal(out outcome.Outcome, refusal *identity.ValidationError) outcome.Outcome {
	out.Reason, out.Message = refusal.Reason, refusal.Message
	left := grace - j.Now.Sub(j.Object.GetCreationTimestamp().Time)
	switch {
	case refusal.Missing() && j.Object.GetResourceStatus().FirstReadyTime == nil && !j.Deleting && left > 0:
		out.State, out.AtMost = condition.Progressing, left
	case refusal.Reason == v1alpha1.ReasonAccountChanged: // what was observed was in another account
		out.State = condition.Stalled
	default:
		out.State = j.stateOfRefusal()
	}
	return out
}

// judgeBusy turns the answer that the cloud is busy into an outcome. It is usual, and over before long; what lasts is recorded.
func (j judge) judgeBusy(out outcome.Outcome, memory Memory) outcome.Outcome {
	out.Next = outcome.Polling
	if memory.Failures < Lasting || j.Now.Sub(memory.Failing) < j.cadence.PollLongest {
		out.State, out.KeepConditions = condition.Retrying, true
		return out
	}
	out.Message = "the cloud refuses this for now, and Mooring retries: " + out.Message
	status := j.Object.GetResourceStatus()
	switch {
	case j.Deleting:
		out.State, out.Reason = condition.Deleting, v1alpha1.ReasonDeleting
	case status.FirstReadyTime == nil:
		out.State = condition.Progressing
	case status.AppliedGeneration != j.Object.GetGeneration():
		out.State = condition.Updating
	default:
		out.State = condition.RetryingLong
	}
	return out
}

// applied reports whether this generation of the spec is applied, and the object Ready.
func applied(object v1alpha1.ResourceObject) bool {
	status, generation := object.GetResourceStatus(), object.GetGeneration()
	c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == generation && status.AppliedGeneration == generation
}
