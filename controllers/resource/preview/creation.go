package preview

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
)

// Creation returns what a new object will not have, or will have, that its user may regret. Of an object that adopts or observes what exists it
// says nothing.
func (p *Preview) Creation(ctx context.Context, obj v1alpha1.ResourceObject) (Report, error) {
	m, err := p.merge(ctx, obj)
	if err != nil {
		return Report{}, err
	}
	_, adopts := obj.GetAnnotations()[v1alpha1.AnnotationAdoptFrom]
	if adopts || m.policy.Management == v1alpha1.ManagementObserve || obj.GetResourceSpec().Adoption == v1alpha1.AdoptionIfExists {
		return Report{}, nil
	}
	required, others, err := p.unset(ctx, m)
	if err != nil {
		return Report{}, err
	}
	lines := required
	if p.Kind.CreationWarnings != nil {
		lines = append(lines, p.Kind.CreationWarnings(m.want)...)
	}
	return Report{Regrets: append(lines, others...)}, nil
}

// unset returns what the cloud makes of fields that neither the spec nor the class sets. Without those that are required it creates nothing.
func (p *Preview) unset(ctx context.Context, m merged) (required, others []string, err error) {
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
	for _, u := range p.described(provider).Consequences.Unset {
		line := fmt.Sprintf("spec.%s is not set: %s", u.Field, u.Means)
		switch {
		case !u.Matters(spec):
		case u.Required:
			required = append(required, line)
		default:
			others = append(others, line)
		}
	}
	return required, others, nil
}
