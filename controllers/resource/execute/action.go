package execute

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

func (w step) act(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	if err := w.storePassword(ctx, password.AtOnce); err != nil {
		return outcome.Outcome{}, err
	}
	w.done.Action = string(a.Verb)
	if a.Verify {
		if err := w.ensureFresh(ctx); err != nil {
			return outcome.Outcome{}, err
		}
	}
	switch a.Verb {
	case plan.Create:
		return w.create(ctx, a)
	case plan.Adopt:
		return w.update(ctx, a, []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}})
	case plan.Release:
		return w.release(ctx)
	case plan.ClearBinding:
		w.clearBinding()
		return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
	case plan.Update:
		if a = w.enterRollout(a); len(a.Changes) == 0 {
			return w.waitForRollout(ctx, a)
		}
		return w.update(ctx, a, a.Changes)
	case plan.Delete:
		return w.delete(ctx, a)
	case plan.RemoveFinalizer:
		if a.Lost {
			w.Tell(w.done.Action, outcome.Warning(v1alpha1.EventDataLost,
				"%s no longer exists in %s account %s, and there is no final snapshot %s: it was deleted outside Mooring, and its data is lost unless the cloud has other backups",
				w.Request.Name, w.Provider, w.Account, w.Request.Deletion.Snapshot))
		}
		return w.removeFinalizer(ctx, a.Message, a.Orphaned)
	default:
		return w.rest(ctx, a)
	}
}

// creatableName refuses a name that the cloud would refuse, before anything is bound to it. What exists may have such a
// name, so nothing else asks.
func (w step) creatableName() error {
	refusal := w.Described.Name.Refuses(w.Request.Name)
	if refusal == nil {
		return nil
	}
	if w.status.FirstReadyTime != nil {
		return fmt.Errorf("%w; restore it in the cloud, or delete this object", refusal)
	}
	return fmt.Errorf("%w; choose another spec.externalName", refusal)
}

func (w step) create(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	if err := w.creatableName(); err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	nothingYet := !w.bound() || plan.NeverCreated(w.status, w.Memory)
	fresh, err := w.ensureRecorded(ctx, a)
	if err != nil {
		return outcome.Outcome{}, err
	}
	triedAgain, refused := w.failedBefore(), w.Memory.CreationRefused
	switch changed := w.startOver(v1alpha1.OriginCreated, w.Observation.Applied); {
	case changed:
		w.describe(outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message, KeepConditions: triedAgain || w.troubled()})
		err = w.patchStatus(ctx)
	case !fresh:
		err = w.ensureFresh(ctx)
	}
	w.Memory.CreationRefused = refused // as long as no other is sent
	if err != nil {
		return outcome.Outcome{}, err
	}
	if w.View.WasReady {
		w.Tell(w.done.Action, outcome.Warning(v1alpha1.EventDataLost,
			"%s was deleted in %s account %s outside Mooring, and its data is lost; Mooring is creating a new, empty one under the same name",
			w.Request.Name, w.Provider, w.Account))
	}
	if w.Password.Refused != nil {
		return outcome.Outcome{}, w.Password.Refused
	}
	if err := w.storePassword(ctx, password.AfterStartOver); err != nil {
		return outcome.Outcome{}, err
	}
	w.Memory.CreationRefused = false
	done, err := w.Session.Create(ctx, w.Kind.Name, w.Request, w.Password.Sent)
	w.done.CallError = err
	w.Memory = w.Memory.Wrote(w.Clock(), done.Sent)
	if err != nil {
		w.creationRefused(err, nothingYet)
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	w.Memory.Answered = true
	created := outcome.Normal(v1alpha1.EventCreated, "created %s in %s account %s", w.Request.Name, w.Provider, w.Account)
	created.FirstTime = true
	w.note(created)
	w.status.Operation, w.Memory.Absent = done.Operation, w.Memory.NotBefore
	if done.ID != "" {
		w.status.ExternalID = done.ID
	}
	return outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message, Next: outcome.Soon, KeepConditions: triedAgain, Created: true}, nil
}

func (w step) update(ctx context.Context, a plan.Action, changes []driver.Change) (outcome.Outcome, error) {
	wasBound := w.bound()
	if _, err := w.ensureRecorded(ctx, a); err != nil {
		return outcome.Outcome{}, err
	}
	if a.Verb == plan.Adopt {
		if waits, err := w.takeOver(ctx, changes, wasBound); waits || err != nil {
			return outcome.Outcome{KeepConditions: true, Next: outcome.Polling}, err
		}
	}
	out := w.updating(a)
	// The cloud took the same before, and does not show it.
	w.Memory.InVain = len(w.Memory.Sent) > 0 && !slices.ContainsFunc(changes, func(c driver.Change) bool { return !w.Memory.WasSent(c) })
	if w.Memory.InVain {
		out = w.inVain(out, changes)
	}
	// What is about to be set is stored first: it may arrive although its answer is lost, and must then be
	// known to be ours. The patch is guarded, so it also keeps an old version of the spec from being applied.
	told := out
	told.PendingKnown = !w.Deleting && !out.KeepConditions && out.State == condition.Updating
	told.KeepConditions = out.KeepConditions || w.troubled() // that it is tried again is no news: conditions would change, and change back if it fails
	w.describe(told)
	before := w.Object.GetResourceVersion()
	if err := w.patchStatus(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	if w.Object.GetResourceVersion() == before { // there was nothing to store
		if err := w.ensureFresh(ctx); err != nil {
			return outcome.Outcome{}, err
		}
	}
	done, err := w.Session.Update(ctx, w.Kind.Name, w.Request, changes, w.Password.Sent)
	w.done.CallError = err
	failed := outcome.Outcome{Pending: a.Pending, PendingKnown: a.Verb == plan.Update && !w.Deleting}
	if err != nil {
		w.Memory = w.Memory.Wrote(w.Clock(), nil)
		return failed, outcome.Acted{Err: outcome.RefusedUpdate(changes, err)}
	}
	applied := without(changes, done.Failed)
	w.Memory = w.Memory.Wrote(w.Clock(), applied)
	if !w.Memory.InVain {
		w.tellUpdate(a, applied)
	}
	w.sent(applied)
	w.status.Operation = done.Operation
	if len(done.Failed) > 0 {
		failed.Pending = plan.StillPending(a.Pending, applied)
		return failed, outcome.Acted{Err: outcome.FieldErrors(done.Failed)}
	}
	// Only what was done settles a plan. What still differs in the course of a creation is no plan, and not worth
	// a write.
	out.Planned = out.State != condition.Progressing || w.status.Plan != nil
	return out, nil
}

// inVain makes the outcome of an update that of one which the cloud took before, and which did not come true. What a
// call said about that stands.
func (w step) inVain(out outcome.Outcome, changes []driver.Change) outcome.Outcome {
	out.Next, out.Retried = outcome.AfterError, true
	switch {
	case w.Failures > 0:
		out.KeepConditions = true
	case out.KeepConditions:
		out.KeepConditions, out.State = false, condition.DriftWaits
		out.Message = "the cloud does not keep the value that Mooring sets; find out who else changes it, or set the spec to the value in the cloud: " + plan.ListChanges(changes)
	case out.State == condition.Updating:
		out.Message = "the cloud accepted this change before but does not show it, so Mooring sends it again: " + plan.ListChanges(changes)
	}
	return out
}

// updating returns the outcome of an update that the cloud takes.
func (w step) updating(a plan.Action) outcome.Outcome {
	out := outcome.Outcome{Reason: a.Reason, Message: a.Message, Pending: a.Pending, Hash: a.Hash, Next: outcome.Soon}
	switch {
	case w.Deleting:
		out.State = condition.Deleting
	case a.Verb == plan.Adopt && w.status.FirstReadyTime != nil:
		out.KeepConditions = true // it only lost its mark
	case a.Verb == plan.Adopt:
		out.State = condition.Progressing
	case w.status.FirstReadyTime == nil:
		out.State, out.Reason, out.Message = condition.Progressing, v1alpha1.ReasonCreating, plan.MessageCreating
	case a.Reason == v1alpha1.ReasonUpdating, w.View.Edited && a.Hash == "":
		out.State = condition.Updating // what was set for an edit differs as drift does, until it has come true once
	default:
		out.KeepConditions = true // drift, put right: conditions tell it only if it lasts
	}
	return out
}

// release marks what is left behind, so that it is not taken back by accident.
func (w step) release(ctx context.Context) (outcome.Outcome, error) {
	if err := w.ensureFresh(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	w.Request.Mark.Released = true
	done, err := w.Session.Update(ctx, w.Kind.Name, w.Request, []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}}, w.Password.Sent)
	w.done.CallError = err
	if err == nil && len(done.Failed) > 0 {
		err = outcome.FieldErrors(done.Failed)
	}
	if err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	if done.Operation != "" { // it may still fail: the finalizer goes once the mark is seen
		w.status.Operation = done.Operation
		return outcome.Outcome{State: condition.Deleting, Reason: v1alpha1.ReasonDeleting, Message: plan.MessageReleasing, Next: outcome.Soon}, nil
	}
	left := fmt.Sprintf("retained %s in %s account %s", w.Request.Name, w.Provider, w.Account)
	if w.Policy.Deletion != v1alpha1.DeletionRetain {
		left += ": it existed before this object took it over, and this object's spec was never applied in full"
	}
	return w.removeFinalizer(ctx, left, true)
}

func (w step) delete(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	if !w.Memory.DeleteSent.IsZero() && w.Now.Sub(w.Memory.DeleteSent) < w.Settle {
		return outcome.Outcome{State: condition.Deleting, Reason: a.Reason, Message: a.Message, Next: outcome.Polling}, nil
	}
	if err := w.ensureFresh(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	if !a.Snapshot {
		w.Request.Deletion.Snapshot = ""
	}
	done, err := w.Session.Delete(ctx, w.Kind.Name, w.Request)
	w.done.CallError = err
	if err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	out := outcome.Outcome{State: condition.Deleting, Reason: a.Reason, Message: a.Message, Next: outcome.Soon}
	if done.Unfinished {
		return out, nil
	}
	w.Memory.DeleteSent = w.Clock()
	w.note(outcome.Normal(v1alpha1.EventDeletionRequested, "asked %s to delete %s", w.Provider, w.Request.Name))
	w.status.Operation = done.Operation
	return out, nil
}

// removeFinalizer drops what was kept for the object, then the finalizer. stays says that the cloud object is left.
func (w step) removeFinalizer(ctx context.Context, why string, stays bool) (outcome.Outcome, error) {
	finished := w.hasFinalizer()
	if finished {
		if err := w.dropSecrets(ctx, stays); err != nil {
			return outcome.Outcome{}, err
		}
		reason := v1alpha1.EventDeleted
		if stays {
			reason = v1alpha1.EventRetained
		}
		w.note(outcome.Normal(reason, "%s", why))
		patched := w.Stored.DeepCopyObject().(v1alpha1.ResourceObject)
		controllerutil.RemoveFinalizer(patched, v1alpha1.FinalizerResource)
		err := w.Client.Patch(ctx, patched, client.MergeFromWithOptions(w.Stored, client.MergeFromWithOptimisticLock{}))
		if client.IgnoreNotFound(err) != nil {
			return outcome.Outcome{}, fmt.Errorf("remove the finalizer: %w", err)
		}
	}
	return outcome.Outcome{Deleted: true, Finished: finished, Orphaned: stays}, nil
}

// rest is for reconciliations in which nothing is to be done in the cloud: the connection is published, and the plan recorded.
func (w step) rest(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	out := outcome.Outcome{Reason: a.Reason, Message: a.Message, Detail: a.Detail, Pending: a.Pending, Planned: true, Hash: a.Hash}
	switch a.Verb {
	case plan.Converge:
		out.State, out.Next = condition.Settled, outcome.AtSync
		w.Memory.Sent, w.Memory.InVain = nil, false
		w.done.LeftRollout = true
	case plan.AwaitApproval:
		w.done.LeftRollout = true
		out.State, out.Next = condition.DriftWaits, outcome.AtSync
		if a.EditWaits {
			out.State = condition.EditWaits
		}
	case plan.Stall:
		out.Undecided = !a.Decided
		out.State, out.Next = condition.Stalled, outcome.AtSync // an edit, an annotation or a watch brings it back at once
		if w.Deleting {
			out.State = condition.DeletionStalled
		}
		if a.Reason == v1alpha1.ReasonFailed && w.Observation.State == driver.Failed {
			out.Message, out.KeepConditions = w.whyFailed(out.Message)
		}
	default:
		out.State, out.Next = waiting(w.View, w.Observation), outcome.Polling
		out.Planned, out.KeepConditions = false, a.KeepConditions || w.Memory.InVain || a.Reason == v1alpha1.ReasonCreating && w.failedBefore()
		out.Pending, out.PendingKnown = w.stillPending(a)
	}
	if w.Deleting || w.Policy.Management == v1alpha1.ManagementObserve {
		return out, nil
	}
	if unread := w.Observation.Unreadable; len(unread) > 0 && a.Verb != plan.Stall {
		return out, outcome.FieldErrors(unread)
	}
	return w.publish(ctx, out)
}

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
func (w step) stillPending(a plan.Action) (pending []v1alpha1.PendingChange, known bool) {
	atWork := w.Observation.State == driver.Pending && w.View.WasReady && !w.Deleting && !a.KeepConditions
	sameSpec := w.status.ObservedGeneration == w.Object.GetGeneration()
	if !atWork || sameSpec && len(w.status.PendingChanges) > 0 {
		return nil, false
	}
	return a.Pending, true
}

// tellUpdate says what was set in the cloud.
func (w step) tellUpdate(a plan.Action, changes []driver.Change) {
	switch {
	case len(changes) == 0:
	case a.Verb == plan.Update && w.status.FirstReadyTime == nil: // a part of the creation, and no news
	case a.Verb == plan.Adopt:
		w.note(outcome.Normal(v1alpha1.EventAdopted, "took over %s", w.Request.Name))
	case len(changes) == 1 && changes[0].Field == driver.FieldPassword:
		w.note(outcome.Normal(v1alpha1.EventPasswordChanged, "changed the administrator's password"))
	case a.Reason == v1alpha1.ReasonDrifted:
		w.note(outcome.Normal(v1alpha1.EventDriftCorrected, "corrected drift: %s", plan.ListChanges(changes)))
	default:
		w.note(outcome.Normal(v1alpha1.EventUpdated, "changed %s", plan.ListChanges(changes)))
	}
}
