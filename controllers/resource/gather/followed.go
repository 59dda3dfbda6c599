package gather

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
func wasPromoted(g *login) bool {
	o := g.Observation
	return kind.ReplicaStatusOf(g.Kind, g.Object) != nil && o.Replication.GetFollows() == nil && o.State == driver.Ready && isOwn(g)
}

// followPassword stores the password of the primary as that of a read replica, which has it: none is ever sent to one. What is stored is the replica's own once it is
// promoted. Without an object that stands for its primary, a replica keeps what is stored.
func followPassword(ctx context.Context, g *login) error {
	if !isOwn(g) || g.Observation.State == driver.Pending && !g.Observation.Available {
		return nil
	}
	p, of := primaryOf(g), ""
	if p != nil {
		of = fmt.Sprintf("%s/%d", p.GetUID(), plan.AcceptedPassword(p.GetResourceStatus()))
	}
	if g.Memory.Published.Followed == of && g.Memory.Published.PasswordChecked(g.Want, g.Status(), g.Observation, g.Now) {
		return nil
	}
	stored, err := g.readLogin(ctx)
	if err != nil {
		return err
	}
	decided := plan.PasswordPlan{Decision: password.Decision{State: stored.State}}
	if p != nil {
		primary, err := g.secrets.Login(ctx, p, 0)
		if err != nil {
			return fmt.Errorf("read the password of %s: %w", g.Primary.Named, err)
		}
		if meta.IsStatusConditionTrue(p.GetConditions(), v1alpha1.ConditionAvailable) {
			primary.State = primary.State.Created()
		}
		g.KeepSecret(primary.State.Current, primary.State.Next)
		decided.Decision, g.PasswordChanges = stored.State.Follow(primary.State), primary.State.NextAccepted()
		decided.Stale = decided.State.Serial != stored.State.Serial
	}
	g.takeIn(stored.Secret, decided)
	g.notePassword(decided.State)
	if !g.PasswordChanges {
		g.Memory.Published.Followed = of
	}
	if decided.State.InForce() == "" && !g.PasswordChanges && g.Want.GetConnection() != nil {
		g.PasswordUnknown = unknownPassword(g)
	}
	return nil
}

// primaryOf returns the object that stands for the very server that a read replica follows; nil if there is none. Another server of its name has another password.
func primaryOf(g *login) v1alpha1.ResourceObject {
	known := kind.ReplicaStatusOf(g.Kind, g.Object)
	if g.Primary.Object == nil || reconciliation.PrimaryServer(*g.State).Primary == "" || !reconciliation.FollowsPrimary(*g.State, g.Observation.Replication.GetFollows()) || known != nil && known.PrimaryID != "" && known.PrimaryID != g.Primary.Ref.ID {
		return nil
	}
	return g.Primary.Object
}

// unknownPassword says why nobody is told the login of a read replica.
func unknownPassword(g *login) *identity.ValidationError {
	message := fmt.Sprintf("Mooring does not know the password of %s, which this read replica has, so the connection Secret is not written; ", g.Observation.Replication.GetFollows().Primary)
	if g.Primary.Named == "" {
		message += "set spec.replica.primaryRef to the Database of that server"
	} else {
		message += fmt.Sprintf("set spec.connection of %s, and approve the new password there", g.Primary.Named)
	}
	return &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound, Message: message}
}
