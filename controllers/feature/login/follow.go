package login

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// wasPromoted reports whether the server that was observed followed another one when it was observed before. It has the password that the other one had at that
// moment, which may have changed since Mooring looked, so it gets the one that is stored.
func wasPromoted(in *reconciliation.State) bool {
	o := in.Observation
	return kind.ReplicaStatusOf(in.Kind, in.Object) != nil && o.Replication.GetFollows() == nil && o.State == driver.Ready && isOwn(in)
}

// followPassword stores the password of the primary as that of a read replica, which has it: none is ever sent to one. What is stored is the replica's own once it is
// promoted. Without an object that stands for its primary, a replica keeps what is stored.
func followPassword(ctx context.Context, r *reading) error {
	if !isOwn(r.State) || r.Observation.State == driver.Pending && !r.Observation.Available {
		return nil
	}
	p, of := r.primary(*r.State), ""
	if p != nil {
		of = fmt.Sprintf("%s/%d", p.GetUID(), plan.AcceptedPassword(p.GetResourceStatus()))
	}
	if remembered.In(r.Memory.Parts).followed == of && r.checked() {
		return nil
	}
	found, err := r.readLogin(ctx)
	if err != nil {
		return err
	}
	decided := decision{Decision: password.Decision{State: found.state}}
	if p != nil {
		primary, err := r.get(ctx, r.Kind, p, 0)
		if err != nil {
			return fmt.Errorf("read the password of %s: %w", r.Primary.Named, err)
		}
		if meta.IsStatusConditionTrue(p.GetConditions(), v1alpha1.ConditionAvailable) {
			primary.state = primary.state.Created()
		}
		r.KeepSecret(primary.state.Current, primary.state.Next)
		decided.Decision, r.changing = found.state.Follow(primary.state), primary.state.NextAccepted()
		decided.Stale = decided.State.Serial != found.state.Serial
	}
	r.takeIn(found.secret, decided)
	notePassword(r.State, decided.State)
	if !r.changing {
		m := remembered.In(r.Memory.Parts)
		m.followed = of
		remembered.Set(&r.Memory.Parts, m)
	}
	if decided.State.InForce() == "" && !r.changing && r.Want.GetConnection() != nil {
		r.unknown = unknownPassword(r)
	}
	return nil
}

// unknownPassword says why nobody is told the login of a read replica.
func unknownPassword(r *reading) *identity.ValidationError {
	message := fmt.Sprintf("Mooring does not know the password of %s, which this read replica has, so the connection Secret is not written; ", r.Observation.Replication.GetFollows().Primary)
	if r.Primary.Named == "" {
		message += "set spec.replica.primaryRef to the Database of that server"
	} else {
		message += fmt.Sprintf("set spec.connection of %s, and approve the new password there", r.Primary.Named)
	}
	return &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound, Message: message}
}
