package execute

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

func (w *work) act(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	if err := w.executor.Features.Prepare(ctx, w, feature.AtOnce); err != nil {
		return outcome.Outcome{}, err
	}
	w.Action = string(a.Verb)
	if a.Verify {
		if err := w.executor.store().ensureFresh(ctx, w.Object); err != nil {
			return outcome.Outcome{}, err
		}
	}
	w.Record()
	switch a.Verb {
	case plan.Create:
		return w.create(ctx, a)
	case plan.Adopt:
		return w.update(ctx, a.WritingMark())
	case plan.Release:
		return w.release(ctx)
	case plan.ClearBinding:
		w.clearBinding()
		return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
	case plan.Update, plan.AwaitBackup:
		if a = w.executor.enterRollout(w.State, a); len(a.Changes) == 0 || a.Verb == plan.AwaitBackup && plan.BackupFor(a.Changes) == "" {
			out := awaitingSlot(a)
			if !plan.Publishes(a, w.View, w.Observation, w.Policy) {
				return out, nil
			}
			return w.executor.Features.Publish(ctx, w, out)
		}
		if a.Verb == plan.AwaitBackup {
			return backup{w}.await(ctx, a)
		}
		defer backup{w}.ask(ctx, a)
		return w.update(ctx, a)
	case plan.Delete:
		return w.delete(ctx, a)
	case plan.RemoveFinalizer:
		if a.Lost {
			w.tell(outcome.Warning(v1alpha1.EventDataLost,
				"%s no longer exists in %s account %s, and there is no final snapshot %s: it was deleted outside Mooring, and its data is lost unless the cloud has other backups",
				w.Request.Name, w.Provider, w.Account, w.Request.Deletion.Snapshot))
		}
		if err := w.executor.Features.Finish(ctx, w); err != nil {
			return outcome.Outcome{}, err
		}
		return w.removeFinalizer(ctx, a.Message, a.Orphaned)
	default:
		if act := w.executor.Features.Act(a.Verb); act != nil {
			return act(ctx, w, a)
		}
		return w.rest(ctx, a)
	}
}

func (w *work) create(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	if err := creatableName(w.State); err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	if from := w.Request.Restore; a.InPlace && (from == nil || from.Vanished == "") { // the last guard: nothing empty comes in the place of data
		return outcome.Outcome{}, outcome.Acted{Err: &driver.Error{Code: driver.Internal, Message: "what vanished is to be restored, and nothing says from what"}}
	}
	nothingYet := !bound(w.Object) || plan.NeverCreated(w.status, w.Memory.Cloud)
	fresh, err := w.ensureRecorded(ctx, a)
	if err != nil {
		return outcome.Outcome{}, err
	}
	triedAgain, refused := failedBefore(w.State), w.Memory.Cloud.CreationRefused
	switch changed := w.startOver(v1alpha1.OriginCreated, w.Observation.Applied); {
	case changed:
		w.describe(outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message, KeepConditions: triedAgain || troubled(w.State)})
		err = w.patchStatus(ctx)
	case !fresh:
		err = w.executor.store().ensureFresh(ctx, w.Object)
	}
	w.Memory.Cloud.CreationRefused = refused // as long as no other is sent
	if err != nil {
		return outcome.Outcome{}, err
	}
	if err := w.executor.Features.Prepare(ctx, w, feature.BeforeCreation); err != nil {
		return outcome.Outcome{}, err
	}
	// A process that ended before it told that is followed by one that was not the first to try.
	kept := w.View.Source.HasData && w.View.Source.Another != "" && !a.InPlace // by what it is made of again
	if w.View.WasReady && !kept || a.InPlace && (w.View.Origin == v1alpha1.OriginAdopted || !w.Memory.Cloud.CreationSent) {
		w.tell(outcome.Warning(v1alpha1.EventDataLost,
			"%s was deleted in %s account %s outside Mooring, and %s",
			w.Request.Name, w.Provider, w.Account, plan.Loss(w.View, w.Request.Restore)))
	}
	w.Memory.Cloud.CreationRefused, w.Request.SentSince = false, sentSince(w.Object, w.Memory.Cloud, nothingYet)
	done, err := w.Session.Create(ctx, w.Kind.Name, w.Request, w.CallSecrets)
	w.CallError = err
	w.Memory.Cloud = w.Memory.Cloud.Wrote(w.executor.Clock(), done.Sent)
	if err != nil {
		w.creationRefused(err, nothingYet)
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	w.Memory.Cloud.Answered, w.Memory.Cloud.JustSet = true, justSet(done, w.Request)
	created := outcome.Normal(v1alpha1.EventCreated, "created %s in %s account %s", w.Request.Name, w.Provider, w.Account)
	if from := w.Request.Restore; from != nil {
		created = outcome.Normal(v1alpha1.EventCreated, "created %s in %s account %s %s %s", w.Request.Name, w.Provider, w.Account, from.Makes(), from)
	}
	created.FirstTime = true
	w.Note(created)
	w.status.Operation, w.Memory.Cloud.Absent = done.Operation, w.Memory.Cloud.NotBefore
	if done.ID != "" {
		w.status.ExternalID = done.ID
	}
	return outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message, Next: outcome.Soon, KeepConditions: triedAgain, Created: true}, nil
}

func (w *work) update(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	changes, wasBound := a.Changes, bound(w.Object)
	if _, err := w.ensureRecorded(ctx, a); err != nil {
		return outcome.Outcome{}, err
	}
	if a.Verb == plan.Adopt {
		if waits, err := w.takeOver(ctx, changes, wasBound); waits || err != nil {
			return outcome.Outcome{KeepConditions: true, Next: outcome.Polling}, err
		}
	}
	out := updating(w.State, a)
	// The cloud took the same before, and does not show it.
	if w.Memory.Cloud = w.Memory.Cloud.Sending(changes, w.Observation.Operation); w.Memory.Cloud.InVain {
		out = inVain(w.State, out, changes)
	}
	// What is about to be set is stored first: it may arrive although its answer is lost, and must then be
	// known to be ours. The patch is guarded, so it also keeps an old version of the spec from being applied.
	told, noted, sure := out, w.Stored.GetResourceStatus().Applied, w.Memory.Cloud.Sure(w.Now, w.executor.ConsistencyWindow)
	told.Sends = changes
	told.PendingKnown = !w.Deleting && !out.KeepConditions && out.State == condition.Updating
	told.KeepConditions = out.KeepConditions || troubled(w.State) // that it is tried again is no news: conditions would change, and change back if it fails
	w.describe(told)
	before := w.Object.GetResourceVersion()
	if err := w.patchStatus(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	if w.Object.GetResourceVersion() == before { // there was nothing to store
		if err := w.executor.store().ensureFresh(ctx, w.Object); err != nil {
			return outcome.Outcome{}, err
		}
	}
	if !a.Closes.IsZero() && !w.executor.Clock().Before(a.Closes) { // the window closed meanwhile
		return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
	}
	done, err := w.send(ctx, a)
	done.Failed = plan.FailedOf(changes, done)
	w.CallError = err
	failed := outcome.Outcome{Pending: a.Pending, PendingKnown: a.Verb == plan.Update && !w.Deleting}
	if err != nil {
		w.Memory.Cloud = w.Memory.Cloud.Wrote(w.executor.Clock(), nil)
		return failed, outcome.Acted{Err: outcome.RefusedUpdate(changes, err)}
	}
	applied := without(changes, done.Failed)
	w.Memory.Cloud = w.Memory.Cloud.Wrote(w.executor.Clock(), applied)
	w.accepted(a, applied)
	w.status.Operation = cmp.Or(done.Operation, resting(w.Observation))
	failed.Unset = plan.Unset(changes, done.Failed, noted, sure)
	switch {
	case comesFirst(changes, done): // the next observation says at what the cloud is
		out.Next, out.Unset = outcome.Polling, failed.Unset
	case len(done.Failed) > 0:
		failed.Pending = plan.StillPending(a.Pending, applied)
		return failed, outcome.Acted{Err: outcome.FieldErrors(done.Failed)}
	default: // only what was done settles a plan; what still differs in the course of a creation is none, and not worth a write
		out.Planned = out.State != condition.Progressing || w.status.Plan != nil
	}
	return out, nil
}

// accepted takes in which changes of an action the cloud accepted, and has an Event say so.
func (w *work) accepted(a plan.Action, changes []driver.Change) {
	said := w.executor.Features.Sent(w, a, changes)
	if !w.Memory.Cloud.InVain {
		w.Notes = append(w.Notes, updated(w.State, a, changes, said)...)
	}
}

// send sends the changes of an action to the cloud, or the command that makes the one change.
func (w *work) send(ctx context.Context, a plan.Action) (driver.Result, error) {
	if a.Command != nil {
		return w.Session.Do(ctx, w.Kind.Name, w.Request, *a.Command, w.CallSecrets)
	}
	return w.Session.Update(ctx, w.Kind.Name, w.Request, plan.EditOf(a.Changes), w.CallSecrets)
}

// release marks what is left behind, so that it is not taken back by accident.
func (w *work) release(ctx context.Context) (outcome.Outcome, error) {
	if err := w.executor.store().ensureFresh(ctx, w.Object); err != nil {
		return outcome.Outcome{}, err
	}
	if w.Described.MarkIsFinal {
		return w.removeFinalizer(ctx, fmt.Sprintf("retained %s in %s account %s; an object of this namespace and name takes it over with spec.adoption: IfExists", w.Request.Name, w.Provider, w.Account), true)
	}
	w.Request.Mark.Released = true
	done, err := w.Session.Do(ctx, w.Kind.Name, w.Request, driver.Command{Verb: driver.WriteMark}, w.CallSecrets)
	w.CallError = err
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
	if done.Left != "" {
		left += "; " + done.Left
	}
	if too := w.View.Companion.StaysToo; too != "" {
		left += "; " + too
	}
	return w.removeFinalizer(ctx, left, true)
}

func (w *work) delete(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	if !w.Memory.Cloud.DeleteSent.IsZero() && w.Now.Sub(w.Memory.Cloud.DeleteSent) < w.executor.ConsistencyWindow {
		return outcome.Outcome{State: condition.Deleting, Reason: a.Reason, Message: a.Message, Next: outcome.Polling}, nil
	}
	if err := w.executor.store().ensureFresh(ctx, w.Object); err != nil {
		return outcome.Outcome{}, err
	}
	if !a.Snapshot {
		w.Request.Deletion.Snapshot = ""
	}
	done, err := w.Session.Delete(ctx, w.Kind.Name, w.Request, w.CallSecrets)
	w.CallError = err
	if err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: withoutRoom(a, w.Request, err)}
	}
	if done.Left != "" {
		w.Note(outcome.Normal(v1alpha1.EventRetained, "%s", done.Left))
	}
	out := outcome.Outcome{State: condition.Deleting, Reason: a.Reason, Message: a.Message, Next: outcome.Soon}
	if done.Unfinished {
		w.part, out.GotOn = cmp.Or(done.Did, anyPart), done.Removed >= fullPart
		w.status.Operation = cmp.Or(done.Operation, w.status.Operation)
		w.Memory.Cloud.Emptying = w.Memory.Cloud.Emptying.Took(done.Removed, w.executor.Clock())
		if progress := w.Memory.Cloud.Emptying.String(); progress != "" {
			out.Message += "; " + progress
		}
		return out, nil
	}
	w.Memory.Cloud.DeleteSent = w.executor.Clock()
	w.Note(outcome.Normal(v1alpha1.EventDeletionRequested, "asked %s to delete %s", w.Provider, w.Request.Name))
	w.status.Operation = done.Operation
	return out, nil
}

// withoutRoom says of a deletion that the cloud refuses for want of room for its final snapshot how it goes on.
func withoutRoom(a plan.Action, request driver.Request, err error) error {
	if !a.Snapshot || driver.CodeOf(err) != driver.Quota {
		return err
	}
	return fmt.Errorf("the cloud has no room for the final snapshot %s, so nothing is deleted: %w; delete DatabaseSnapshots that nobody needs, in all namespaces of the account, "+
		"or set spec.deletionPolicy: Delete to do without a final snapshot, or Retain to leave the server in the cloud", request.Deletion.Snapshot, err)
}

// removeFinalizer drops what was kept for the object, then the finalizer. stays says that the cloud object is left.
func (w *work) removeFinalizer(ctx context.Context, why string, stays bool) (outcome.Outcome, error) {
	finished := hasFinalizer(w.Object)
	if finished {
		if err := w.executor.Features.Drop(ctx, w, stays); err != nil {
			return outcome.Outcome{}, err
		}
		reason := v1alpha1.EventDeleted
		if stays {
			reason = v1alpha1.EventRetained
		}
		w.Note(outcome.Normal(reason, "%s", why))
		if err := w.executor.store().removeFinalizer(ctx, w.Stored); err != nil {
			return outcome.Outcome{}, err
		}
	}
	return outcome.Outcome{Deleted: true, Finished: finished, Orphaned: stays}, nil
}

// rest is for reconciliations in which nothing is to be done in the cloud: the connection is published, and the plan recorded.
func (w *work) rest(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	out := outcome.Outcome{Reason: a.Reason, Message: a.Message, Detail: a.Detail, Pending: a.Pending, Planned: true, Hash: a.Hash}
	switch a.Verb {
	case plan.Converge:
		out.State, out.Next = condition.UpToDate, outcome.AtSync
		w.Memory.Cloud.Sent, w.Memory.Cloud.InVain = nil, false
		w.LeftRollout = true
	case plan.AwaitApproval:
		w.LeftRollout = true
		out.State, out.Next = condition.DriftWaits, outcome.AtSync
		if a.EditWaits {
			out.State = condition.EditWaits
		}
	case plan.AwaitWindow:
		w.LeftRollout = true
		out.State, out.Next = condition.DriftWaits, outcome.AtSync
		if a.EditAwaitsWindow {
			out.State = condition.Updating
		}
	case plan.AwaitStart:
		w.LeftRollout = true
		out.State, out.Next = condition.DriftWaits, outcome.AtSync
		if a.EditSleeps {
			out.State = condition.Updating
		}
	case plan.Stall:
		out.Undecided = !a.Decided
		out.State, out.Next = condition.Stalled, outcome.AtSync // an edit, an annotation or a watch brings it back at once
		if w.Deleting {
			out.State = condition.DeletionStalled
		}
		if a.Reason == v1alpha1.ReasonFailed && w.Observation.State == driver.Failed {
			out.Message, out.KeepConditions = whyFailed(w.State, out.Message)
		}
	default:
		out.State, out.Next = waiting(w.View, w.Observation), outcome.Polling
		out.Planned, out.KeepConditions = false, a.KeepConditions || w.Memory.Cloud.InVain || a.Reason == v1alpha1.ReasonCreating && failedBefore(w.State)
		out.Pending, out.PendingKnown = stillPending(w.State, a)
		if status := w.Object.GetResourceStatus(); out.PendingKnown && status.ObservedGeneration != w.Object.GetGeneration() {
			out.Voided, out.Hash = true, ""
		}
	}
	switch {
	case plan.Publishes(a, w.View, w.Observation, w.Policy):
		return w.executor.Features.Publish(ctx, w, out)
	case w.Deleting || w.Policy.Management == v1alpha1.ManagementObserve:
		return out, nil
	case len(w.Observation.Unreadable) > 0:
		return out, outcome.FieldErrors(w.Observation.Unreadable)
	default:
		return out, nil
	}
}
