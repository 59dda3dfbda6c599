package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/credential"
)

// publish keeps the connection Secret as it should be: a projection of what was seen and of the vault.
func (r *Reconciler[T, S]) publish(ctx context.Context, t *turn[T, S], out outcome) (outcome, error) {
	wanted := r.Kind.Connection(t.want)
	if b := t.status.Binding; b != nil && (wanted == nil || wanted.SecretName != b.Name) {
		if err := r.dropSecret(ctx, t, b.Name); err != nil {
			return out, err
		}
		t.status.Binding = nil
	}
	if wanted == nil || !t.seen.Available || ownership(t.view, t.seen) != ours {
		return out, nil
	}
	password := ""
	if r.Kind.Credentials != nil {
		if t.vault == nil || t.vault.current() == "" {
			return out, nil // not known to be set yet
		}
		password = t.vault.current()
	}
	kind, data := r.Kind.Binding(t.want, t.conn.Provider, t.seen.Endpoint, password)
	ours, err := r.writeSecret(ctx, t, wanted.SecretName, kind, data)
	if err != nil {
		return out, err
	}
	if !ours {
		return outcome{
			state: condition.Stalled, reason: v1alpha1.ReasonSecretNotOwned, next: afterError,
			message: messageTaken(wanted.SecretName),
		}, nil
	}
	t.status.Binding = &v1alpha1.Binding{Name: wanted.SecretName}
	return out, nil
}

func messageTaken(secret string) string {
	return fmt.Sprintf("a Secret %s exists and was not made for this object; change spec.connection.secretName, or delete the Secret if nobody needs it", secret)
}

// connectionSecret reads a Secret of the object's namespace; it is empty if there is none.
func (r *Reconciler[T, S]) connectionSecret(ctx context.Context, t *turn[T, S], name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: t.obj.GetNamespace(), Name: name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read the connection Secret %s: %w", name, err)
	}
	return secret, nil
}

// mayPublish refuses to go on if the connection Secret is somebody else's: a password that nobody could be told is not set.
func (r *Reconciler[T, S]) mayPublish(ctx context.Context, t *turn[T, S]) error {
	wanted := r.Kind.Connection(t.want)
	if wanted == nil {
		return nil
	}
	secret, err := r.connectionSecret(ctx, t, wanted.SecretName)
	if err != nil || secret.Name == "" || r.mine(secret.Labels, t) {
		return err
	}
	return &credential.Refusal{Reason: v1alpha1.ReasonSecretNotOwned, Message: messageTaken(wanted.SecretName)}
}

// writeSecret makes or mends a Secret. It returns false if there is one that is not ours.
func (r *Reconciler[T, S]) writeSecret(ctx context.Context, t *turn[T, S], name string, kind corev1.SecretType, data map[string][]byte) (bool, error) {
	secret, err := r.connectionSecret(ctx, t, name)
	switch {
	case err != nil:
		return true, err
	case secret.Name == "":
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.obj.GetNamespace(), Name: name, Labels: r.labels(t)},
			Type:       kind, Data: data,
		}
		err = r.Client.Create(ctx, secret)
		if apierrors.IsAlreadyExists(err) {
			return true, errStale
		}
	case !r.mine(secret.Labels, t):
		return false, nil
	case maps.EqualFunc(secret.Data, data, slices.Equal[[]byte]) && secret.Labels[v1alpha1.LabelUID] == string(t.obj.GetUID()):
		return true, nil
	default:
		secret.Data = data
		secret.Labels[v1alpha1.LabelUID] = string(t.obj.GetUID())
		err = r.Client.Update(ctx, secret)
	}
	if err != nil {
		return true, fmt.Errorf("write the connection Secret %s: %w", name, err)
	}
	return true, nil
}

// dropSecret deletes a Secret of the object's namespace if it was made for the object.
func (r *Reconciler[T, S]) dropSecret(ctx context.Context, t *turn[T, S], name string) error {
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: t.obj.GetNamespace(), Name: name}, secret)
	if err == nil && r.mine(secret.Labels, t) {
		err = r.Client.Delete(ctx, secret, client.Preconditions{UID: &secret.UID})
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete the connection Secret %s: %w", name, err)
	}
	return nil
}

// published returns the names of the Secrets that may have been made: one is written before the status tells of it.
func (t *turn[T, S]) published(wanted *v1alpha1.Connection) (names []string) {
	if t.status.Binding != nil {
		names = append(names, t.status.Binding.Name)
	}
	if wanted != nil && !slices.Contains(names, wanted.SecretName) {
		names = append(names, wanted.SecretName)
	}
	return names
}

// dropSecrets deletes what was kept for an object that goes: the connection Secret, unless the cloud
// object stays, and the vault.
func (r *Reconciler[T, S]) dropSecrets(ctx context.Context, t *turn[T, S], stays bool) error {
	if !stays {
		for _, name := range t.published(r.Kind.Connection(t.want)) {
			if err := r.dropSecret(ctx, t, name); err != nil {
				return err
			}
		}
	}
	if r.Kind.Credentials == nil {
		return nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: vaultName(t.obj)}}
	if err := client.IgnoreNotFound(r.Client.Delete(ctx, secret)); err != nil {
		return fmt.Errorf("delete the stored password: %w", err)
	}
	return nil
}
