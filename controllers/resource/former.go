package resource

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// secretGrace is how long a connection Secret is kept, and kept up to date, after the spec named another: applications that use it
// have that long to move to the new one.
const secretGrace = 24 * time.Hour

// mostFormer is how many Secrets of former names are kept, so that no object makes more work with each new name.
const mostFormer = 4

// bindSecret notes that the connection Secret of this name is written. The one before it becomes a former one.
func (t *turn) bindSecret(name string) {
	before := t.status.Binding
	t.status.Binding = &v1alpha1.Binding{Name: name}
	if before == nil || before.Name == name {
		return
	}
	t.status.FormerSecrets = slices.DeleteFunc(t.status.FormerSecrets, func(f v1alpha1.FormerSecret) bool {
		return f.Name == name || f.Name == before.Name
	})
	t.status.FormerSecrets = append(t.status.FormerSecrets, v1alpha1.FormerSecret{
		Name: before.Name, KeptUntil: metav1.NewTime(t.now.Add(secretGrace).Truncate(time.Second)),
	})
	t.onceStored(v1alpha1.EventConnectionMoved,
		"wrote the connection Secret %s; Secret %s is kept up to date for 24 hours and then deleted, so point its users to the new one", name, before.Name)
}

// refreshFormer brings the Secrets of former names up to date, so that a new password reaches those who still use them. One that
// somebody deleted stays deleted.
func (r *Reconciler) refreshFormer(ctx context.Context, t *turn, wanted string, kind corev1.SecretType, data map[string][]byte) error {
	for _, name := range t.published(nil) {
		if name == wanted {
			continue
		}
		secret, err := r.connectionSecret(ctx, t, name)
		if err != nil {
			return err
		}
		if secret.Name == "" || !r.mine(secret, t) {
			continue
		}
		if _, _, err := r.writeSecret(ctx, t, name, kind, data); err != nil { // a refusal is nobody's concern any more
			return err
		}
	}
	return nil
}

// dropExpired deletes the Secrets of former names whose time is over, and the oldest of too many.
func (r *Reconciler) dropExpired(ctx context.Context, t *turn, wanted string) error {
	former := t.status.FormerSecrets
	for len(former) > 0 && (len(former) > mostFormer || !t.now.Before(former[0].KeptUntil.Time)) {
		name := former[0].Name
		if name != wanted {
			if err := r.dropSecret(ctx, t, name); err != nil {
				return err
			}
			t.onceStored(v1alpha1.EventConnectionRemoved, "deleted the connection Secret %s: spec.connection.secretName names another", name)
		}
		former = former[1:]
	}
	t.status.FormerSecrets = slices.Clip(former)
	if len(former) == 0 {
		t.status.FormerSecrets = nil
	}
	return nil
}

// unpublish deletes all connection Secrets of an object whose spec asks for none.
func (r *Reconciler) unpublish(ctx context.Context, t *turn) error {
	names := t.published(nil)
	for _, name := range names {
		if err := r.dropSecret(ctx, t, name); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		t.onceStored(v1alpha1.EventConnectionRemoved, "deleted the connection Secret %s: the spec has no connection any more", strings.Join(names, ", "))
	}
	t.status.Binding, t.status.FormerSecrets = nil, nil
	return nil
}

// mine reports whether a Secret was made for this object, under whatever uid: its labels say so, and its type is that of a
// connection. Anybody can write the labels on a Secret of another type.
func (r *Reconciler) mine(secret *corev1.Secret, t *turn) bool {
	return strings.HasPrefix(string(secret.Type), "servicebinding.io/") && r.labelled(secret, t)
}

// labelled reports whether a Secret's labels say that it was made for this object.
func (r *Reconciler) labelled(secret client.Object, t *turn) bool {
	labels := secret.GetLabels()
	return labels[v1alpha1.LabelKind] == r.Kind.Name && labels[v1alpha1.LabelName] == t.obj.GetName()
}
