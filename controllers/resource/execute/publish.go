package execute

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// publish keeps the connection Secret as it should be.
func (w *work) publish(ctx context.Context, out outcome.Outcome) (outcome.Outcome, error) {
	done, err := w.Publisher.Publish(ctx, Publication{
		Object: w.Object, Want: w.Want, Cloud: w.Cloud, Observation: w.Observation, Login: w.Login, PasswordSent: w.Memory.PasswordSent,
		Now: w.Now, Redact: w.Redact,
		Usable: w.Observation.Available && plan.Ownership(w.View, w.Observation) == plan.Ours && !w.Unmade,
	}, w.Published)
	w.done.Secrets = append(w.done.Secrets, done.Secrets...)
	w.done.Notes = append(w.done.Notes, done.Notes...)
	w.Published, w.done.Current = done.Memory, done.Current
	w.status.Binding, w.status.FormerSecrets = done.Binding, done.Former
	if w.Login == nil && done.Login != nil {
		w.setLogin(done.Login)
	}
	if err == nil && done.Refused != nil {
		out = outcome.Unpublished(out, done.Refused)
	}
	return out, err
}

// mayPublish refuses to go on if the connection Secret is somebody else's: a password that nobody could be told is not set.
func (w *work) mayPublish(ctx context.Context) error {
	missing, err := w.Secrets.MayPublish(ctx, w.Object, w.Want, w.Cloud)
	if missing != "" {
		w.Published.Unwritten = missing
	}
	return err
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
