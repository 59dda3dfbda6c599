package resource

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"

	corev1 "k8s.io/api/core/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// passwordCheck is how often the password Secret is read of a database that is as declared, and whose connection Secret nobody changed
// since the password Secret was read.
const passwordCheck = time.Hour

// published is what a connection Secret held when it was found to be, or written, as it should be. There is no password in it.
type published struct {
	name, version string
	kind          corev1.SecretType
	// data is the content for an empty password.
	data map[string][]byte
	// checked is when the password Secret was read.
	checked time.Time
}

// passwordChecked reports whether the password Secret needs no look: it was read lately, it had nothing to be sent or confirmed, and
// nothing asks for another password since.
func (r *Reconciler) passwordChecked(t *turn) bool {
	before := t.mem.published
	if before == nil || t.now.Sub(before.checked) >= passwordCheck || t.seen.State != driver.Ready || t.seen.PasswordRefused {
		return false
	}
	c := t.want.GetCredentials()
	return (c == nil || c.PasswordSecretRef == nil) && len(t.status.FormerSecrets) == 0
}

// passwordToPublish returns the password that the connection Secret is to hold; empty for kinds that have none. done: the Secret holds it
// already, or no password is known to be set yet.
func (r *Reconciler) passwordToPublish(ctx context.Context, t *turn, name string) (value string, done bool, err error) {
	if !r.Kind.Login {
		return "", false, nil
	}
	if t.login == nil && t.mem.published != nil {
		if done, err = r.isPublished(ctx, t, name); done || err != nil {
			return "", done, err
		}
		if err = r.readPassword(ctx, t); err != nil {
			return "", false, err
		}
		if !t.login.secret.Exists { // lost: the next reconciliation makes another, or finds the password again
			t.mem.published = nil
			return "", false, outcome.ErrStale
		}
	}
	if t.login == nil || t.login.state.InForce() == "" {
		return "", true, nil
	}
	return t.login.state.InForce(), false, nil
}

// isPublished reports whether the connection Secret is as it was, and is to hold what it held.
func (r *Reconciler) isPublished(ctx context.Context, t *turn, name string) (bool, error) {
	before := t.mem.published
	kind, data := r.Kind.Binding(t.want, &t.conn.Cloud, t.seen.Endpoint, "")
	if before.name != name || before.kind != kind || !maps.EqualFunc(before.data, data, slices.Equal[[]byte]) {
		return false, nil
	}
	secret, err := r.connectionSecret(ctx, t, name)
	return err == nil && secret.ResourceVersion == before.version, err
}

// rememberPublished notes what the connection Secret holds, unless the password is about to change. It counts once the status is stored,
// which says that the server has the password.
func (r *Reconciler) rememberPublished(t *turn, secret *corev1.Secret) {
	t.mem.published = nil
	if !r.Kind.Login || t.login.state.Pending() != "" || secret.ResourceVersion == "" {
		return
	}
	kind, data := r.Kind.Binding(t.want, &t.conn.Cloud, t.seen.Endpoint, "")
	t.asPublished = &published{name: secret.Name, version: secret.ResourceVersion, kind: kind, data: data, checked: t.now}
}
