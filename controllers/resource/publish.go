package resource

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
)

// publish keeps the connection Secret as it should be: a projection of what was seen and of the password Secret. A Secret of a former name
// is kept so for a while: see former.go.
func (r *Reconciler) publish(ctx context.Context, t *turn, out outcome.Outcome) (outcome.Outcome, error) {
	wanted := t.want.GetConnection()
	if wanted == nil {
		return out, r.unpublish(ctx, t)
	}
	if err := r.dropExpired(ctx, t, wanted.SecretName); err != nil {
		return out, err
	}
	if !t.seen.Available || plan.Ownership(t.view, t.seen) != plan.Ours || t.unmade {
		return out, nil
	}
	password, done, err := r.passwordToPublish(ctx, t, wanted.SecretName)
	if done || err != nil {
		return out, err
	}
	kind, data := r.Kind.Binding(t.want, &t.conn.Cloud, t.seen.Endpoint, password)
	t.knows(string(data["uri"]), url.QueryEscape(password))
	secret, refused, err := r.writeSecret(ctx, t, wanted.SecretName, kind, data)
	if err != nil {
		return out, err
	}
	if refused == nil {
		t.bindSecret(wanted.SecretName)
		r.rememberPublished(t, secret)
	}
	if err := r.refreshFormer(ctx, t, wanted.SecretName, kind, data); err != nil {
		return out, err
	}
	if refused != nil {
		out = unpublished(out, refused)
	}
	return out, nil
}

// unpublished makes an outcome that of an object whose connection Secret can't be written, which a person has to mend.
func unpublished(out outcome.Outcome, refused *identity.ValidationError) outcome.Outcome {
	switch out.State {
	case condition.Stalled, condition.EditWaits, condition.DriftWaits: // that is still so
		out.Message = refused.Message + "; " + out.Message
	default:
		out.Message = refused.Message
	}
	if out.State != condition.Stalled {
		out.Reason = refused.Reason
	}
	if out.Next != outcome.Polling { // the cloud is at work, and what comes of that is to be seen
		out.Next = outcome.AtSync
	}
	out.State, out.KeepConditions = condition.Stalled, false
	return out
}

func takenBySomebody(secret string) *identity.ValidationError {
	return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: fmt.Sprintf(
		"a Secret %s exists and does not belong to this object; change spec.connection.secretName, or delete the Secret if nobody needs it", secret)}
}

// connectionSecret reads a Secret of the object's namespace; it is empty if there is none.
func (r *Reconciler) connectionSecret(ctx context.Context, t *turn, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: t.obj.GetNamespace(), Name: name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read the connection Secret %s: %w", name, err)
	}
	return secret, nil
}

// secretType is the type of the object's connection Secret. It never changes, and no API server lets it.
func (r *Reconciler) secretType(t *turn) corev1.SecretType {
	kind, _ := r.Kind.Binding(t.want, &t.conn.Cloud, driver.Endpoint{}, "")
	return kind
}

// mayPublish refuses to go on if the connection Secret is somebody else's: a password that nobody could be told is not set.
func (r *Reconciler) mayPublish(ctx context.Context, t *turn) error {
	wanted := t.want.GetConnection()
	if wanted == nil {
		return nil
	}
	secret, err := r.connectionSecret(ctx, t, wanted.SecretName)
	if err == nil && secret.Name == "" {
		t.mem.unwritten = wanted.SecretName
	}
	if err != nil || secret.Name == "" || r.mine(secret, t) && secret.Type == r.secretType(t) {
		return err
	}
	return takenBySomebody(wanted.SecretName)
}

// writeSecret makes or mends a Secret, and returns it. If only a person can mend what keeps it from being written, it returns that.
func (r *Reconciler) writeSecret(
	ctx context.Context, t *turn, name string, kind corev1.SecretType, data map[string][]byte,
) (secret *corev1.Secret, refused *identity.ValidationError, err error) {
	secret = &corev1.Secret{}
	if t.mem.unwritten != name {
		secret, err = r.connectionSecret(ctx, t, name)
	}
	t.mem.unwritten = ""
	switch {
	case err != nil:
		return nil, nil, err
	case secret.Name == "":
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.obj.GetNamespace(), Name: name, Labels: r.labels(t)},
			Type:       kind, Data: data,
		}
		err = r.Client.Create(ctx, secret)
		if apierrors.IsAlreadyExists(err) {
			return nil, nil, outcome.ErrStale
		}
	case !r.mine(secret, t) || secret.Type != kind:
		return nil, takenBySomebody(name), nil
	case maps.EqualFunc(secret.Data, data, slices.Equal[[]byte]) && secret.Labels[v1alpha1.LabelUID] == string(t.obj.GetUID()):
		return secret, nil, nil
	default:
		secret.Data = data
		secret.Labels[v1alpha1.LabelUID] = string(t.obj.GetUID())
		err = r.Client.Update(ctx, secret)
	}
	if refused := refusedForGood(secret, err, t.redact); refused != nil {
		return nil, refused, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write the connection Secret %s: %w", name, err)
	}
	return secret, nil, nil
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

// dropSecret deletes a Secret of the object's namespace if it was made for the object.
func (r *Reconciler) dropSecret(ctx context.Context, t *turn, name string) error {
	secret, err := r.connectionSecret(ctx, t, name)
	if err != nil {
		return err
	}
	if secret.Name != "" && r.mine(secret, t) {
		err = r.Client.Delete(ctx, secret, client.Preconditions{UID: &secret.UID})
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete the connection Secret %s: %w", name, err)
	}
	return nil
}

// published returns the names of the Secrets that may have been made: one is written before the status tells of it.
func (t *turn) published(wanted *v1alpha1.Connection) []string {
	return plan.ConnectionSecrets(t.status, wanted)
}

// dropSecrets deletes what was kept for an object that goes: the connection Secret, unless the cloud
// object stays, and the password Secret.
func (r *Reconciler) dropSecrets(ctx context.Context, t *turn, stays bool) error {
	if !stays {
		for _, name := range t.published(t.want.GetConnection()) {
			if err := r.dropSecret(ctx, t, name); err != nil {
				return err
			}
		}
	}
	if !r.Kind.Login {
		return nil
	}
	return r.passwords().Delete(ctx, t.obj.GetUID())
}
