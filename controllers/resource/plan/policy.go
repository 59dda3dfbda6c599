package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/window"
)

// PolicyOf returns what the spec says about how to go about it, defaults applied.
func PolicyOf(k *kind.Kind, obj v1alpha1.ResourceObject) Policy {
	spec := obj.GetResourceSpec()
	p := Policy{
		Management:   or(spec.Management, v1alpha1.ManagementFull),
		Adoption:     or(spec.Adoption, v1alpha1.AdoptionIfMarked),
		WhenVanished: or(spec.WhenVanished, k.WhenVanished),
		Deletion:     k.Deletion(obj),
		MustExist:    k.Existing != nil && k.Existing(obj) != "",
		Once:         k.OutlivesParent(),
		Restores:     k.Restoring != nil,
		Disruptive:   v1alpha1.DisruptiveOnSpecChange,
	}
	if spec.Updates != nil {
		p.Disruptive = or(spec.Updates.Disruptive, p.Disruptive)
		p.setTiming(k, obj, spec.Updates.Timing)
	}
	return p
}

// Restorable takes in how somebody restores a cloud object that was deleted outside Mooring while nobody has its name, as the cloud says it; empty if
// it says nothing. A new object would take the name, so none is created unless the spec, class merged in, asks for it.
func (p *Policy) Restorable(want v1alpha1.ResourceObject, how string) {
	if p.Restore = how; how != "" {
		p.WhenVanished = or(want.GetResourceSpec().WhenVanished, v1alpha1.WhenVanishedStop)
	}
}

// howToRestore returns how to restore what was deleted, as a part of a message. What the cloud restores by itself is what it was, with its mark; what
// somebody makes in its place has to be adopted.
func (p Policy) howToRestore() string {
	switch {
	case p.Restore != "":
		return p.Restore
	case p.Restores:
		return "set spec.whenVanished: Restore to have it restored from the newest state that the cloud still has, or restore it in the cloud under the same name and set spec.adoption: IfExists"
	}
	return "restore it in the cloud under the same name and set spec.adoption: IfExists"
}

// setTiming notes in which window disruptive changes are made. An object that is to wait for one and has none is never changed. Mooring sends no
// changes of an object that it only observes, so that object needs no window.
func (p *Policy) setTiming(k *kind.Kind, obj v1alpha1.ResourceObject, timing v1alpha1.UpdateTiming) {
	if timing != v1alpha1.TimingMaintenanceWindow || p.Management == v1alpha1.ManagementObserve {
		return
	}
	if k.Window != nil {
		p.Window = window.FromSpec(k.Window(obj))
	}
	if p.Window == nil {
		missing := class.MissingWindow()
		p.Refused = RefusalOf(&missing)
	}
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

// Refuse takes in what is wrong with an object, and returns what of it keeps the object from being as it is to be; nil if nothing does.
func (p *Policy) Refuse(problems []class.Problem) *class.Problem {
	p.Kept = map[string]Refusal{}
	for _, problem := range problems {
		if field := strings.TrimPrefix(problem.Field, "spec."); problem.Kept && field != "" {
			p.Kept[field] = Refusal{Reason: problem.Reason, Message: problem.String()}
		}
	}
	together := class.Join(problems)
	if together != nil {
		p.Refused = RefusalOf(together)
	}
	return together
}

// RefusalOf returns what is done about an object with a problem that exists in the cloud: nothing but to look and to delete.
func RefusalOf(p *class.Problem) Refusal {
	return Refusal{Reason: p.Reason, Message: p.String() + "; until then Mooring does not change what exists"}
}

func or[V ~string](v, otherwise V) V {
	if v == "" {
		return otherwise
	}
	return v
}
