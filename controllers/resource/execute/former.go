package execute

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// secretGrace is how long a connection Secret is kept, and kept up to date, after the spec named another: applications that use it
// have that long to move to the new one.
const secretGrace = 24 * time.Hour

// onceStored has a Normal Event recorded once the status is stored: what is done again after a crash is told once.
func (w *publishing) onceStored(reason, format string, args ...any) {
	n := outcome.Normal(reason, format, args...)
	n.OnceStored = true
	w.done.Notes = append(w.done.Notes, n)
}

// bindSecret notes that the connection Secret of this name is written. The one before it becomes a former one.
func (w *publishing) bindSecret(name string) {
	before := w.done.Binding
	w.done.Binding = &v1alpha1.Binding{Name: name}
	if before == nil || before.Name == name {
		return
	}
	w.done.Former = slices.DeleteFunc(w.done.Former, func(f v1alpha1.FormerSecret) bool {
		return f.Name == name || f.Name == before.Name
	})
	w.done.Former = append(w.done.Former, v1alpha1.FormerSecret{
		Name: before.Name, KeptUntil: metav1.NewTime(w.Now.Add(secretGrace).Truncate(time.Second)),
	})
	w.onceStored(v1alpha1.EventConnectionMoved,
		"wrote the connection Secret %s; Secret %s is kept up to date for 24 hours and then deleted, so point its users to the new one", name, before.Name)
}

// names returns the names of the Secrets that are published, the former ones included.
func (w *publishing) names() (names []string) {
	if w.done.Binding != nil {
		names = append(names, w.done.Binding.Name)
	}
	for _, former := range w.done.Former {
		names = append(names, former.Name)
	}
	return names
}

// refreshFormer brings the Secrets of former names up to date, so that a new password reaches those who still use them. One that
// somebody deleted stays deleted.
func (w *publishing) refreshFormer(ctx context.Context, wanted string, kind corev1.SecretType, data map[string][]byte) error {
	for _, name := range w.names() {
		if name == wanted {
			continue
		}
		found, err := w.Connections.Get(name)
		if err != nil {
			return err
		}
		if found.Presence == credential.Missing || !credential.Owns(w.Kind, w.Object, found.Secret) {
			continue
		}
		if _, _, err := w.write(ctx, name, kind, data); err != nil { // a refusal is nobody's concern any more
			return err
		}
	}
	return nil
}

// dropExpired deletes the Secrets of former names whose time is over, and the oldest of too many.
func (w *publishing) dropExpired(ctx context.Context, wanted string) error {
	expired, kept := plan.ExpiredSecrets(w.done.Former, w.Now)
	for _, former := range expired {
		if former.Name == wanted {
			continue
		}
		if err := w.drop(ctx, w.Object, former.Name, w.Connections); err != nil {
			return err
		}
		w.onceStored(v1alpha1.EventConnectionRemoved, "deleted the connection Secret %s: spec.connection.secretName names another", former.Name)
	}
	w.done.Former = slices.Clip(kept)
	if len(kept) == 0 {
		w.done.Former = nil
	}
	return nil
}

// unpublish deletes all connection Secrets of an object whose spec asks for none.
func (w *publishing) unpublish(ctx context.Context) error {
	names := w.names()
	for _, name := range names {
		if err := w.drop(ctx, w.Object, name, w.Connections); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		w.onceStored(v1alpha1.EventConnectionRemoved, "deleted the connection Secret %s: the spec has no connection any more", strings.Join(names, ", "))
	}
	w.done.Binding, w.done.Former = nil, nil
	return nil
}
