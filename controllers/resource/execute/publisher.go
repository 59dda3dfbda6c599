package execute

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Publisher keeps connection Secrets as they should be: a projection of what was observed and of the password Secret. A Secret of a
// former name is kept so for a while. It reads nothing: what it writes is guarded by the resourceVersion, and what it deletes by the uid, of
// the Secret that was read before the action was planned for.
type Publisher struct {
	Writer client.Writer
	Kind   *kind.Kind
}

// A Publication is what a connection Secret is made of.
type Publication struct {
	// Object is what the Secret belongs to, and Want the same with its class merged in.
	Object, Want v1alpha1.ResourceObject
	Cloud        *driver.Description
	Observation  driver.Observation
	// Usable: the cloud object is this object's and works, and it has all that the Secret names.
	Usable bool
	// Password is what is known of the password, if PasswordKnown; else its Secret was not read, because the connection Secret is as it was,
	// or no password is known to be set yet.
	Password      password.State
	PasswordKnown bool
	// Connections are connection Secrets as they were read. One that was not read is neither written nor deleted.
	Connections credential.Connections
	// KeepsCertificates: the authorities of the server are not known, so a Secret keeps those that it has.
	KeepsCertificates bool
	Now               time.Time
	Redact            func(string) string
}

// A Published says what came of a Publication. It holds for what was done, also beside an error.
type Published struct {
	Memory credential.Memory
	// Binding and Former are what the status should say of connection Secrets.
	Binding *v1alpha1.Binding
	Former  []v1alpha1.FormerSecret
	// Current is what the connection Secret holds, as it was found or written; nil if the password is about to change. It counts once the
	// status is stored, which says that the server has the password.
	Current *credential.ConnectionSecret
	Notes   []outcome.Note
	// Refused is why the Secret can't be written, if only a person can change that.
	Refused *identity.ValidationError
	// Secrets are values that must never be shown.
	Secrets []string
}

// A publishing is a Publication while it is carried out.
type publishing struct {
	*Publisher
	Publication
	done Published
}

func (p *Publisher) begin(in Publication, memory credential.Memory) *publishing {
	status := in.Object.GetResourceStatus()
	return &publishing{p, in, Published{
		Memory: memory, Binding: status.Binding.DeepCopy(), Former: slices.Clone(status.FormerSecrets),
	}}
}

// Publish brings connection Secrets up to date.
func (p *Publisher) Publish(ctx context.Context, in Publication, memory credential.Memory) (Published, error) {
	w := p.begin(in, memory)
	err := w.publish(ctx)
	return w.done, err
}

func (w *publishing) publish(ctx context.Context) error {
	wanted := w.Want.GetConnection()
	if wanted == nil {
		return w.unpublish(ctx)
	}
	if err := w.dropExpired(ctx, wanted.SecretName); err != nil {
		return err
	}
	if !w.Usable {
		return nil
	}
	value := w.Password.InForce()
	switch {
	case !w.Kind.Login:
	case plan.CloudManages(w.Kind, w.Want):
		if value = ""; w.Observation.Endpoint.PasswordSecret == "" {
			return nil // until the cloud manages it, the Secret has the password of before
		}
	case !w.PasswordKnown || value == "":
		return nil
	}
	kind, data := w.Kind.Binding(w.Want, w.Cloud, w.Observation.Endpoint, value)
	w.done.Secrets = append(w.done.Secrets, string(data["uri"]), url.QueryEscape(value))
	secret, refused, err := w.write(ctx, wanted.SecretName, kind, data)
	if err != nil {
		return err
	}
	if refused == nil {
		w.bindSecret(wanted.SecretName)
		w.remember(secret)
	}
	w.done.Refused = refused
	return w.refreshFormer(ctx, wanted.SecretName, kind, data)
}

// Drop deletes the Secrets that may have been made for an object: one is written before the status tells of it.
func (p *Publisher) Drop(ctx context.Context, object, want v1alpha1.ResourceObject, read credential.Connections) error {
	for _, name := range plan.ConnectionSecrets(object.GetResourceStatus(), want.GetConnection()) {
		if err := p.drop(ctx, object, name, read); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes a Secret of the object's namespace if it was made for the object.
func (p *Publisher) drop(ctx context.Context, object v1alpha1.ResourceObject, name string, read credential.Connections) error {
	found, err := read.Get(name)
	if err != nil {
		return err
	}
	secret := found.Secret
	if found.Presence == credential.Missing || !credential.Owns(p.Kind, object, secret) {
		return nil
	}
	if err := client.IgnoreNotFound(p.Writer.Delete(ctx, secret.DeepCopy(), client.Preconditions{UID: &secret.UID})); err != nil {
		return fmt.Errorf("delete the connection Secret %s: %w", name, err)
	}
	return nil
}

// write makes or mends a Secret, and returns it. If only a person can mend what keeps it from being written, it returns that.
func (w *publishing) write(
	ctx context.Context, name string, kind corev1.SecretType, data map[string][]byte,
) (secret *corev1.Secret, refused *identity.ValidationError, err error) {
	found, err := w.Connections.Get(name)
	if err != nil {
		return nil, nil, err
	}
	secret = found.Secret.DeepCopy()
	data = w.withCertificates(found, data)
	w.done.Memory.Unwritten = ""
	uid := string(w.Object.GetUID())
	switch {
	case found.Presence == credential.Missing:
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Object.GetNamespace(), Name: name, Labels: map[string]string{
				v1alpha1.LabelKind: w.Kind.Name, v1alpha1.LabelName: w.Object.GetName(), v1alpha1.LabelUID: uid,
			}},
			Type: kind, Data: data,
		}
		err = w.Writer.Create(ctx, secret)
		if apierrors.IsAlreadyExists(err) {
			return nil, nil, outcome.ErrStale
		}
	case !credential.Owns(w.Kind, w.Object, secret) || secret.Type != kind:
		return nil, credential.NotOwned(name), nil
	case maps.EqualFunc(secret.Data, data, slices.Equal[[]byte]) && secret.Labels[v1alpha1.LabelUID] == uid:
		return secret, nil, nil
	default:
		secret.Data = data
		secret.Labels[v1alpha1.LabelUID] = uid
		err = w.Writer.Update(ctx, secret)
	}
	if refused := refusedForGood(secret, err, w.redact); refused != nil {
		return nil, refused, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write the connection Secret %s: %w", name, err)
	}
	return secret, nil, nil
}

// remember notes what the connection Secret holds, unless the password is about to change.
func (w *publishing) remember(secret *corev1.Secret) {
	w.done.Memory.Published = nil
	if !w.Kind.Login || w.Password.Pending() != "" || secret.ResourceVersion == "" {
		return
	}
	kind, data := w.Kind.Binding(w.Want, w.Cloud, w.Observation.Endpoint, "")
	w.done.Current = &credential.ConnectionSecret{Name: secret.Name, Version: secret.ResourceVersion, Kind: kind, Data: data, Checked: w.Now}
}

// withCertificates returns the content of a Secret, with the certificates that it has if no others are known: a client that lost them could not tell the
// server from another.
func (w *publishing) withCertificates(found credential.Connection, data map[string][]byte) map[string][]byte {
	if !w.KeepsCertificates || found.Presence != credential.Present || len(found.Secret.Data[kind.KeyCertificates]) == 0 {
		return data
	}
	data = maps.Clone(data)
	data[kind.KeyCertificates] = found.Secret.Data[kind.KeyCertificates]
	return data
}

// redact cuts secret values out of a message, those of this publication too.
func (w *publishing) redact(message string) string {
	return driver.Redact(w.Redact(message), w.done.Secrets...)
}

// refusedForGood returns what to tell a person if the API server will not take a Secret, however often it is asked; nil if asking
// again may help.
func refusedForGood(secret *corev1.Secret, err error, redact func(string) string) *identity.ValidationError {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause): // the object goes too
		return nil
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsRequestEntityTooLargeError(err), apierrors.IsBadRequest(err):
	default:
		return nil
	}
	// It is shortened once it is redacted: a secret that is cut in two would not be recognized.
	message := fmt.Sprintf("the API server refuses to store the connection Secret %s: %.500s; ", secret.Name, redact(err.Error()))
	if secret.Immutable != nil && *secret.Immutable {
		message += "the Secret is immutable: delete it, and Mooring writes it again, or change spec.connection.secretName"
	} else {
		message += "change what refuses it (a policy, a quota or a limit), or spec.connection.secretName"
	}
	return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotWritten, Message: message}
}
