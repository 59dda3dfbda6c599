package binding

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Presence says whether a Secret exists. The zero value says that nobody looked.
type Presence int

// What is known of a Secret.
const (
	Unread  Presence = iota
	Missing          // there is none
	Present          // it was read
)

// A Connection is a connection Secret as it was read. The zero value was not read, which is never the same as Missing.
type Connection struct {
	Presence Presence
	// Secret is what was read of a Present one.
	Secret *corev1.Secret
}

// Connections are connection Secrets as they were read, by name.
type Connections map[string]Connection

// Get returns a connection Secret that has to have been read.
func (c Connections) Get(name string) (Connection, error) {
	found := c[name]
	if found.Presence == Unread {
		return Connection{}, fmt.Errorf("the connection Secret %s was not read, which is a defect of Mooring", name)
	}
	return found, nil
}

// A Reader reads connection Secrets of objects of one kind.
type Reader struct {
	// API reads from the API server: Secrets are not cached.
	API client.Reader
	// Version returns the resourceVersion of a Secret as a watch knows it, which may be behind; empty if it is not known. Nil if none are watched.
	Version func(context.Context, client.ObjectKey) string
	Kind    *kind.Kind
}

// Connection reads a connection Secret of an object.
func (r *Reader) Connection(ctx context.Context, object v1alpha1.ResourceObject, name string) (Connection, error) {
	secret := &corev1.Secret{}
	err := r.API.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return Connection{Presence: Missing}, nil
	case err != nil:
		return Connection{}, fmt.Errorf("read the connection Secret %s: %w", name, err)
	default:
		return Connection{Presence: Present, Secret: secret}, nil
	}
}

// unchanged reports whether a connection Secret is known to be as it was when it was found to be right, without being read, and is to hold
// what it held. data is the content for an empty password.
func (r *Reader) unchanged(ctx context.Context, object v1alpha1.ResourceObject, m Memory, name string, kind corev1.SecretType, data map[string][]byte) bool {
	if r.Version == nil || m.Published == nil {
		return false
	}
	version := r.Version(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: name})
	return version != "" && m.holds(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}}, kind, data)
}

// Owns reports whether a Secret was made for an object of a kind, under whatever uid: its labels say so, and its type is that of a
// connection. Anybody can write the labels on a Secret of another type.
func Owns(k *kind.Kind, object v1alpha1.ResourceObject, secret *corev1.Secret) bool {
	labels := secret.GetLabels()
	return strings.HasPrefix(string(secret.Type), "servicebinding.io/") &&
		labels[v1alpha1.LabelKind] == k.Name && labels[v1alpha1.LabelName] == object.GetName()
}

// MayPublish refuses to go on if the connection Secret of an object is somebody else's, or can't take the other password that changes says it is to get: a
// password that could not be published is not set.
func (r *Reader) MayPublish(ctx context.Context, in *reconciliation.State, changes bool) error {
	wanted := in.Want.GetConnection()
	if wanted == nil {
		return nil
	}
	found, err := r.Connection(ctx, in.Object, wanted.SecretName)
	if err != nil {
		return err
	}
	kind, _ := r.Kind.Binding(in.Want, in.Cloud(), driver.Endpoint{}, "") // the type never changes, and no API server lets it
	switch {
	case found.Presence == Missing:
		known := Remembered.In(in.Memory.Parts)
		known.Unwritten = wanted.SecretName
		Remembered.Set(&in.Memory.Parts, known)
		return nil
	case !Owns(r.Kind, in.Object, found.Secret) || found.Secret.Type != kind:
		return notOwned(wanted.SecretName)
	case changes && found.Secret.Immutable != nil && *found.Secret.Immutable:
		return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotWritten, Message: fmt.Sprintf(
			"the connection Secret %s is immutable, so it could not get a new password: delete it, and Mooring writes it again, or change spec.connection.secretName", wanted.SecretName)}
	default:
		return nil
	}
}

// notOwned refuses a connection Secret that is somebody else's.
func notOwned(secret string) *identity.ValidationError {
	return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: fmt.Sprintf(
		"a Secret %s exists and does not belong to this object; change spec.connection.secretName, or delete the Secret if nobody needs it", secret)}
}
