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
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// hasRoom holds the class's limit for the namespace, where what was judged by a cache may have been overtaken. Who finds
// room keeps others waiting until keep is called.
func (w *work) hasRoom(ctx context.Context) (keep func(), err error) {
	if w.bound() || w.Class == nil || w.Class.Class == nil || w.Class.Class.Spec.MaxPerNamespace == nil {
		return func() {}, nil
	}
	w.Room.Lock()
	full, err := w.Classes.Full(ctx, w.Reader, w.Object, w.Class.Class)
	if full != nil {
		err = &identity.ValidationError{Reason: full.Reason, Message: full.String()}
	}
	if err != nil {
		w.Room.Unlock()
		return nil, err
	}
	return w.Room.Unlock, nil
}

// enterRollout takes out of an update what the class changed, as long as enough of its users are changing. What a person approved
// waits for nobody.
func (w step) enterRollout(a plan.Action) plan.Action {
	if w.Class == nil || w.Class.Class == nil || !w.View.WasReady || a.Approved {
		return a
	}
	byClass := func(c driver.Change) bool { return plan.CauseOf(w.View, c) == v1alpha1.CauseClass }
	if !slices.ContainsFunc(a.Changes, byClass) {
		return a
	}
	c, name, p := w.Class.Class, client.ObjectKeyFromObject(w.Object), w.Priority
	width, requeue := class.Width(int(c.Status.Users)), w.Requeue // not w: it may wait for an hour, and w has a password
	if w.Rollouts.Enter(c.Name(), c.Object.GetGeneration(), width, w.Object.GetUID(), func() { requeue(name, p) }) {
		return a
	}
	a.Changes = slices.DeleteFunc(slices.Clone(a.Changes), byClass)
	return a
}

// waitForRollout is for an update that has to wait until fewer of a class's users are changing. Whoever leaves calls it.
func (w step) waitForRollout(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
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
	if w.Deleting {
		return out, nil // the connection Secrets go with the object, and none was read
	}
	return w.publish(ctx, out)
}
