package resource

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
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

// leaveRollout gives up an object's place, if it has one.
func (r *Reconciler) leaveRollout(uid types.UID) {
	if r.Rollouts != nil {
		r.Rollouts.Leave(uid)
	}
}
