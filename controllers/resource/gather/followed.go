package gather

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// wasPromoted reports whether the server that was observed followed another one when it was observed before. It has the password that the other one had at that
// moment, which may have changed since Mooring looked, so it gets the one that is stored.
func wasPromoted(g *login) bool {
	o := g.Observation
	return kind.Follows(g.Kind, g.Object) != nil && o.Follows == nil && o.State == driver.Ready && isOwn(g)
}

// followPassword stores the password of the primary as that of a read replica, which has it: none is ever sent to one. What is stored is the replica's own once it is
// promoted.
func followPassword(ctx context.Context, g *login) error {
	p := g.Primary
	if !isOwn(g) || p.Object == nil || g.Observation.State == driver.Pending && !g.Observation.Available {
		return nil
	}
	of := fmt.Sprintf("%s/%d", p.Object.GetUID(), plan.AcceptedPassword(p.Object.GetResourceStatus()))
	if g.Published.Followed == of && g.Published.PasswordChecked(g.Want, g.status(), g.Observation, g.Now) {
		return nil
	}
	stored, err := g.readLogin(ctx)
	if err != nil {
		return err
	}
	primary, err := g.secrets.Login(ctx, p.Object, 0)
	if err != nil {
		return fmt.Errorf("read the password of %s: %w", p.Named, err)
	}
	if meta.IsStatusConditionTrue(p.Object.GetConditions(), v1alpha1.ConditionAvailable) {
		primary.State = primary.State.Created()
	}
	g.knows(primary.State.Current, primary.State.Next)
	decided := plan.PasswordPlan{Decision: stored.State.Follow(primary.State)}
	decided.Stale = decided.State.Serial != stored.State.Serial
	g.takeIn(stored.Secret, decided)
	g.notePassword(decided.State)
	if g.PasswordChanges = primary.State.Arriving(); !g.PasswordChanges {
		g.Published.Followed = of
	}
	if decided.State.InForce() == "" && !g.PasswordChanges && g.Want.GetConnection() != nil {
		g.PasswordUnknown = &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound, Message: fmt.Sprintf(
			"Mooring does not know the password of %s, which this read replica has, so the connection Secret is not written; set spec.connection there, and approve the new password", p.Named)}
	}
	return nil
}
