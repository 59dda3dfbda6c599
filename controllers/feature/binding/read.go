package binding

import (
	"cmp"
	"context"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// A reading reads the Secrets that an action concerns.
type reading struct {
	*binding
	*reconciliation.State
	part
}

// read reads the Secrets that an action concerns. If only what publishing takes can't be read, the action is carried out and recorded all the same, and publish says why
// nothing is published.
func (b *binding) read(ctx context.Context, in *reconciliation.State, a plan.Action) error {
	r := &reading{b, in, place.In(in.Parts)}
	defer func() { place.Set(&in.Parts, r.part) }()
	switch {
	case a.Verb == plan.Create:
		return r.secrets.MayPublish(ctx, r.State, false)
	case a.Verb == plan.RemoveFinalizer && !a.Orphaned:
		return r.readConnections(ctx, plan.ConnectionSecrets(r.Status(), r.Want.GetConnection()))
	case plan.Publishes(a, r.View, r.Observation, r.Policy):
		r.unread = cmp.Or(r.readPublished(ctx), r.password(*in).Withheld)
	}
	return nil
}

// known is what is remembered of the connection Secret.
func (r *reading) known() Memory { return Remembered.In(r.Memory.Parts) }

// readConnections reads connection Secrets.
func (r *reading) readConnections(ctx context.Context, names []string) error {
	if r.connections == nil {
		r.connections = Connections{}
	}
	for _, name := range names {
		found, err := r.secrets.Connection(ctx, r.Object, name)
		if err != nil {
			return err
		}
		r.connections[name] = found
	}
	return nil
}

// readPublished reads what it takes to bring the connection Secrets of an object up to date: those that are written or deleted, and the
// password, if it is not known and the Secret is not as it was.
func (r *reading) readPublished(ctx context.Context) error {
	status, wanted := r.Status(), r.Want.GetConnection()
	if wanted == nil {
		return r.readConnections(ctx, plan.ConnectionSecrets(status, nil))
	}
	expired, kept := expiredSecrets(status.FormerSecrets, r.Now)
	if err := r.readConnections(ctx, namesOf(expired)); err != nil || !Usable(*r.State) {
		return err
	}
	if r.login != nil && !r.passwordKnown() {
		return nil // no password is known to be set yet
	}
	if len(kept) == 0 && r.unchanged(ctx, wanted.SecretName) {
		return nil
	}
	names := namesOf(kept)
	if status.Binding != nil && status.Binding.Name != wanted.SecretName {
		names = append(names, status.Binding.Name)
	}
	if r.known().Unwritten != wanted.SecretName {
		names = append(names, wanted.SecretName)
	}
	if err := r.readConnections(ctx, names); err != nil {
		return err
	}
	if r.known().Unwritten == wanted.SecretName { // if it exists by now it can't be created, and the next reconciliation reads it
		r.connections[wanted.SecretName] = Connection{Presence: Missing}
	}
	return r.readChanged(ctx, wanted.SecretName)
}

// passwordKnown reports whether there is a password to publish: the one that was read, or the one that the connection Secret had when it was found to be right.
func (r *reading) passwordKnown() bool {
	switch p := r.password(*r.State); {
	case p.Managed:
		return r.Observation.Endpoint.PasswordSecret != ""
	case p.Read:
		return p.Value != ""
	default:
		return r.known().Published != nil
	}
}

// unchanged reports whether the connection Secret of a login is known to be right without being read: nothing is written then, either.
func (r *reading) unchanged(ctx context.Context, name string) bool {
	bound := r.Status().Binding != nil && r.Status().Binding.Name == name
	if r.login == nil || r.password(*r.State).Read || !bound {
		return false
	}
	kind, data := r.kind.Binding(r.Want, r.Cloud(), r.Observation.Endpoint, "")
	return r.secrets.unchanged(ctx, r.Object, r.known(), name, kind, data)
}

func namesOf(former []v1alpha1.FormerSecret) (names []string) {
	for _, f := range former {
		names = append(names, f.Name)
	}
	return names
}

// readChanged has the password read for a connection Secret that is not as it was when it was written last.
func (r *reading) readChanged(ctx context.Context, name string) error {
	if r.login == nil {
		return nil
	}
	if p := r.password(*r.State); p.Read || p.Managed {
		return nil
	}
	kind, data := r.kind.Binding(r.Want, r.Cloud(), r.Observation.Endpoint, "")
	if found := r.connections[name]; found.Presence == Present && r.known().holds(found.Secret, kind, data) {
		return nil
	}
	return r.login.ReadPassword(ctx, r.State)
}
