package preview

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Preview reports in advance what is done about objects of one kind.
type Preview struct {
	Kind    *kind.Kind
	Classes *class.Resolver
	// Drivers are the clouds, by their name. They are asked for what is known without an account.
	Drivers map[string]driver.Driver
	// Provider returns the cloud that a provider config leads to, empty if there is no such config.
	Provider func(context.Context, identity.Key) (string, error)
	// Children names the objects within one that keep it from being deleted; nil if there are none of any object.
	Children func(context.Context, v1alpha1.ResourceObject) ([]string, error)
	// Features are those of the kind.
	Features feature.Set
	// Observed returns when this process last observed an object's cloud object; false if it did not.
	Observed func(client.ObjectKey) (time.Time, bool)
	Now      func() time.Time
}

// A merged is an object as the reconciler would see it.
type merged struct {
	object v1alpha1.ResourceObject
	// want is the object with its class merged in.
	want   v1alpha1.ResourceObject
	policy plan.Policy
	// class is nil if the object goes by none.
	class *class.Resolution
	// config leads to the account; zero if that is not known.
	config identity.Key
	// lacks: it asks for something that its cloud does not have.
	lacks bool
	// refused is why nothing is changed; nil if nothing is in the way.
	refused *class.Problem
}

func (p *Preview) merge(ctx context.Context, object v1alpha1.ResourceObject) (m merged, err error) {
	if p.Kind.ParentName(object) != "" {
		m = merged{object: object, want: object, policy: plan.PolicyOf(p.Kind, object)}
		if bound := object.GetResourceStatus().ProviderConfigRef; bound != nil {
			m.config = identity.KeyOfBound(*bound, object.GetNamespace())
		}
		return m, nil
	}
	if ref := object.GetResourceSpec().ProviderConfigRef; ref != nil {
		m = merged{object: object, want: object, policy: plan.PolicyOf(p.Kind, object), config: identity.KeyOf(ref, object.GetNamespace())}
		spec, err := class.TreeOf(object.GetSpec())
		if err != nil {
			return m, err
		}
		m.lacks = len(class.Unsupported(p.described(object.GetResourceStatus().Provider).Lacks, spec)) > 0
		if m.config.Kind != identity.KindClusterProviderConfig {
			return m, nil
		}
		problems, err := p.Classes.ReferencesWithoutClass(ctx, object, m.config.Name)
		m.refused = m.policy.Refuse(problems)
		return m, err
	}
	m.object = object
	if m.class, err = p.Classes.Resolve(ctx, object); err != nil {
		return m, fmt.Errorf("find the class: %w", err)
	}
	if found := m.class.Config; found != nil {
		m.config = identity.KeyOfBound(*found, object.GetNamespace())
	}
	m.lacks = slices.ContainsFunc(m.class.Problems, func(p class.Problem) bool { return p.Lacks })
	m.want, m.policy, err = plan.WithClass(p.Kind, object, m.class)
	m.refused = m.policy.Refuse(m.class.Problems)
	return m, err
}

// state returns what features know of an object for which v is known and the cloud is expected to show seen.
func (p *Preview) state(m merged, v plan.View, seen driver.Observation) reconciliation.State {
	in := reconciliation.State{
		Facts:  outcome.Facts{Kind: p.Kind, Deleting: v.Deleting, Policy: m.policy, View: v, Observation: seen, Now: p.Now()},
		Object: m.object, Want: m.want, Described: p.described(m.object.GetResourceStatus().Provider),
	}
	p.Features.Expect(&in)
	return in
}

// refusedFor reports whether the condition of an object tells what is wrong with it by its class, or without one by its references.
func (m *merged) refusedFor(condition *metav1.Condition) bool {
	if condition == nil {
		return false
	}
	tells := func(refusal string) bool { return strings.Contains(condition.Message, refusal) }
	for _, kept := range m.policy.Kept {
		if tells(kept.Message) {
			return true
		}
	}
	return m.refused != nil && tells(m.refused.String())
}

// paused reports whether nothing is done about the object until a person removes the annotation.
func (m *merged) paused() bool {
	return m.object.GetAnnotations()[v1alpha1.AnnotationPaused] == "true"
}

// enforced returns the fields on which the class insists.
func (m *merged) enforced() class.Fields {
	if m.class == nil {
		return nil
	}
	return m.class.Effective.EnforcedFields()
}

// described returns what a cloud has of the kind; nothing if that cloud, or the kind in it, is not known.
func (p *Preview) described(provider string) driver.Resource {
	drv := p.Drivers[provider]
	if drv == nil {
		return driver.Resource{}
	}
	description := drv.Describe()
	r, _ := description.Resource(p.Kind.Name)
	return r
}

// changesOf returns what a cloud would change to make what is as the one spec says as the other says.
func (p *Preview) changesOf(provider string, from, to any, applied driver.Applied) ([]driver.Change, error) {
	drv := p.Drivers[provider]
	if drv == nil {
		return nil, nil
	}
	before, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(to)
	if err != nil {
		return nil, err
	}
	return drv.Preview(p.Kind.Name, before, after, applied)
}

// undriven says that this controller can't do anything in the cloud of an object; it returns nothing if it can.
func (p *Preview) undriven(provider string) string {
	if provider == "" {
		return "the cloud of this object is not known; nothing happens in the cloud until its provider config exists"
	}
	if p.Drivers[provider] == nil {
		return fmt.Sprintf("no driver for cloud %s is in this controller; nothing happens in the cloud until a controller with that driver runs", provider)
	}
	if p.described(provider).Kind == "" {
		return fmt.Sprintf("the driver for cloud %s has no kind %s; nothing happens in the cloud until a controller runs whose driver has it", provider, p.Kind.Name)
	}
	return ""
}
