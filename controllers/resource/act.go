package resource

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// act does what was planned. From here on a shutdown does not interrupt: a write that began is
// finished and recorded.
func (r *Reconciler) act(ctx context.Context, t *turn, a plan.Action) (outcome.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Deadline)
	defer cancel()
	if err := r.storePassword(ctx, t); err != nil {
		return outcome.Outcome{}, err
	}
	t.action = string(a.Verb)
	switch a.Verb {
	case plan.Create:
		return r.create(ctx, t, a)
	case plan.Adopt:
		return r.update(ctx, t, a, []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}})
	case plan.Release:
		return r.release(ctx, t)
	case plan.Unbind:
		t.unbind()
		return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
	case plan.Update:
		if a = r.takeTurn(t, a); len(a.Changes) == 0 {
			return r.waitForTurn(ctx, t, a)
		}
		return r.update(ctx, t, a, a.Changes)
	case plan.Delete:
		return r.delete(ctx, t, a)
	case plan.Forget:
		if a.Lost {
			t.note(outcome.Warning(v1alpha1.EventDataLost,
				"%s no longer exists in %s account %s, and there is no final snapshot %s: it was deleted outside Mooring, and its data is lost unless the cloud has other backups",
				t.request.Name, t.conn.Provider, t.account, t.request.Deletion.Snapshot))
		}
		out, err := r.forget(ctx, t, a.Message, a.Stays)
		return out.OrNothing(), err
	default:
		return r.rest(ctx, t, a)
	}
}

// secure stores, before the cloud is changed, what finding and deleting the object again will
// take: config and credentials, the finalizer, and the binding.
func (r *Reconciler) secure(ctx context.Context, t *turn, a plan.Action) (fresh bool, err error) {
	if t.held() && t.bound() {
		return false, nil
	}
	keep, err := r.hasRoom(ctx, t)
	if err != nil {
		return false, err
	}
	defer keep()
	if err := r.Credentials.Protect(ctx, t.config, t.obj.GetNamespace()); err != nil {
		return false, err
	}
	if !t.held() {
		controllerutil.AddFinalizer(t.obj, v1alpha1.FinalizerResource)
		if err := r.Client.Patch(ctx, t.obj, client.MergeFromWithOptions(t.stored, client.MergeFromWithOptimisticLock{})); err != nil {
			return false, fmt.Errorf("store the finalizer: %w", err)
		}
		t.stored = t.obj.DeepCopyObject().(v1alpha1.ResourceObject)
	}
	if !t.bound() {
		r.bind(t)
		r.describe(t, outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message})
		if err := r.patchStatus(ctx, t); err != nil {
			return false, fmt.Errorf("store the binding: %w", err)
		}
	}
	return true, nil
}

// certain makes sure that the cache did not show an old version of the object. Nothing is created or deleted on
// the word of a cache.
func (r *Reconciler) certain(ctx context.Context, t *turn) error {
	live := r.Kind.New()
	if err := r.Reader.Get(ctx, client.ObjectKeyFromObject(t.obj), live); err != nil {
		return err
	}
	if live.GetUID() != t.obj.GetUID() || live.GetResourceVersion() != t.obj.GetResourceVersion() {
		return outcome.ErrStale
	}
	return nil
}

// creatableName refuses a name that the cloud would refuse, before anything is bound to it. What exists may have such a
// name, so nothing else asks.
func (t *turn) creatableName() error {
	refusal := t.described.Name.Refuses(t.request.Name)
	if refusal == nil {
		return nil
	}
	if t.status.FirstReadyTime != nil {
		return fmt.Errorf("%w; restore it in the cloud, or delete this object", refusal)
	}
	return fmt.Errorf("%w; choose another spec.externalName", refusal)
}

func (r *Reconciler) create(ctx context.Context, t *turn, a plan.Action) (outcome.Outcome, error) {
	if err := t.creatableName(); err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	if err := r.mayPublish(ctx, t); err != nil {
		return outcome.Outcome{}, err
	}
	nothingYet := !t.bound() || t.neverCreated()
	first := !t.held()
	fresh, err := r.secure(ctx, t, a)
	if err != nil {
		return outcome.Outcome{}, err
	}
	triedAgain, refused := t.failedBefore(), t.mem.creationRefused
	switch changed := r.startOver(t, v1alpha1.OriginCreated, t.seen.Applied); {
	case changed:
		r.describe(t, outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message, KeepConditions: triedAgain || t.troubled()})
		err = r.patchStatus(ctx, t)
	case !fresh:
		err = r.certain(ctx, t)
	}
	t.mem.creationRefused = refused // as long as no other is sent
	if err != nil {
		return outcome.Outcome{}, err
	}
	if t.view.WasReady {
		t.note(outcome.Warning(v1alpha1.EventDataLost,
			"%s was deleted in %s account %s outside Mooring, and its data is lost; Mooring is creating a new, empty one under the same name",
			t.request.Name, t.conn.Provider, t.account))
	}
	if err := r.choosePassword(ctx, t, first); err != nil {
		return outcome.Outcome{}, err
	}
	t.mem.creationRefused = false
	done, err := t.session.Create(ctx, r.Kind.Name, t.request, t.password)
	t.answered(err)
	t.wrote(r.Now(), done.Sent)
	if err != nil {
		t.creationRefused(err, nothingYet)
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	t.mem.answered = true
	created := outcome.Normal(v1alpha1.EventCreated, "created %s in %s account %s", t.request.Name, t.conn.Provider, t.account)
	created.FirstTime = true
	t.note(created)
	t.status.Operation, t.mem.absent = done.Operation, t.mem.notBefore
	if done.ID != "" {
		t.status.ExternalID = done.ID
	}
	return outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message, Next: outcome.Soon, KeepConditions: triedAgain, Created: true}, nil
}

func (r *Reconciler) update(ctx context.Context, t *turn, a plan.Action, changes []driver.Change) (outcome.Outcome, error) {
	wasBound := t.bound()
	if _, err := r.secure(ctx, t, a); err != nil {
		return outcome.Outcome{}, err
	}
	if a.Verb == plan.Adopt {
		if waits, err := r.takeOver(ctx, t, changes, wasBound); waits || err != nil {
			return outcome.Outcome{KeepConditions: true, Next: outcome.Polling}, err
		}
	}
	out := r.updating(t, a)
	// The cloud took the same before, and does not show it.
	t.mem.inVain = len(t.mem.sent) > 0 && !slices.ContainsFunc(changes, func(c driver.Change) bool { return !t.mem.wasSent(c) })
	if t.mem.inVain {
		out = t.inVain(out, changes)
	}
	// What is about to be set is stored first: it may arrive although its answer is lost, and must then be
	// known to be ours. The patch is guarded, so it also keeps an old version of the spec from being applied.
	told := out
	told.PendingKnown = !t.deleting && !out.KeepConditions && out.State == condition.Updating
	told.KeepConditions = out.KeepConditions || t.troubled() // that it is tried again is no news: conditions would turn, and turn back if it fails
	r.describe(t, told)
	before := t.obj.GetResourceVersion()
	if err := r.patchStatus(ctx, t); err != nil {
		return outcome.Outcome{}, err
	}
	if t.obj.GetResourceVersion() == before { // there was nothing to store
		if err := r.certain(ctx, t); err != nil {
			return outcome.Outcome{}, err
		}
	}
	done, err := t.session.Update(ctx, r.Kind.Name, t.request, changes, t.password)
	t.answered(err)
	failed := outcome.Outcome{Pending: a.Pending, PendingKnown: a.Verb == plan.Update && !t.deleting}
	if err != nil {
		t.wrote(r.Now(), nil)
		return failed, outcome.Acted{Err: outcome.RefusedUpdate(changes, err)}
	}
	applied := without(changes, done.Failed)
	t.wrote(r.Now(), applied)
	if !t.mem.inVain {
		t.tellUpdate(a, applied)
	}
	t.sent(applied)
	t.status.Operation = done.Operation
	if len(done.Failed) > 0 {
		failed.Pending = plan.StillPending(a.Pending, applied)
		return failed, outcome.Acted{Err: outcome.FieldErrors(done.Failed)}
	}
	// Only what was done settles a plan. What still differs in the course of a creation is no plan, and not worth
	// a write.
	out.Planned = out.State != condition.Progressing || t.status.Plan != nil
	return out, nil
}

// inVain makes the outcome of an update that of one which the cloud took before, and which did not come true. What a
// call said about that stands.
func (t *turn) inVain(out outcome.Outcome, changes []driver.Change) outcome.Outcome {
	out.Next, out.Retried = outcome.AfterError, true
	switch {
	case t.mem.report.Failures > 0:
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
func (r *Reconciler) updating(t *turn, a plan.Action) outcome.Outcome {
	out := outcome.Outcome{Reason: a.Reason, Message: a.Message, Pending: a.Pending, Hash: a.Hash, Next: outcome.Soon}
	switch {
	case t.deleting:
		out.State = condition.Deleting
	case a.Verb == plan.Adopt && t.status.FirstReadyTime != nil:
		out.KeepConditions = true // it only lost its mark
	case a.Verb == plan.Adopt:
		out.State = condition.Progressing
	case t.status.FirstReadyTime == nil:
		out.State, out.Reason, out.Message = condition.Progressing, v1alpha1.ReasonCreating, plan.MessageCreating
	case a.Reason == v1alpha1.ReasonUpdating, t.view.Edited && a.Hash == "":
		out.State = condition.Updating // what was set for an edit differs as drift does, until it has come true once
	default:
		out.KeepConditions = true // drift, put right: conditions tell it only if it lasts
	}
	return out
}

// release marks what is left behind, so that it is not taken back by accident.
func (r *Reconciler) release(ctx context.Context, t *turn) (outcome.Outcome, error) {
	if err := r.certain(ctx, t); err != nil {
		return outcome.Outcome{}, err
	}
	t.request.Mark.Released = true
	done, err := t.session.Update(ctx, r.Kind.Name, t.request, []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}}, t.password)
	t.answered(err)
	if err == nil && len(done.Failed) > 0 {
		err = outcome.FieldErrors(done.Failed)
	}
	if err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	if done.Operation != "" { // it may still fail: the finalizer goes once the mark is seen
		t.status.Operation = done.Operation
		return outcome.Outcome{State: condition.Deleting, Reason: v1alpha1.ReasonDeleting, Message: plan.MessageReleasing, Next: outcome.Soon}, nil
	}
	left := fmt.Sprintf("retained %s in %s account %s", t.request.Name, t.conn.Provider, t.account)
	if t.policy.Deletion != v1alpha1.DeletionRetain {
		left += ": it existed before this object took it over, and this object's spec was never applied in full"
	}
	out, err := r.forget(ctx, t, left, true)
	return out.OrNothing(), err
}

func (r *Reconciler) delete(ctx context.Context, t *turn, a plan.Action) (outcome.Outcome, error) {
	if !t.mem.deleteSent.IsZero() && t.now.Sub(t.mem.deleteSent) < r.Settle {
		return outcome.Outcome{State: condition.Deleting, Reason: a.Reason, Message: a.Message, Next: outcome.Polling}, nil
	}
	if err := r.certain(ctx, t); err != nil {
		return outcome.Outcome{}, err
	}
	if !a.Snapshot {
		t.request.Deletion.Snapshot = ""
	}
	done, err := t.session.Delete(ctx, r.Kind.Name, t.request)
	t.answered(err)
	if err != nil {
		return outcome.Outcome{}, outcome.Acted{Err: err}
	}
	out := outcome.Outcome{State: condition.Deleting, Reason: a.Reason, Message: a.Message, Next: outcome.Soon}
	if done.Unfinished {
		return out, nil
	}
	t.mem.deleteSent = r.Now()
	t.note(outcome.Normal(v1alpha1.EventDeletionRequested, "asked %s to delete %s", t.conn.Provider, t.request.Name))
	t.status.Operation = done.Operation
	return out, nil
}

// forget drops what was kept for the object, then the finalizer. stays says that the cloud object is left.
func (r *Reconciler) forget(ctx context.Context, t *turn, why string, stays bool) (*outcome.Outcome, error) {
	finished := t.held()
	if finished {
		if err := r.dropSecrets(ctx, t, stays); err != nil {
			return nil, err
		}
		reason := v1alpha1.EventDeleted
		if stays {
			reason = v1alpha1.EventRetained
		}
		t.note(outcome.Normal(reason, "%s", why))
		controllerutil.RemoveFinalizer(t.obj, v1alpha1.FinalizerResource)
		err := r.Client.Patch(ctx, t.obj, client.MergeFromWithOptions(t.stored, client.MergeFromWithOptimisticLock{}))
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("remove the finalizer: %w", err)
		}
	}
	return &outcome.Outcome{Deleted: true, Finished: finished, Orphaned: stays}, nil
}

// rest is for turns in which nothing is to be done in the cloud: the connection is published, and the plan recorded.
func (r *Reconciler) rest(ctx context.Context, t *turn, a plan.Action) (outcome.Outcome, error) {
	out := outcome.Outcome{Reason: a.Reason, Message: a.Message, Detail: a.Detail, Pending: a.Pending, Planned: true, Hash: a.Hash}
	switch a.Verb {
	case plan.Settle:
		out.State, out.Next = condition.Settled, outcome.AtSync
		t.mem.sent, t.mem.inVain = nil, false
		r.leaveRollout(t.obj.GetUID())
	case plan.Ask:
		r.leaveRollout(t.obj.GetUID())
		out.State, out.Next = condition.DriftWaits, outcome.AtSync
		if a.EditWaits {
			out.State = condition.EditWaits
		}
	case plan.Stall:
		out.Undecided = !a.Decided
		out.State, out.Next = condition.Stalled, outcome.AtSync // an edit, an annotation or a watch brings it back at once
		if t.deleting {
			out.State = condition.DeletionStalled
		}
		if a.Reason == v1alpha1.ReasonFailed && t.seen.State == driver.Failed {
			out.Message, out.KeepConditions = t.whyFailed(out.Message)
		}
	default:
		out.State, out.Next = waiting(t.view, t.seen), outcome.Polling
		out.Planned, out.KeepConditions = false, a.Quiet || t.mem.inVain || a.Reason == v1alpha1.ReasonCreating && t.failedBefore()
		out.Pending, out.PendingKnown = t.stillPending(a)
	}
	if t.deleting || t.policy.Management == v1alpha1.ManagementObserve {
		return out, nil
	}
	if err := t.unreadable(); err != nil && a.Verb != plan.Stall {
		return out, err
	}
	return r.publish(ctx, t, out)
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
func (t *turn) stillPending(a plan.Action) (pending []v1alpha1.PendingChange, known bool) {
	atWork := t.seen.State == driver.Pending && t.view.WasReady && !t.deleting && !a.Quiet
	sameSpec := t.status.ObservedGeneration == t.obj.GetGeneration()
	if !atWork || sameSpec && len(t.status.PendingChanges) > 0 {
		return nil, false
	}
	return a.Pending, true
}

// tellUpdate says what was set in the cloud.
func (t *turn) tellUpdate(a plan.Action, changes []driver.Change) {
	switch {
	case len(changes) == 0:
	case a.Verb == plan.Update && t.status.FirstReadyTime == nil: // a part of the creation, and no news
	case a.Verb == plan.Adopt:
		t.note(outcome.Normal(v1alpha1.EventAdopted, "took over %s", t.request.Name))
	case len(changes) == 1 && changes[0].Field == driver.FieldPassword:
		t.note(outcome.Normal(v1alpha1.EventPasswordChanged, "changed the administrator's password"))
	case a.Reason == v1alpha1.ReasonDrifted:
		t.note(outcome.Normal(v1alpha1.EventDriftCorrected, "corrected drift: %s", plan.ListChanges(changes)))
	default:
		t.note(outcome.Normal(v1alpha1.EventUpdated, "changed %s", plan.ListChanges(changes)))
	}
}
