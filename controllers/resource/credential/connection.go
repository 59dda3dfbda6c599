package credential

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Connections are connection Secrets as they were read, by name; empty ones do not exist.
type Connections map[string]*corev1.Secret

// Connection reads a connection Secret of an object; it is empty if there is none.
func (r *Reader) Connection(ctx context.Context, object v1alpha1.ResourceObject, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := r.API.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read the connection Secret %s: %w", name, err)
	}
	return secret, nil
}

// Owns reports whether a Secret was made for an object of a kind, under whatever uid: its labels say so, and its type is that of a
// connection. Anybody can write the labels on a Secret of another type.
func Owns(k *kind.Kind, object v1alpha1.ResourceObject, secret *corev1.Secret) bool {
	labels := secret.GetLabels()
	return strings.HasPrefix(string(secret.Type), "servicebinding.io/") &&
		labels[v1alpha1.LabelKind] == k.Name && labels[v1alpha1.LabelName] == object.GetName()
}

// MayPublish refuses to go on if the connection Secret is somebody else's: a password that nobody could be told is not set. missing is its
// name if there is none.
func (r *Reader) MayPublish(ctx context.Context, object, want v1alpha1.ResourceObject, cloud *driver.Description) (missing string, err error) {
	wanted := want.GetConnection()
	if wanted == nil {
		return "", nil
	}
	secret, err := r.Connection(ctx, object, wanted.SecretName)
	if err != nil {
		return "", err
	}
	if secret.Name == "" {
		return wanted.SecretName, nil
	}
	kind, _ := r.Kind.Binding(want, cloud, driver.Endpoint{}, "") // the type never changes, and no API server lets it
	if Owns(r.Kind, object, secret) && secret.Type == kind {
		return "", nil
	}
	return "", NotOwned(wanted.SecretName)
}

// NotOwned refuses a connection Secret that is somebody else's.
func NotOwned(secret string) *identity.ValidationError {
	return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: fmt.Sprintf(
		"a Secret %s exists and does not belong to this object; change spec.connection.secretName, or delete the Secret if nobody needs it", secret)}
}

// Left returns the password of a server that is taken back, from the connection Secret that was left with it, so that nobody who uses
// that is cut off. It is undecided until the cloud says at which endpoint the server is: the Secret may be of another.
func (r *Reader) Left(ctx context.Context, object, want v1alpha1.ResourceObject, cloud *driver.Description, at driver.Endpoint) (password.Left, error) {
	secret, err := r.Connection(ctx, object, want.GetConnection().SecretName)
	if err != nil {
		return password.Left{}, err
	}
	left := string(secret.Data["password"])
	if !Owns(r.Kind, object, secret) || left == "" {
		return password.Left{}, nil // it is not there, or not ours
	}
	if at.Host == "" {
		return password.Left{Undecided: true}, nil
	}
	_, data := r.Kind.Binding(want, cloud, at, left)
	if string(data["host"]) != string(secret.Data["host"]) || string(data["username"]) != string(secret.Data["username"]) {
		return password.Left{}, nil
	}
	return password.Left{Password: left}, nil
}
