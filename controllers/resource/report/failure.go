package report

import (
	"errors"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Lasting is how many failures in a row it takes before conditions speak of them: one flips nothing.
const Lasting = 3

// messageDeleting is what an object says that is to be deleted until there is more to say.
const messageDeleting = "being deleted"

// deletionFirst returns an outcome with what the conditions say whatever the cloud answers first: that the object is being deleted.
func deletionFirst(in reconciliation.State) outcome.Outcome {
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

// A classifier turns the error of a reconciliation into an outcome. It is pure.
type classifier struct {
	reconciliation.State
	cadence retry.Cadence
}

func (c classifier) classify(memory Memory) (outcome.Outcome, Memory) {
	if errors.Is(c.Err, outcome.ErrStale) || apierrors.IsConflict(c.Err) {
		return c.outdated(), memory
	}
	out := c.Outcome
	if late, is := c.late(out); is {
		return late, memory
	}
	if memory.Failures++; memory.Failures == 1 {
		memory.Failing, memory.Settling = c.Now, time.Time{}
	}
	if driver.Settles(c.Err) && memory.Settling.IsZero() {
		memory.Settling = c.Now
	}
	out.Next, out.Message, out.KeepConditions = outcome.AfterError, c.Err.Error(), false
	if refusal, ok := errors.AsType[*identity.ValidationError](c.Err); ok {
		return outcome.WhileDeleting(c.Deleting, c.ofRefusal(out, refusal)), memory
	}
	return c.ofError(out, memory), memory
}

// late returns the outcome of a reconciliation that the cloud refused because of the rate of the account's calls. That says nothing about the object,
// and the account's limiter knows when its turn is: the object is only late.
func (c classifier) late(out outcome.Outcome) (outcome.Outcome, bool) {
	if driver.CodeOf(c.Err) != driver.Throttled || c.Unobserved {
		return out, false
	}
	out.State, out.Reason, out.KeepConditions = condition.Retrying, v1alpha1.ReasonRetrying, true
	out.Throttled, out.Next = true, outcome.AfterError
	if c.Paced {
		out.Next = outcome.InTurn
	}
	if cloud, ok := errors.AsType[*driver.Error](c.Err); ok {
		out.AtLeast = cloud.RetryAfter
	}
	return out, true
}

// outdated returns the outcome of a reconciliation that somebody else was faster than: the object is observed again. What was planned is
// recorded all the same, by a write that the version of the object guards.
func (c classifier) outdated() outcome.Outcome {
	out := c.Outcome
	return outcome.Outcome{
		KeepConditions: true, Next: outcome.Polling,
		Planned: out.Planned, Undecided: out.Undecided, Hash: out.Hash, Pending: out.Pending, PendingKnown: out.PendingKnown,
	}
}

// ofError turns an error of a call into an outcome.
func (c classifier) ofError(out outcome.Outcome, memory Memory) outcome.Outcome {
	class := retry.Classify(c.Err)
	out.Reason = class.Reason
	if class.Advice != "" {
		out.Message = strings.TrimSuffix(out.Message, ".") + "; " + class.Advice
	}
	if cloud, ok := errors.AsType[*driver.Error](c.Err); ok {
		out.AtLeast, out.Throttled = cloud.RetryAfter, cloud.Code == driver.Throttled
	}
	_, did := errors.AsType[outcome.Acted](c.Err)
	switch {
	case lacking(c.Err): // no other answer is near, so the object is looked at as if it was up to date
		out.State, out.Next = c.stateOfRefusal(), outcome.AtSync
	case class.Stalled && c.settles(class.Reason, memory):
		out.Reason = v1alpha1.ReasonCloudBusy
		return c.ofBusy(out, memory)
	case class.Stalled && did:
		out.State = condition.Stalled
	case class.Stalled && (memory.Failures >= Lasting || c.Unobserved):
		out.State = c.stateOfRefusal()
	case c.Unobserved:
		out.State, out.Reason = condition.Unobserved, v1alpha1.ReasonNotObserved
		out.Message = outcome.NotObserved(c.Paces, out.Message)
	case class.RetrySoon:
		return c.ofBusy(out, memory)
	case memory.Failures >= Lasting:
		out.State = condition.RetryingLong
	default:
		out.State = condition.Retrying
	}
	return outcome.WhileDeleting(c.Deleting, out)
}

// settles reports whether a refusal is too young to be told as one: it may pass by itself, and nobody was told yet to correct this generation of the spec.
func (c classifier) settles(reason v1alpha1.Reason, memory Memory) bool {
	told := outcome.Stalled(c.Object)
	return driver.Settles(c.Err) && !c.Unobserved && (told == nil || told.Reason != string(reason)) && c.Now.Sub(memory.Settling) < c.cadence.ConsistencyWindow
}

// messageOf returns the message of an outcome. If something is refused that the class gave the object, it says so: the object's own spec does not say what to correct.
func messageOf(in reconciliation.State) string {
	out := in.Outcome
	switch out.Reason {
	case v1alpha1.ReasonInvalid, v1alpha1.ReasonConflict, v1alpha1.ReasonNotSupported, v1alpha1.ReasonFailed, v1alpha1.ReasonImmutable:
		if origin := in.Class.Origin(out.Message, outcome.RefusedFields(in.Err)); origin != "" && !in.Deleting {
			return out.Message + "; " + origin
		}
	default: // it is no refusal of a value, or speaks of the class by itself
	}
	return out.Message
}

// lacking reports whether an error says that the cloud lacks what it was asked for, and nothing else.
func lacking(err error) bool {
	fields, ok := errors.AsType[outcome.FieldErrors](err)
	if !ok {
		return driver.CodeOf(err) == driver.Unsupported
	}
	return !slices.ContainsFunc(fields, func(f driver.FieldError) bool { return driver.CodeOf(f.Err) != driver.Unsupported })
}

// stateOfRefusal returns the state of an object of which the cloud, or its provider config, refused something. What was last observed
// as declared stays so for a while if it was the observation that was refused: a key that was rotated wrongly changes nothing
// of the object.
func (c classifier) stateOfRefusal() condition.State {
	if !c.Observed && !c.Deleting && applied(c.Object) && !c.Unobserved {
		return condition.ObservationRefused
	}
	return condition.Stalled
}

// grace is how long a new object waits for what it refers to before that is a person's move: all of it may have been applied
// at once, in any order.
const grace = time.Minute

// ofRefusal turns a refusal of what an object refers to into an outcome.
func (c classifier) ofRefusal(out outcome.Outcome, refusal *identity.ValidationError) outcome.Outcome {
	out.Reason, out.Message = refusal.Reason, refusal.Message
	left := grace - c.Now.Sub(c.Object.GetCreationTimestamp().Time)
	switch {
	case refusal.Missing() && c.Object.GetResourceStatus().FirstReadyTime == nil && !c.Deleting && left > 0:
		out.State, out.AtMost = condition.Progressing, left
	case refusal.Reason == v1alpha1.ReasonAccountChanged: // what was observed was in another account
		out.State = condition.Stalled
	default:
		out.State = c.stateOfRefusal()
	}
	return out
}

// ofBusy turns the answer that the cloud is busy into an outcome, or one that may pass once the cloud sees everywhere what was changed. It is usual, and over before long; what lasts is recorded.
func (c classifier) ofBusy(out outcome.Outcome, memory Memory) outcome.Outcome {
	out.Next = outcome.Polling
	if memory.Failures < Lasting || c.Now.Sub(memory.Failing) < c.cadence.PollLongest {
		out.State, out.KeepConditions = condition.Retrying, true
		return out
	}
	out.Message = "the cloud refuses this for now, and Mooring retries: " + out.Message
	status := c.Object.GetResourceStatus()
	switch {
	case c.Deleting:
		out.State, out.Reason = condition.Deleting, v1alpha1.ReasonDeleting
	case status.FirstReadyTime == nil:
		out.State = condition.Progressing
	case status.AppliedGeneration != c.Object.GetGeneration():
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
