package class

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/constraint"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Rules compiles and validates the constraints of classes of one kind.
type Rules struct {
	Kind *kind.Kind
	// References returns the references of the kind in a cloud, as Resolver.References.
	References func(cloud string) References
	// Lacks and Same are as in Resolver.
	Lacks func(cloud string) []driver.Lack
	Same  func(cloud string) Alternatives
}

// Of returns the compiled constraints of a class. A constraint that can't be compiled returns its error for every
// object.
func (r Rules) Of(c *Class) []Rule {
	about := constraint.Metadata{Name: c.Name(), Labels: c.Object.GetLabels(), Annotations: c.Object.GetAnnotations()}
	var rules []Rule
	for _, text := range c.Spec.Constraints {
		compiled, err := constraint.Compile(text.Rule, r.Kind)
		rules = append(rules, func(spec Tree, namespace Namespace) (bool, error) {
			if err != nil {
				return false, err
			}
			return compiled.Holds(context.Background(), constraint.Input{
				Spec: spec, Namespace: constraint.Metadata{Name: namespace.Name, Labels: namespace.Labels}, Class: about,
			})
		})
	}
	return rules
}

// Check returns what is wrong with a class's constraints and allowed references; nil if nothing is. cloud is the cloud
// to which the class leads; empty if it is not known.
func (r Rules) Check(c *Class, cloud string) *Problem {
	for i, text := range c.Spec.Constraints {
		at := fmt.Sprintf("spec.constraints[%d]", i)
		if _, err := constraint.Compile(text.Rule, r.Kind); err != nil {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".rule", Message: err.Error()}
		}
		if text.Field != "" && !constraint.HasField(r.Kind, text.Field) {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".field", Message: fmt.Sprintf("there is no field %q", text.Field)}
		}
	}
	if wrong := r.checkNames(c, cloud); wrong != nil {
		return wrong
	}
	if wrong := r.checkAlternatives(c, cloud); wrong != nil {
		return wrong
	}
	return r.checkReferences(c, cloud)
}

// checkNames says where the class itself names another cloud object that can't be in its cloud, such as the key of another cloud, or has entries of
// a map that its cloud can't hold, such as a tag; nil if it does not. No object of the class could have it.
func (r Rules) checkNames(c *Class, cloud string) *Problem {
	if r.Lacks == nil || r.References == nil || cloud == "" {
		return nil
	}
	references := r.References(cloud)
	var entries []Problem
	for layer, says := range c.layers() {
		for _, lack := range driver.Lacking(r.Lacks(cloud), says) {
			if _, names := references[lack.Field]; names {
				return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec." + layer + "." + lack.Field, Message: lack.String()}
			}
			if lack.Each != "" {
				entries = append(entries, Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec." + layer + "." + lack.Field, Message: lack.String()})
			}
		}
	}
	return Join(entries)
}
