package execute

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// passwordToPublish returns the password that the connection Secret is to hold; empty for kinds that have none. done: the Secret holds it
// already, or no password is known to be set yet.
func (w *publishing) passwordToPublish(ctx context.Context, name string) (value string, done bool, err error) {
	if !w.Kind.Login {
		return "", false, nil
	}
	if w.done.Login == nil && w.done.Memory.Published != nil {
		if done, err = w.isPublished(ctx, name); done || err != nil {
			return "", done, err
		}
		if w.done.Login, err = w.Secrets.Login(ctx, w.Object, w.PasswordSent); err != nil {
			return "", false, err
		}
		secret := w.done.Login.Secret
		w.done.Secrets = append(w.done.Secrets, secret.Stored.Current, secret.Stored.Next)
		if !secret.Exists { // lost: the next reconciliation makes another, or finds the password again
			w.done.Memory.Published = nil
			return "", false, outcome.ErrStale
		}
	}
	if w.done.Login == nil || w.done.Login.State.InForce() == "" {
		return "", true, nil
	}
	return w.done.Login.State.InForce(), false, nil
}

// isPublished reports whether the connection Secret is as it was, and is to hold what it held.
func (w *publishing) isPublished(ctx context.Context, name string) (bool, error) {
	before := w.done.Memory.Published
	kind, data := w.Kind.Binding(w.Want, w.Cloud, w.Observation.Endpoint, "")
	if before.Name != name || before.Kind != kind || !maps.EqualFunc(before.Data, data, slices.Equal[[]byte]) {
		return false, nil
	}
	secret, err := w.Secrets.Connection(ctx, w.Object, name)
	return err == nil && secret.ResourceVersion == before.Version, err
}

// remember notes what the connection Secret holds, unless the password is about to change.
func (w *publishing) remember(secret *corev1.Secret) {
	w.done.Memory.Published = nil
	if !w.Kind.Login || w.done.Login.State.Pending() != "" || secret.ResourceVersion == "" {
		return
	}
	kind, data := w.Kind.Binding(w.Want, w.Cloud, w.Observation.Endpoint, "")
	w.done.Current = &credential.ConnectionSecret{Name: secret.Name, Version: secret.ResourceVersion, Kind: kind, Data: data, Checked: w.Now}
}
