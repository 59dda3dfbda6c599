package binding

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// A publishing brings connection Secrets up to date. It reads nothing: a Secret that was not read is neither written nor deleted.
type publishing struct {
	*binding
	*reconciliation.State
	part
	// refused is why the Secret can't be written, if only a person can change that.
	refused *identity.ValidationError
}

// publish keeps the connection Secret as it should be. What it did holds also beside an error.
func (b *binding) publish(ctx context.Context, w feature.Work, out outcome.Outcome) (outcome.Outcome, error) {
	p := &publishing{binding: b, State: w.Reconciliation()}
	if p.part = place.In(p.Parts); p.unread != nil {
		return out, p.unread
	}
	err := p.publish(ctx)
	place.Set(&p.Parts, p.part)
	if err == nil && p.refused != nil {
		out = unpublished(out, p.refused)
	}
	return out, err
}

func (p *publishing) publish(ctx context.Context) error {
	wanted := p.Want.GetConnection()
	if wanted == nil {
		return p.unpublish(ctx)
	}
	if err := p.dropExpired(ctx, wanted.SecretName); err != nil {
		return err
	}
	if !Usable(*p.State) {
		return nil
	}
	login := p.password(*p.State)
	switch {
	case p.login == nil:
	case login.Managed && p.Observation.Endpoint.PasswordSecret == "":
		return nil // until the cloud manages it, the Secret has the password of before
	case !login.Managed && (!login.Read || login.Value == ""):
		return nil
	}
	kind, data := p.kind.Binding(p.Want, p.Cloud(), p.Observation.Endpoint, login.Value)
	p.KeepSecret(string(data["uri"]), url.QueryEscape(login.Value))
	secret, refused, err := p.write(ctx, wanted.SecretName, kind, data)
	if err != nil {
		return err
	}
	if refused == nil {
		p.bindSecret(wanted.SecretName)
		p.remember(secret, login.Changing)
	}
	p.refused = refused
	return p.refreshFormer(ctx, wanted.SecretName, kind, data)
}

// drop deletes the Secrets that may have been made for an object: one is written before the status tells of it. They stay with a cloud object that stays.
func (b *binding) drop(ctx context.Context, w feature.Work, stays bool) error {
	if stays {
		return nil
	}
	in := w.Reconciliation()
	p := &publishing{binding: b, State: in, part: place.In(in.Parts)}
	for _, name := range plan.ConnectionSecrets(p.Status(), p.Want.GetConnection()) {
		if err := p.dropSecret(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// dropSecret deletes a Secret of the object's namespace if it was made for the object.
func (p *publishing) dropSecret(ctx context.Context, name string) error {
	found, err := p.connections.Get(name)
	if err != nil {
		return err
	}
	secret := found.Secret
	if found.Presence == Missing || !Owns(p.kind, p.Object, secret) {
		return nil
	}
	if err := client.IgnoreNotFound(p.writer.Delete(ctx, secret.DeepCopy(), client.Preconditions{UID: &secret.UID})); err != nil {
		return fmt.Errorf("delete the connection Secret %s: %w", name, err)
	}
	return nil
}

// write makes or mends a Secret, and returns it. If only a person can mend what keeps it from being written, it returns that.
func (p *publishing) write(
	ctx context.Context, name string, kind corev1.SecretType, data map[string][]byte,
) (secret *corev1.Secret, refused *identity.ValidationError, err error) {
	found, err := p.connections.Get(name)
	if err != nil {
		return nil, nil, err
	}
	secret = found.Secret.DeepCopy()
	data = p.withCertificates(found, data)
	known := Remembered.In(p.Memory.Parts)
	known.Unwritten = ""
	Remembered.Set(&p.Memory.Parts, known)
	uid := string(p.Object.GetUID())
	switch {
	case found.Presence == Missing:
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: p.Object.GetNamespace(), Name: name, Labels: map[string]string{
				v1alpha1.LabelKind: p.kind.Name, v1alpha1.LabelName: p.Object.GetName(), v1alpha1.LabelUID: uid,
			}},
			Type: kind, Data: data,
		}
		err = p.writer.Create(ctx, secret)
		if apierrors.IsAlreadyExists(err) {
			return nil, nil, outcome.ErrStale
		}
	case !Owns(p.kind, p.Object, secret) || secret.Type != kind:
		return nil, notOwned(name), nil
	case maps.EqualFunc(secret.Data, data, slices.Equal[[]byte]) && secret.Labels[v1alpha1.LabelUID] == uid:
		return secret, nil, nil
	default:
		secret.Data = data
		secret.Labels[v1alpha1.LabelUID] = uid
		err = p.writer.Update(ctx, secret)
	}
	if refused := refusedForGood(secret, err, p.Redact); refused != nil {
		return nil, refused, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write the connection Secret %s: %w", name, err)
	}
	return secret, nil, nil
}

// remember notes what the connection Secret of a login holds, unless the password is about to change.
func (p *publishing) remember(secret *corev1.Secret, changing bool) {
	Forget(&p.Memory)
	if p.login == nil || changing || secret.ResourceVersion == "" {
		return
	}
	kind, data := p.kind.Binding(p.Want, p.Cloud(), p.Observation.Endpoint, "")
	p.holds = &ConnectionSecret{Name: secret.Name, Version: secret.ResourceVersion, Kind: kind, Data: data, Checked: p.Now}
}

// withCertificates returns the content of a Secret, with the certificates that it has if no others are known: a client that lost them could not tell the
// server from another.
func (p *publishing) withCertificates(found Connection, data map[string][]byte) map[string][]byte {
	if !p.keepsCertificates || found.Presence != Present || len(found.Secret.Data[kind.KeyCertificates]) == 0 {
		return data
	}
	data = maps.Clone(data)
	data[kind.KeyCertificates] = found.Secret.Data[kind.KeyCertificates]
	return data
}
