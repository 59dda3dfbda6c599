package execute

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/claim"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// hasRoom holds the class's limit for the namespace, and one object to a cloud object that can't be marked, where what was decided by a cache may
// have been overtaken. Who finds room keeps others waiting until keep is called.
func (e *Executor) hasRoom(ctx context.Context, t reconciliation.State) (keep func(), err error) {
	limited := t.Class != nil && t.Class.Class != nil && t.Class.Class.Spec.MaxPerNamespace != nil
	unmarked, counts := t.Described.Ownership == driver.OwnedByParent, kind.CountsAgainstLimit(t.Kind, t.Object)
	if bound(t.Object) || !limited && !unmarked && !counts {
		return func() {}, nil
	}
	e.Room.Lock()
	if limited {
		err = e.isNotFull(ctx, t)
	}
	if err == nil && counts {
		err = e.isNotCrowded(ctx, t)
	}
	if err == nil && unmarked {
		err = e.isFree(ctx, t)
	}
	if err != nil {
		e.Room.Unlock()
		return nil, err
	}
	return e.Room.Unlock, nil
}

// isNotRerouted returns an error if the class of an object that is about to be bound leads to another account than the cache said.
func (e *Executor) isNotRerouted(ctx context.Context, t reconciliation.State) error {
	if bound(t.Object) || t.Class == nil || t.Class.Class == nil {
		return nil
	}
	return e.Classes.VerifyRoute(ctx, e.Reader, t.Object, t.Class.Class, t.Config.Name)
}

// isNotFull returns an error if the namespace has as many objects of the class as it may have.
func (e *Executor) isNotFull(ctx context.Context, t reconciliation.State) error {
	full, err := e.Classes.LimitReached(ctx, e.Reader, t.Object, t.Class.Class)
	if full != nil {
		return &identity.ValidationError{Reason: full.Reason, Message: full.String()}
	}
	return err
}

// isNotCrowded returns an error if the namespace has as many objects made of those of a class as it may have.
func (e *Executor) isNotCrowded(ctx context.Context, t reconciliation.State) error {
	crowded, err := e.Classes.ParentLimitReachedLive(ctx, e.Reader, t.Object)
	if crowded != nil {
		return &identity.ValidationError{Reason: crowded.Reason, Message: crowded.String()}
	}
	return err
}

// isFree returns an error if another object was bound to the cloud object meanwhile. The cache may not show yet what this process wrote: with
// several namespaces it is not consistent. So the object that was bound last to that cloud object is read from the API server too.
func (e *Executor) isFree(ctx context.Context, t reconciliation.State) error {
	rival, err := claim.Rival(ctx, e.Client, t.Kind, t.Request, t.Provider, t.Account)
	if err == nil && rival == nil {
		rival, err = e.lastBound(ctx, t)
	}
	if rival != nil {
		return &identity.ValidationError{Reason: v1alpha1.ReasonNotOwned, Message: claim.Message}
	}
	return err
}

// lastBound returns the claim of the other object that this process bound last to a task's cloud object; nil if it has none.
func (e *Executor) lastBound(ctx context.Context, t reconciliation.State) (*plan.Claim, error) {
	last, has := e.Room.bound[placeOf(t)]
	if !has || last.object == client.ObjectKeyFromObject(t.Object) {
		return nil, nil
	}
	other := t.Kind.New()
	if err := e.Reader.Get(ctx, last.object, other); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return claim.Of(other, t.Kind, t.Request, t.Provider, t.Account), nil
}

// enterRollout takes out of an update what the class changed, as long as enough of its users are changing. What a person approved
// waits for nobody.
func (e *Executor) enterRollout(t reconciliation.State, a plan.Action) plan.Action {
	if t.Class == nil || t.Class.Class == nil || !t.View.WasReady || a.Approved {
		return a
	}
	byClass := func(c driver.Change) bool { return plan.CauseOf(t.View, c) == v1alpha1.CauseClass }
	if !slices.ContainsFunc(a.Changes, byClass) {
		return a
	}
	c, name, p := t.Class.Class, client.ObjectKeyFromObject(t.Object), t.Priority
	width, requeue := class.RolloutWidth(int(c.Status.Users)), e.Requeue // not t: it may wait for an hour, and t has a password
	if e.Rollouts.Enter(c.Name(), c.Object.GetGeneration(), width, t.Object.GetUID(), func() { requeue(name, p) }) {
		return a
	}
	a.Changes = slices.DeleteFunc(slices.Clone(a.Changes), byClass)
	return a
}

// awaitingSlot returns the outcome of an update that has to wait until fewer of a class's users are changing. Whoever leaves has the object
// reconciled.
func awaitingSlot(a plan.Action) outcome.Outcome {
	out := outcome.Outcome{
		State: condition.DriftWaits, Reason: v1alpha1.ReasonClassChanged, Next: outcome.AtSync, Pending: a.Pending, Planned: true, Hash: a.Hash,
		Message: "the class changed, and the maximum number of its objects are already changing; waiting for a slot",
	}
	// What is not seen now may be listed as waiting for approval, too, and has no hash before it is seen again.
	if a.Hash != "" && slices.ContainsFunc(a.Pending, func(c v1alpha1.PendingChange) bool { return c.WaitsFor == v1alpha1.WaitsForApproval }) {
		out.Message += fmt.Sprintf("; to approve the changes that also wait for approval, set the annotation %s=%s", v1alpha1.AnnotationApprove, a.Hash)
	}
	if a.EditWaits {
		out.State, out.Reason = condition.EditWaits, v1alpha1.ReasonApprovalRequired
	}
	return out
}
