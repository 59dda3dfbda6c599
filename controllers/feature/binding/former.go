package binding

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// secretGrace is how long a connection Secret is kept, and kept up to date, after the spec named another: applications that use it
// have that long to move to the new one.
const secretGrace = 24 * time.Hour

// mostFormerSecrets is how many connection Secrets of former names are kept, so that no object makes more work with each new name.
const mostFormerSecrets = 4

// expiredSecrets returns the connection Secrets of former names whose time is over, with the oldest of too many, and those that are kept.
func expiredSecrets(former []v1alpha1.FormerSecret, now time.Time) (expired, kept []v1alpha1.FormerSecret) {
	n := 0
	for n < len(former) && (len(former)-n > mostFormerSecrets || !now.Before(former[n].KeptUntil.Time)) {
		n++
	}
	return former[:n:n], former[n:]
}

// onceStored has a Normal Event recorded once the status is stored: what is done again after a crash is told once.
func (p *publishing) onceStored(reason, format string, args ...any) {
	n := outcome.Normal(reason, format, args...)
	n.OnceStored = true
	p.Notes = append(p.Notes, n)
}

// bindSecret notes that the connection Secret of this name is written. The one before it becomes a former one.
func (p *publishing) bindSecret(name string) {
	status := p.Status()
	before := status.Binding
	status.Binding = &v1alpha1.Binding{Name: name}
	if before == nil || before.Name == name {
		return
	}
	status.FormerSecrets = slices.DeleteFunc(slices.Clone(status.FormerSecrets), func(f v1alpha1.FormerSecret) bool {
		return f.Name == name || f.Name == before.Name
	})
	status.FormerSecrets = append(status.FormerSecrets, v1alpha1.FormerSecret{
		Name: before.Name, KeptUntil: metav1.NewTime(p.Now.Add(secretGrace).Truncate(time.Second)),
	})
	p.onceStored(v1alpha1.EventConnectionMoved,
		"wrote the connection Secret %s; Secret %s is kept up to date for 24 hours and then deleted, so point its users to the new one", name, before.Name)
}

// names returns the names of the Secrets that are published, the former ones included.
func (p *publishing) names() (names []string) {
	if p.Status().Binding != nil {
		names = append(names, p.Status().Binding.Name)
	}
	for _, former := range p.Status().FormerSecrets {
		names = append(names, former.Name)
	}
	return names
}

// refreshFormer brings the Secrets of former names up to date, so that a new password reaches those who still use them. One that
// somebody deleted stays deleted.
func (p *publishing) refreshFormer(ctx context.Context, wanted string, kind corev1.SecretType, data map[string][]byte) error {
	for _, name := range p.names() {
		if name == wanted {
			continue
		}
		found, err := p.connections.Get(name)
		if err != nil {
			return err
		}
		if found.Presence == Missing || !Owns(p.kind, p.Object, found.Secret) {
			continue
		}
		if _, _, err := p.write(ctx, name, kind, data); err != nil { // a refusal is nobody's concern any more
			return err
		}
	}
	return nil
}

// dropExpired deletes the Secrets of former names whose time is over, and the oldest of too many.
func (p *publishing) dropExpired(ctx context.Context, wanted string) error {
	expired, kept := expiredSecrets(p.Status().FormerSecrets, p.Now)
	for _, former := range expired {
		if former.Name == wanted {
			continue
		}
		if err := p.dropSecret(ctx, former.Name); err != nil {
			return err
		}
		p.onceStored(v1alpha1.EventConnectionRemoved, "deleted the connection Secret %s: spec.connection.secretName names another", former.Name)
	}
	p.Status().FormerSecrets = slices.Clip(kept)
	if len(kept) == 0 {
		p.Status().FormerSecrets = nil
	}
	return nil
}

// unpublish deletes all connection Secrets of an object whose spec asks for none.
func (p *publishing) unpublish(ctx context.Context) error {
	names := p.names()
	for _, name := range names {
		if err := p.dropSecret(ctx, name); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		p.onceStored(v1alpha1.EventConnectionRemoved, "deleted the connection Secret %s: the spec has no connection any more", strings.Join(names, ", "))
	}
	p.Status().Binding, p.Status().FormerSecrets = nil, nil
	return nil
}
