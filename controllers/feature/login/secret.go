package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A stored is what one reconciliation knows of the password of a server.
type stored struct {
	// secret is the password Secret as it was read.
	secret *password.Secret
	state  password.State
}

// owner returns whom the password Secret of an object belongs to.
func owner(k *kind.Kind, object v1alpha1.ResourceObject) password.Owner {
	return password.Owner{Kind: k.Name, Name: object.GetName(), UID: object.GetUID()}
}

// get reads the password Secret of an object. sent is the serial that this process knows to be accepted.
func (l *Login) get(ctx context.Context, k *kind.Kind, object v1alpha1.ResourceObject, sent int) (*stored, error) {
	secret, err := l.passwords.Get(ctx, owner(k, object))
	if notOwned, ok := errors.AsType[*password.NotOwnedError](err); ok {
		return nil, &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: notOwned.Error()}
	}
	if err != nil {
		return nil, err
	}
	return newStored(secret, object.GetResourceStatus(), sent), nil
}

// newStored returns what a password Secret and the status say together. Without a Secret nothing was sent.
func newStored(secret *password.Secret, status *v1alpha1.ResourceStatus, sent int) *stored {
	if !secret.Exists {
		sent = 0
	}
	return &stored{secret, password.State{Stored: secret.Stored, Accepted: plan.AcceptedPassword(status), Sent: sent}}
}

// readLogin reads the password Secret.
func (r *reading) readLogin(ctx context.Context) (*stored, error) {
	found, err := r.get(ctx, r.Kind, r.Object, remembered.In(r.Memory.Parts).sent)
	if err != nil {
		return nil, err
	}
	noteSent(r.State, found.state.Sent)
	r.KeepSecret(found.secret.Stored.Current, found.secret.Stored.Next)
	return found, nil
}

// wantedPassword returns the password that the spec names; empty if it names none. One that can't be used is refused here, before
// it is stored or sent.
func (r *reading) wantedPassword(ctx context.Context, s password.State) (string, error) {
	c := r.Want.GetCredentials()
	if c == nil || c.PasswordSecretRef == nil {
		return "", nil
	}
	named := password.Reference{Secret: c.PasswordSecretRef.Name, Key: cmp.Or(c.PasswordSecretRef.Key, "password")}
	secret := &corev1.Secret{}
	err := r.api.Get(ctx, client.ObjectKey{Namespace: r.Object.GetNamespace(), Name: named.Secret}, secret)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read Secret %s: %w", named.Secret, err)
	}
	named.Value = string(secret.Data[named.Key])
	named.OwnConnection = slices.Contains(plan.ConnectionSecrets(r.Status(), r.Want.GetConnection()), named.Secret)
	r.KeepSecret(named.Value)
	rule, err := r.Described.Password(r.Request.Spec)
	if err != nil {
		return "", err
	}
	named.Problem = rule.Check(named.Value)
	if reason, message := named.Refuse(s.Known()); reason != "" {
		return "", &identity.ValidationError{Reason: reason, Message: message}
	}
	return named.Value, nil
}

// leftPassword returns the password of a server that is taken back, from the connection Secret that was left with it, so that nobody who uses
// that is cut off, if no other is known or wanted. It is undecided until the cloud says at which endpoint the server is: the Secret may be of another.
func (r *reading) leftPassword(ctx context.Context, s password.State, wanted string) (password.Leftover, error) {
	none, at := password.Leftover{}, r.Observation.Endpoint
	if s.Latest() != "" || wanted != "" || r.Want.GetConnection() == nil || r.Observation.Login.GetCloudManaged() {
		return none, nil
	}
	found, err := r.connections.Connection(ctx, r.Object, r.Want.GetConnection().SecretName)
	if err != nil || found.Presence == binding.Missing {
		return none, err
	}
	secret := found.Secret
	left := string(secret.Data["password"])
	if !binding.Owns(r.Kind, r.Object, secret) || left == "" {
		return none, nil // it is not ours, or has no password
	}
	if at.Host == "" {
		return password.Leftover{Undecided: true}, nil
	}
	_, data := r.Kind.Binding(r.Want, r.Cloud(), at, left)
	if string(data["host"]) != string(secret.Data["host"]) || string(data["username"]) != string(secret.Data["username"]) {
		return none, nil
	}
	r.KeepSecret(left)
	return password.Leftover{Password: left}, nil
}
