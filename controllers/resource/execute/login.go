package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// PasswordCheck is how often the password Secret is read of a database that is as declared, and whose connection Secret nobody changed
// since the password Secret was read.
const PasswordCheck = time.Hour

// A Login is what one reconciliation knows of the password of its object's server.
type Login struct {
	// Secret is the password Secret as it was read or last stored.
	Secret *password.Secret
	State  password.State
}

// A ConnectionSecret is what a connection Secret held when it was found to be, or written, as it should be. There is no password in it.
type ConnectionSecret struct {
	Name, Version string
	Kind          corev1.SecretType
	// Data is the content for an empty password.
	Data map[string][]byte
	// Checked is when the password Secret was read.
	Checked time.Time
}

// Logins reads what the password of an object's server comes from.
type Logins struct {
	Reader client.Reader
	Store  *password.Store
	Kind   *kind.Kind
}

func (l *Logins) owner(object v1alpha1.ResourceObject) password.Owner {
	return password.Owner{Kind: l.Kind.Name, Name: object.GetName(), UID: object.GetUID()}
}

// Read reads the password Secret of an object. sent is the serial that this process knows to be accepted.
func (l *Logins) Read(ctx context.Context, object v1alpha1.ResourceObject, sent int) (*Login, error) {
	secret, err := l.Store.Get(ctx, l.owner(object))
	if notOwned, ok := errors.AsType[*password.NotOwnedError](err); ok {
		return nil, &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: notOwned.Error()}
	}
	if err != nil {
		return nil, err
	}
	return NewLogin(secret, object.GetResourceStatus(), sent), nil
}

// Wanted returns the password that the spec names; empty if it names none. One that can't be used is refused here, before
// it is stored or sent. secrets are values that must never be shown. inForce is the password that the server is known to have.
func (l *Logins) Wanted(
	ctx context.Context, object, want v1alpha1.ResourceObject, described driver.Resource, spec driver.Spec, inForce string,
) (wanted string, secrets []string, err error) {
	c := want.GetCredentials()
	if c == nil || c.PasswordSecretRef == nil {
		return "", nil, nil
	}
	named := password.Reference{Secret: c.PasswordSecretRef.Name, Key: cmp.Or(c.PasswordSecretRef.Key, "password")}
	secret := &corev1.Secret{}
	err = l.Reader.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: named.Secret}, secret)
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
	if reason, message := named.Refuse(inForce); reason != "" {
		return "", secrets, &identity.ValidationError{Reason: reason, Message: message}
	}
	return named.Value, secrets, nil
}

// NewLogin returns what a password Secret and the status say together. Without a Secret nothing was sent.
func NewLogin(secret *password.Secret, status *v1alpha1.ResourceStatus, sent int) *Login {
	if !secret.Exists {
		sent = 0
	}
	return &Login{Secret: secret, State: password.State{Stored: secret.Stored, Accepted: plan.AcceptedPassword(status), Sent: sent}}
}

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
		if w.done.Login, err = w.Logins.Read(ctx, w.Object, w.PasswordSent); err != nil {
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
	secret, err := w.Read(ctx, w.Object, name)
	return err == nil && secret.ResourceVersion == before.Version, err
}

// remember notes what the connection Secret holds, unless the password is about to change.
func (w *publishing) remember(secret *corev1.Secret) {
	w.done.Memory.Published = nil
	if !w.Kind.Login || w.done.Login.State.Pending() != "" || secret.ResourceVersion == "" {
		return
	}
	kind, data := w.Kind.Binding(w.Want, w.Cloud, w.Observation.Endpoint, "")
	w.done.Current = &ConnectionSecret{Name: secret.Name, Version: secret.ResourceVersion, Kind: kind, Data: data, Checked: w.Now}
}

// PasswordChecked reports whether the password Secret needs no look: it was read lately, it had nothing to be sent or confirmed, and
// nothing asks for another password since.
func (m Memory) PasswordChecked(want v1alpha1.ResourceObject, status *v1alpha1.ResourceStatus, o driver.Observation, now time.Time) bool {
	before := m.Published
	if before == nil || now.Sub(before.Checked) >= PasswordCheck || o.State != driver.Ready || o.PasswordRefused {
		return false
	}
	c := want.GetCredentials()
	return (c == nil || c.PasswordSecretRef == nil) && len(status.FormerSecrets) == 0
}
