package resource

import (
	"context"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// neverCreated reports whether it is sure that nothing was created for the object.
func (t *turn) neverCreated() bool {
	return plan.NeverCreated(t.status, t.mem.cloud)
}

// isNotTiedToNothing: an object for which nothing was created is not tied to the name, location and account of the creation that was
// refused.
func (r *Reconciler) isNotTiedToNothing(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	if t.deleting || !t.neverCreated() || !r.moved(t) {
		return nil, nil
	}
	return r.startElsewhere(ctx, t)
}

// startElsewhere unbinds an object for which nothing was created. The next reconciliation binds it to where its spec and its provider
// config lead now.
func (r *Reconciler) startElsewhere(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	return r.actNow(ctx, t, plan.Action{Verb: plan.Unbind, Verify: true})
}

// answerLost reports whether a creation may have been sent of whose answer nothing is known: it was lost, or the process ended before it
// came. That holds for names that Mooring made alone: under a name that a person chose another person may have created something
// meanwhile. It never holds for databases, whose clouds do not forget tags, and of which another may have another password.
func (r *Reconciler) answerLost(t *turn) bool {
	sent := t.bound() && t.status.Origin == v1alpha1.OriginCreated && !t.neverCreated() && !t.mem.cloud.CreationFailed
	known := t.status.ExternalID != "" || t.status.FirstReadyTime != nil || t.status.AppliedGeneration != 0
	return sent && !known && !r.Kind.Login && t.spec.ExternalName == "" &&
		t.status.ExternalName == plan.ExternalName(r.ClusterID, t.obj.GetNamespace(), t.obj.GetName(), t.described.Name.MaxLength)
}
