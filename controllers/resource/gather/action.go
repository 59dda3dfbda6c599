package gather

import (
	"cmp"
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// GatherFor reads the Secrets that an action concerns, once it is planned: no other action needs them. What it returns holds also beside
// an error. If only what publishing takes can't be read, the action is executed and recorded all the same, and PublishError says why nothing
// is published.
func (g *Gatherer) GatherFor(ctx context.Context, known reconciliation.State, a plan.Action) (reconciliation.State, error) {
	err := (&login{g.Secrets, &known}).gatherFor(ctx, a)
	known.Redact = known.Redactor()
	return known, err
}

func (g *login) gatherFor(ctx context.Context, a plan.Action) error {
	if a.Verb == plan.Create {
		if g.Described.Name.Refuses(g.Request.Name) != nil {
			return nil //nolint:nilerr // the creation ends at its name, and says why
		}
		if err := g.mayPublish(ctx, false); err != nil {
			return err
		}
	}
	if a.Verb == plan.RemoveFinalizer && !a.Orphaned {
		return g.readConnections(ctx, plan.ConnectionSecrets(g.Status(), g.Want.GetConnection()))
	}
	if plan.Publishes(a, g.View, g.Observation, g.Policy) {
		g.PublishError = cmp.Or(g.readPublished(ctx), g.RotationRefused)
		if g.PublishError == nil && g.PasswordUnknown != nil {
			g.PublishError = g.PasswordUnknown
		}
		return nil
	}
	if plan.CloudManages(g.Kind, g.Want) || !plan.NeedsPassword(g.Kind, a, g.View, g.Observation) {
		return nil
	}
	secret, read, err := g.passwordFacts(ctx, a)
	if err != nil {
		return err
	}
	g.takeIn(secret, plan.PasswordFor(a, g.View, g.Observation, read))
	return nil
}

// passwordFacts reads the Secrets that the password of a server comes from that is created or taken over. What only a person can mend is
// among the facts: it is told once finalizer and binding are stored.
func (g *login) passwordFacts(ctx context.Context, a plan.Action) (secret *password.Secret, read plan.PasswordFacts, err error) {
	stored, err := g.loginFor(ctx, a)
	if err == nil {
		secret, read.State = stored.Secret, stored.State
	}
	if read.Follows = g.Request.Restore != nil && g.Request.Restore.Follows; err == nil && a.Verb == plan.Create && !read.Follows {
		read.Fresh, read.Restored = driver.NewPassword(g.Request.Username), g.Request.Restore != nil
		read.Wanted, err = g.wantedPassword(ctx, read.State) // not StartedOver: what the former server had can be used again
	}
	if refused, ok := errors.AsType[*identity.ValidationError](err); ok {
		read.Refused, err = refused, nil
	}
	return secret, read, err
}

// loginFor reads the password Secret. Of an object without the finalizer there is none.
func (g *login) loginFor(ctx context.Context, a plan.Action) (*credential.Login, error) {
	if a.Verb == plan.Create && !controllerutil.ContainsFinalizer(g.Object, v1alpha1.FinalizerResource) {
		none := credential.NewLogin(g.secrets.New(g.Object), g.Status(), g.Memory.Cloud.PasswordSent)
		g.Memory.Cloud.PasswordSent = none.State.Sent
		return none, nil
	}
	return g.readLogin(ctx)
}
