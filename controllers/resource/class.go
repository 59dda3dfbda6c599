package resource

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// hasClass: class and spec are merged before anything else is decided. What the class does not allow is not created; what
// exists already is still looked at, and can be deleted.
func (r *Reconciler) hasClass(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	if ref := t.spec.ProviderConfigRef; ref != nil {
		t.config = identity.KeyOf(ref, t.obj.GetNamespace())
		return nil, nil
	}
	found, err := r.Classes.Resolve(ctx, t.obj)
	if err != nil {
		return nil, fmt.Errorf("find the class: %w", err)
	}
	if err := r.merge(t, found); err != nil {
		return nil, err
	}
	problem := class.Together(found.Problems)
	switch {
	case problem == nil:
	case found.Config == nil, !t.bound() && !t.deleting:
		return nil, &identity.ValidationError{Reason: problem.Reason, Message: problem.String()}
	default:
		t.policy.Refused = plan.Refusal{Reason: problem.Reason, Message: problem.String() + "; until then Mooring does not change what exists"}
	}
	return nil, nil
}

// merge makes what is wanted what object and class say together.
func (r *Reconciler) merge(t *turn, found *class.Resolution) (err error) {
	t.want, t.policy, err = plan.WithClass(r.Kind, t.obj, found)
	if err != nil {
		return err
	}
	t.class = found
	if found.Config != nil {
		t.config = identity.KeyOfBound(*found.Config, t.obj.GetNamespace())
	}
	return nil
}

// hasRoom holds the class's limit for the namespace, where what was judged by a cache may have been overtaken. Who finds
// room keeps others waiting until keep is called.
func (r *Reconciler) hasRoom(ctx context.Context, t *turn) (keep func(), err error) {
	if t.bound() || t.class == nil || t.class.Class == nil || t.class.Class.Spec.MaxPerNamespace == nil {
		return func() {}, nil
	}
	r.binding.Lock()
	full, err := r.Classes.Full(ctx, r.Reader, t.obj, t.class.Class)
	if full != nil {
		err = &identity.ValidationError{Reason: full.Reason, Message: full.String()}
	}
	if err != nil {
		r.binding.Unlock()
		return nil, err
	}
	return r.binding.Unlock, nil
}

// takeTurn takes out of an update what the class changed, as long as enough of its users are changing. What a person approved
// waits for nobody.
func (r *Reconciler) takeTurn(t *turn, a plan.Action) plan.Action {
	if t.class == nil || t.class.Class == nil || !t.view.WasReady || a.Approved {
		return a
	}
	byClass := func(c driver.Change) bool { return plan.CauseOf(t.view, c) == v1alpha1.CauseClass }
	if !slices.ContainsFunc(a.Changes, byClass) {
		return a
	}
	c, name, p := t.class.Class, client.ObjectKeyFromObject(t.obj), t.mem.report.Priority
	width := class.Width(int(c.Status.Users))
	if r.Rollouts.Enter(c.Name(), c.Object.GetGeneration(), width, t.obj.GetUID(), func() { r.queue.recall(name, p) }) {
		return a
	}
	a.Changes = slices.DeleteFunc(slices.Clone(a.Changes), byClass)
	return a
}

// waitForTurn is for an update that has to wait until fewer of a class's users are changing. Whoever leaves calls it.
func (r *Reconciler) waitForTurn(ctx context.Context, t *turn, a plan.Action) (outcome.Outcome, error) {
	out := outcome.Outcome{
		State: condition.DriftWaits, Reason: v1alpha1.ReasonClassChanged, Next: outcome.AtSync, Pending: a.Pending, Planned: true, Hash: a.Hash,
		Message: "the class changed, and the maximum number of its objects are already changing; waiting for a slot",
	}
	if a.Hash != "" {
		out.Message += fmt.Sprintf("; to approve the changes that also wait for approval, set the annotation %s=%s", v1alpha1.AnnotationApprove, a.Hash)
	}
	if a.EditWaits {
		out.State, out.Reason = condition.EditWaits, v1alpha1.ReasonApprovalRequired
	}
	return r.publish(ctx, t, out)
}

// leaveRollout gives up an object's place, if it has one.
func (r *Reconciler) leaveRollout(uid types.UID) {
	if r.Rollouts != nil {
		r.Rollouts.Leave(uid)
	}
}
