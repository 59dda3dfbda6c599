package execute

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// publish keeps the connection Secret as it should be.
func (w *work) publish(ctx context.Context, out outcome.Outcome) (outcome.Outcome, error) {
	var login *credential.Login
	if w.PasswordSecret != nil {
		login = &credential.Login{Secret: w.PasswordSecret, State: w.Password.State}
	}
	done, err := w.Publisher.Publish(ctx, Publication{
		Object: w.Object, Want: w.Want, Cloud: w.Cloud, Observation: w.Observation, Login: login, PasswordSent: w.Memory.PasswordSent,
		Now: w.Now, Redact: w.Redact,
		Usable: w.Observation.Available && plan.Ownership(w.View, w.Observation) == plan.Ours && !w.Unmade,
	}, w.Published)
	w.done.Secrets = append(w.done.Secrets, done.Secrets...)
	w.done.Notes = append(w.done.Notes, done.Notes...)
	w.Published, w.done.Current = done.Memory, done.Current
	w.status.Binding, w.status.FormerSecrets = done.Binding, done.Former
	if login == nil && done.Login != nil {
		w.Memory.PasswordSent = done.Login.State.Sent
	}
	if err == nil && done.Refused != nil {
		out = outcome.Unpublished(out, done.Refused)
	}
	return out, err
}

// dropSecrets deletes what was kept for an object that goes: the connection Secret, unless the cloud
// object stays, and the password Secret.
func (w *work) dropSecrets(ctx context.Context, stays bool) error {
	if !stays {
		if err := w.Publisher.Drop(ctx, w.Object, w.Want); err != nil {
			return err
		}
	}
	if !w.Kind.Login {
		return nil
	}
	return w.Passwords.Delete(ctx, w.Object.GetUID())
}
