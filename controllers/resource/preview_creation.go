package resource

import (
	"context"
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A LifecyclePreview says in advance what the creation and the deletion of objects of one kind do, from what is stored. It reads from a cache,
// calls no cloud and writes nothing.
type LifecyclePreview struct {
	Kind    *kind.Kind
	Classes *class.Resolver
	// Drivers are the clouds, by their name. They are asked for what is known without an account.
	Drivers map[string]driver.Driver
	// Provider returns the cloud that a provider config leads to, empty if there is no such config.
	Provider func(context.Context, identity.Key) (string, error)
	// Observed returns when this process last observed an object's cloud object; false if it did not.
	Observed func(client.ObjectKey) (time.Time, bool)
}

// A merged is an object as the reconciler would see it.
type merged struct {
	// want is the object with its class merged in.
	want   v1alpha1.ResourceObject
	policy plan.Policy
	// class is nil if the object goes by none.
	class *class.Resolution
	// config leads to the account; zero if that is not known.
	config identity.Key
}

func (p *LifecyclePreview) merge(ctx context.Context, obj v1alpha1.ResourceObject) (m merged, err error) {
	if ref := obj.GetResourceSpec().ProviderConfigRef; ref != nil {
		return merged{want: obj, policy: plan.PolicyOf(p.Kind, obj), config: identity.KeyOf(ref, obj.GetNamespace())}, nil
	}
	if m.class, err = p.Classes.Resolve(ctx, obj); err != nil {
		return m, fmt.Errorf("find the class: %w", err)
	}
	if found := m.class.Config; found != nil {
		m.config = identity.KeyOfBound(*found, obj.GetNamespace())
	}
	m.want, m.policy, err = plan.WithClass(p.Kind, obj, m.class)
	return m, err
}

// enforced returns the fields on which the class insists.
func (m *merged) enforced() class.Fields {
	if m.class == nil {
		return nil
	}
	return m.class.Effective.Insists()
}

// consequences returns what a cloud says of deletions and creations; nothing if that cloud, or the kind in it, is not known.
func (p *LifecyclePreview) consequences(provider string) driver.Consequences {
	drv := p.Drivers[provider]
	if drv == nil {
		return driver.Consequences{}
	}
	description := drv.Describe()
	r, _ := description.Resource(p.Kind.Name)
	return r.Consequences
}

// mostOfCreation is how many lines a creation is worth, and how many more there are: who applies many objects reads no more.
const mostOfCreation = 3

// Creation returns what a new object will not have, or will have, that its user may regret: the dangerous first, a line each. Of an
// object that adopts or observes what exists it says nothing.
func (p *LifecyclePreview) Creation(ctx context.Context, obj v1alpha1.ResourceObject) ([]string, error) {
	m, err := p.merge(ctx, obj)
	if err != nil {
		return nil, err
	}
	_, adopts := obj.GetAnnotations()[v1alpha1.AnnotationAdoptFrom]
	if adopts || m.policy.Management == v1alpha1.ManagementObserve || obj.GetResourceSpec().Adoption == v1alpha1.AdoptionIfExists {
		return nil, nil
	}
	required, others, err := p.unset(ctx, m)
	if err != nil {
		return nil, err
	}
	lines := required
	if p.Kind.Regrets != nil {
		lines = append(lines, p.Kind.Regrets(m.want)...)
	}
	lines = append(lines, others...)
	if n := len(lines) - mostOfCreation; n > 0 {
		lines = append(lines[:mostOfCreation], fmt.Sprintf("and %d more", n))
	}
	return lines, nil
}

// unset returns what the cloud makes of fields that neither the spec nor the class sets. Without those that are required it creates nothing.
func (p *LifecyclePreview) unset(ctx context.Context, m merged) (required, others []string, err error) {
	if m.config == (identity.Key{}) {
		return nil, nil, nil
	}
	provider, err := p.Provider(ctx, m.config)
	if err != nil {
		return nil, nil, err
	}
	spec, err := class.TreeOf(m.want.GetParameters())
	if err != nil {
		return nil, nil, err
	}
	for _, u := range p.consequences(provider).Unset {
		line := fmt.Sprintf("spec.%s is not set: %s", u.Field, u.Means)
		switch {
		case class.Sets(spec, u.Field):
		case u.Required:
			required = append(required, line)
		default:
			others = append(others, line)
		}
	}
	return required, others, nil
}
