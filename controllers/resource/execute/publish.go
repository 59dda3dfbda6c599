package execute

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// publish keeps the connection Secret as it should be. The outcome holds also beside an error: what was planned is recorded.
func (w *work) publish(ctx context.Context, out outcome.Outcome) (outcome.Outcome, error) {
	if w.PublishError != nil {
		return out, w.PublishError
	}
	done, err := w.executor.Publisher.Publish(ctx, Publication{
		Object: w.Object, Want: w.Want, Cloud: w.Cloud(), Observation: w.Observation, Password: w.Password.State, PasswordKnown: w.PasswordSecret != nil,
		Connections: w.Connections, Now: w.Now, Redact: w.Redact, Usable: plan.Usable(w.View, w.Observation, w.Unmade),
		KeepsCertificates: w.KeepsCertificates,
	}, w.Memory.Published)
	w.Secrets = append(w.Secrets, done.Secrets...)
	w.Notes = append(w.Notes, done.Notes...)
	w.Memory.Published, w.ConnectionSecret = done.Memory, done.Current
	w.status.Binding, w.status.FormerSecrets = done.Binding, done.Former
	if err == nil && done.Refused != nil {
		out = outcome.Unpublished(out, done.Refused)
	}
	if err == nil {
		err = forgetPassword(ctx, w)
	}
	return out, err
}

// dropSecrets deletes what was kept for an object that goes: the connection Secret, unless the cloud
// object stays, and the password Secret.
func (e *Executor) dropSecrets(ctx context.Context, t reconciliation.State, stays bool) error {
	if !stays {
		if err := e.Publisher.Drop(ctx, t.Object, t.Want, t.Connections); err != nil {
			return err
		}
	}
	if !t.Kind.Login {
		return nil
	}
	return e.Passwords.Delete(ctx, t.Object.GetUID())
}
