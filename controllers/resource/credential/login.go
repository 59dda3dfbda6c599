package credential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Login is what one reconciliation knows of the password of its object's server.
type Login struct {
	// Secret is the password Secret as it was read.
	Secret *password.Secret
	State  password.State
}

// A Reader reads Secrets of objects of one kind.
type Reader struct {
	// API reads from the API server: Secrets are not cached.
	API client.Reader
	// Version returns the resourceVersion of a Secret as a watch knows it, which may be behind; empty if it is not known. Nil if none are watched.
	Version   func(context.Context, client.ObjectKey) string
	Passwords *password.Store
	Kind      *kind.Kind
}

// Owner returns whom the password Secret of an object belongs to.
func (r *Reader) Owner(object v1alpha1.ResourceObject) password.Owner {
	return password.Owner{Kind: r.Kind.Name, Name: object.GetName(), UID: object.GetUID()}
}

// New returns the password Secret of an object that has none, without reading.
func (r *Reader) New(object v1alpha1.ResourceObject) *password.Secret {
	return r.Passwords.New(r.Owner(object))
}

// Login reads the password Secret of an object. sent is the serial that this process knows to be accepted.
func (r *Reader) Login(ctx context.Context, object v1alpha1.ResourceObject, sent int) (*Login, error) {
	secret, err := r.Passwords.Get(ctx, r.Owner(object))
	if notOwned, ok := errors.AsType[*password.NotOwnedError](err); ok {
		return nil, &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: notOwned.Error()}
	}
	if err != nil {
		return nil, err
	}
	return NewLogin(secret, object.GetResourceStatus(), sent), nil
}

// NewLogin returns what a password Secret and the status say together. Without a Secret nothing was sent.
func NewLogin(secret *password.Secret, status *v1alpha1.ResourceStatus, sent int) *Login {
	if !secret.Exists {
		sent = 0
	}
	return &Login{Secret: secret, State: password.State{Stored: secret.Stored, Accepted: plan.AcceptedPassword(status), Sent: sent}}
}

// Wanted returns the password that the spec names; empty if it names none. One that can't be used is refused here, before
// it is stored or sent. secrets are values that must never be shown. known is the password that the server was last known to have.
func (r *Reader) Wanted(
	ctx context.Context, object, want v1alpha1.ResourceObject, described driver.Resource, spec driver.Spec, known string,
) (wanted string, secrets []string, err error) {
	c := want.GetCredentials()
	if c == nil || c.PasswordSecretRef == nil {
		return "", nil, nil
	}
	named := password.Reference{Secret: c.PasswordSecretRef.Name, Key: cmp.Or(c.PasswordSecretRef.Key, "password")}
	secret := &corev1.Secret{}
	err = r.API.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: named.Secret}, secret)
	if client.IgnoreNotFound(err) != nil {
		return "", nil, fmt.Errorf("read Secret %s: %w", named.Secret, err)
	}
	named.Value = string(secret.Data[named.Key])
	named.OwnConnection = slices.Contains(plan.ConnectionSecrets(object.GetResourceStatus(), want.GetConnection()), named.Secret)
	secrets = []string{named.Value}
	rule, err := described.Password(spec)
	if err != nil {
		return "", secrets, err
	}
	named.Problem = rule.Check(named.Value)
	if reason, message := named.Refuse(known); reason != "" {
		return "", secrets, &identity.ValidationError{Reason: reason, Message: message}
	}
	return named.Value, secrets, nil
}
