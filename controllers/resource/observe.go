package resource

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// observe observes the cloud object, and reads the Secrets that the object's password comes from. It writes nothing, neither to the
// cloud nor to Kubernetes.
func (r *Reconciler) observe(ctx context.Context, t *turn) error {
	seen, err := t.session.Observe(ctx, r.Kind.Name, t.request)
	t.answered(err)
	if err != nil {
		return err
	}
	if seen.OperationError != nil {
		t.status.Operation = "" // told once; the next turn looks afresh
		t.refused()
		t.mem.failure = seen.OperationError.Error()
		return outcome.Acted{Err: seen.OperationError}
	}
	t.seen, t.looked, t.mem.queueNews = seen, true, newsNone
	if seen.State != driver.Unknown {
		t.mem.seen = t.now
		r.memories.observe(client.ObjectKeyFromObject(t.obj), t.now)
	}
	if seen.State == driver.Ready {
		t.mem.failure = ""
	}
	if err := r.checkPassword(ctx, t); err != nil {
		return err
	}
	r.look(t)
	fresh := t.mem.cloud.WithoutSent(t.seen.Changes, t.now, r.Settle)
	t.unmade = plan.LacksLogin(t.seen.Changes) // what was just sent included: it may not have arrived
	t.view.Unsettled = len(fresh) < len(t.seen.Changes)
	t.seen.Changes = fresh
	return nil
}
