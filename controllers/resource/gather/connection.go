package gather

import (
	"context"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// readConnections reads connection Secrets.
func (g *login) readConnections(ctx context.Context, names []string) error {
	if g.Connections == nil {
		g.Connections = credential.Connections{}
	}
	for _, name := range names {
		found, err := g.secrets.Connection(ctx, g.Object, name)
		if err != nil {
			return err
		}
		g.Connections[name] = found
	}
	return nil
}

// readPublished reads what it takes to bring the connection Secrets of an object up to date: those that are written or deleted, and the
// password, if it is not known and the Secret is not as it was.
func (g *login) readPublished(ctx context.Context) error {
	status, wanted := g.Status(), g.Want.GetConnection()
	if wanted == nil {
		return g.readConnections(ctx, plan.ConnectionSecrets(status, nil))
	}
	expired, kept := plan.ExpiredSecrets(status.FormerSecrets, g.Now)
	if err := g.readConnections(ctx, namesOf(expired)); err != nil || !plan.Usable(g.View, g.Observation, g.Unmade) {
		return err
	}
	known := g.PasswordSecret != nil && g.Password.State.InForce() != "" || g.PasswordSecret == nil && g.Memory.Published.Published != nil
	if plan.CloudManages(g.Kind, g.Want) {
		known = g.Observation.Endpoint.PasswordSecret != ""
	}
	if g.Kind.Login && !known {
		return nil // no password is known to be set yet
	}
	if len(kept) == 0 && g.unchanged(ctx, wanted.SecretName) {
		return nil
	}
	names := namesOf(kept)
	if status.Binding != nil && status.Binding.Name != wanted.SecretName {
		names = append(names, status.Binding.Name)
	}
	if g.Memory.Published.Unwritten != wanted.SecretName {
		names = append(names, wanted.SecretName)
	}
	if err := g.readConnections(ctx, names); err != nil {
		return err
	}
	if g.Memory.Published.Unwritten == wanted.SecretName { // if it exists by now it can't be created, and the next reconciliation reads it
		g.Connections[wanted.SecretName] = credential.Connection{Presence: credential.Missing}
	}
	return g.readChanged(ctx, wanted.SecretName)
}

// unchanged reports whether the connection Secret of a login is known to be right without being read: nothing is written then, either.
func (g *login) unchanged(ctx context.Context, name string) bool {
	bound := g.Status().Binding != nil && g.Status().Binding.Name == name
	if !g.Kind.Login || g.PasswordSecret != nil || !bound {
		return false
	}
	kind, data := g.Kind.Binding(g.Want, &g.Connection.Cloud, g.Observation.Endpoint, "")
	return g.secrets.Unchanged(ctx, g.Object, g.Memory.Published, name, kind, data)
}

func namesOf(former []v1alpha1.FormerSecret) (names []string) {
	for _, f := range former {
		names = append(names, f.Name)
	}
	return names
}

// readChanged reads the password for a connection Secret that is not as it was when it was written last.
func (g *login) readChanged(ctx context.Context, name string) error {
	if !g.Kind.Login || g.PasswordSecret != nil || plan.CloudManages(g.Kind, g.Want) {
		return nil
	}
	kind, data := g.Kind.Binding(g.Want, &g.Connection.Cloud, g.Observation.Endpoint, "")
	if found := g.Connections[name]; found.Presence == credential.Present && g.Memory.Published.Holds(found.Secret, kind, data) {
		return nil
	}
	stored, err := g.readLogin(ctx)
	if err != nil {
		return err
	}
	if !stored.Secret.Exists { // lost: the next reconciliation makes another, or finds the password again
		g.Memory.Published.Published = nil
		return outcome.ErrStale
	}
	g.PasswordSecret, g.Password.State = stored.Secret, stored.State
	return nil
}
