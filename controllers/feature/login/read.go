package login

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// read reads the Secrets that the password of a server comes from that an action creates or takes over.
func (l *Login) read(ctx context.Context, in *reconciliation.State, a plan.Action) error {
	r := l.begin(in)
	defer r.end()
	return r.readFor(ctx, a)
}

func (r *reading) readFor(ctx context.Context, a plan.Action) error {
	if plan.CloudManages(r.Kind, r.Want) || !needsPassword(r.Kind, a, r.View, r.Observation) {
		return nil
	}
	secret, read, err := r.passwordFacts(ctx, a)
	if err != nil {
		return err
	}
	r.takeIn(secret, decideFor(a, r.View, r.Observation, read))
	return nil
}

// passwordFacts reads the Secrets that the password of a server comes from that is created or taken over. What only a person can mend is
// among the facts: it is told once finalizer and binding are stored.
func (r *reading) passwordFacts(ctx context.Context, a plan.Action) (secret *password.Secret, read facts, err error) {
	found, err := r.loginFor(ctx, a)
	if err == nil {
		secret, read.State = found.secret, found.state
	}
	if read.Follows = r.Request.Restore != nil && r.Request.Restore.Follows; err == nil && a.Verb == plan.Create && !read.Follows {
		read.Fresh, read.Restored = driver.NewPassword(r.Request.Username), r.Request.Restore != nil
		read.Wanted, err = r.wantedPassword(ctx, read.State) // not StartedOver: what the former server had can be used again
	}
	if refused, ok := errors.AsType[*identity.ValidationError](err); ok {
		read.Refused, err = refused, nil
	}
	return secret, read, err
}

// loginFor reads the password Secret. Of an object without the finalizer there is none.
func (r *reading) loginFor(ctx context.Context, a plan.Action) (*stored, error) {
	if a.Verb == plan.Create && !controllerutil.ContainsFinalizer(r.Object, v1alpha1.FinalizerResource) {
		none := newStored(r.passwords.New(owner(r.Kind, r.Object)), r.Status(), remembered.In(r.Memory.Parts).sent)
		noteSent(r.State, none.state.Sent)
		return none, nil
	}
	return r.readLogin(ctx)
}
