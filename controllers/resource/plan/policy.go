package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// PolicyOf returns what the spec says about how to go about it, defaults applied.
func PolicyOf(k *kind.Kind, obj v1alpha1.ResourceObject) Policy {
	spec := obj.GetResourceSpec()
	p := Policy{
		Management:   or(spec.Management, v1alpha1.ManagementFull),
		Adoption:     or(spec.Adoption, v1alpha1.AdoptionIfMarked),
		WhenVanished: or(spec.WhenVanished, k.WhenVanished),
		Deletion:     k.Deletion(obj),
		Disruptive:   v1alpha1.DisruptiveOnSpecChange,
	}
	if spec.Updates != nil {
		p.Disruptive = or(spec.Updates.Disruptive, p.Disruptive)
	}
	return p
}

// WithClass returns an object with its class merged into the spec, and the policy of that.
func WithClass(k *kind.Kind, obj v1alpha1.ResourceObject, found *class.Resolution) (want v1alpha1.ResourceObject, p Policy, err error) {
	want = k.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(class.Tree{"spec": found.Spec}, want); err != nil {
		return want, p, fmt.Errorf("merge the class: %w", err)
	}
	want.SetNamespace(obj.GetNamespace())
	want.SetName(obj.GetName())
	p = PolicyOf(k, want)
	if found.Class != nil {
		p.Adoption = found.Class.Adopts(p.Adoption)
		p.ObserveMarked = found.Class.Spec.AllowAdoption != v1alpha1.AllowAdoptionAny
	}
	return want, p, nil
}

func or[V ~string](v, otherwise V) V {
	if v == "" {
		return otherwise
	}
	return v
}
