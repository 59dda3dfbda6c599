package resource

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

func (r *Reconciler) publisher() *execute.Publisher {
	return &execute.Publisher{Reader: r.Reader, Writer: r.Client, Kind: r.Kind, Passwords: r.passwords()}
}

// publish keeps the connection Secret as it should be.
func (r *Reconciler) publish(ctx context.Context, t *turn, out outcome.Outcome) (outcome.Outcome, error) {
	publication := execute.Publication{
		Object: t.obj, Want: t.want, Cloud: &t.conn.Cloud, Observation: t.seen, PasswordSent: t.mem.passwordSent, Now: t.now, Redact: t.redact,
		Usable: t.seen.Available && plan.Ownership(t.view, t.seen) == plan.Ours && !t.unmade,
	}
	if t.login != nil {
		publication.Login = &t.login.Login
	}
	done, err := r.publisher().Publish(ctx, publication, t.mem.publisher)
	t.knows(done.Secrets...)
	t.notes = append(t.notes, done.Notes...)
	t.mem.publisher, t.asPublished = done.Memory, done.Current
	t.status.Binding, t.status.FormerSecrets = done.Binding, done.Former
	if t.login == nil && done.Login != nil {
		t.setLogin(done.Login)
	}
	if err == nil && done.Refused != nil {
		out = outcome.Unpublished(out, done.Refused)
	}
	return out, err
}

// mayPublish refuses to go on if the connection Secret is somebody else's: a password that nobody could be told is not set.
func (r *Reconciler) mayPublish(ctx context.Context, t *turn) error {
	missing, err := r.publisher().MayPublish(ctx, t.obj, t.want, &t.conn.Cloud)
	if missing != "" {
		t.mem.publisher.Unwritten = missing
	}
	return err
}

// dropSecrets deletes what was kept for an object that goes: the connection Secret, unless the cloud
// object stays, and the password Secret.
func (r *Reconciler) dropSecrets(ctx context.Context, t *turn, stays bool) error {
	if !stays {
		if err := r.publisher().Drop(ctx, t.obj, t.want); err != nil {
			return err
		}
	}
	if !r.Kind.Login {
		return nil
	}
	return r.passwords().Delete(ctx, t.obj.GetUID())
}
