package resource

import (
	"context"

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
	if t.deleting || !t.neverCreated() || !plan.Moved(t.status, r.asks(t)) {
		return nil, nil
	}
	return r.startElsewhere(ctx, t)
}

// startElsewhere unbinds an object for which nothing was created. The next reconciliation binds it to where its spec and its provider
// config lead now.
func (r *Reconciler) startElsewhere(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	return r.actNow(ctx, t, plan.Action{Verb: plan.Unbind, Verify: true})
}
