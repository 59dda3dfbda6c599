package class

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/constraint"
	"github.com/mooring-dev/mooring/providers/driver"
)

// References are the fields of a kind that name another cloud object, and what sort of object that is.
type References map[string]driver.Reference

// ReferencesOf returns the References of a kind in each cloud. Those of a cloud that is not known yet are those of all clouds: what may turn
// out to be a reference is none that anybody may make.
func ReferencesOf(kind string, drivers map[string]driver.Driver) func(cloud string) References {
	all := map[string]References{"": {}}
	for cloud, drv := range drivers {
		all[cloud] = References{}
		description := drv.Describe()
		resource, _ := description.Resource(kind)
		for _, field := range resource.Fields {
			if field.Refers != "" {
				all[cloud][field.Field], all[""][field.Field] = field.Refers, field.Refers
			}
		}
	}
	return func(cloud string) References {
		if found, known := all[cloud]; known {
			return found
		}
		return all[""]
	}
}

// names returns the fields in their order.
func (r References) names() []string { return slices.Sorted(maps.Keys(r)) }

// references returns those of the kind in a cloud.
func (r *Resolver) references(cloud string) References {
	if r == nil || r.References == nil {
		return nil
	}
	return r.References(cloud)
}

// Direct says which other cloud objects an object names that leads through a ClusterProviderConfig by its own reference. Many namespaces
// share that account, and there is no class that could allow them.
func (r *Resolver) Direct(ctx context.Context, object v1alpha1.ResourceObject, config string) (problems []Problem, err error) {
	if len(r.references("")) == 0 {
		return nil, nil
	}
	o, err := r.ownCase(object)
	if err != nil {
		return nil, err
	}
	cloud, _, err := CloudOf(ctx, r.Client, config)
	if err != nil {
		return nil, err
	}
	references := r.references(cloud)
	for _, field := range references.names() {
		asked, _ := get(o.Spec, strings.Split(field, "."))
		for _, name := range named(asked) {
			p := Problem{Reason: v1alpha1.ReasonProviderConfigNotAllowed, Field: "spec." + field,
				Message: fmt.Sprintf("%s %q can't be used through ClusterProviderConfig %s without a class; remove the field, set spec.className to a class that allows it, or refer to a ProviderConfig of this namespace",
					references[field], name, config)}
			problems = append(problems, o.keeping(field, p))
		}
	}
	return problems, nil
}

// unlisted says which other cloud objects the object's own spec names that its class does not give. Without that a tenant could have the
// account use any key, network or role of which the name is known.
func unlisted(c *Class, o Case, spec Tree) (problems []Problem) {
	for _, field := range o.References.names() {
		at := path(strings.Split(field, "."))
		asked, says := get(o.Spec, at)
		if wanted, _ := get(spec, at); !says || !same(wanted, asked) { // the class enforces another
			continue
		}
		for _, name := range named(asked) {
			if p := c.refers(at, o.References[field], name); p != nil {
				problems = append(problems, o.keeping(field, *p))
			}
		}
	}
	return problems
}

// keeping returns the problem of a field as it is if the cloud object exists: where earlier releases accepted every value, what the cloud
// has stays. An object that is only observed is never bound, and sets nothing in the cloud.
func (o Case) keeping(field string, p Problem) Problem {
	if (o.Bound || o.Observed) && slices.Contains(o.Kept, field) {
		p.Kept = true
		p.Message += "; until then what the cloud object has stays, and Mooring sets it neither again nor to another value"
	}
	return p
}

// named returns the names in the value of a field.
func named(value any) (names []string) {
	switch value := value.(type) {
	case nil:
	case string:
		if value != "" {
			names = append(names, value)
		}
	case []any:
		for _, entry := range value {
			names = append(names, named(entry)...)
		}
	default:
		names = append(names, show(value))
	}
	return names
}

// refers says why objects of the class can't name another cloud object in a field; nil if they can.
func (c *Class) refers(at path, sort driver.Reference, name string) *Problem {
	gives := c.gives(at)
	if slices.Contains(gives, name) {
		return nil
	}
	allows := make([]string, 0, len(gives)+len(c.Spec.AllowedReferences))
	for _, given := range gives {
		allows = append(allows, fmt.Sprintf("%q", given))
	}
	var broken *Problem
	for i, allowed := range c.Spec.AllowedReferences {
		if allowed.Field != "spec."+at.String() {
			continue
		}
		matches, err := whole(allowed.Pattern)
		if err != nil { // it matches nothing, and another entry may
			broken = &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: allowed.Field,
				Message: fmt.Sprintf("class %q does not allow %s %q, because its spec.allowedReferences[%d].pattern can't be read: %v; your platform team has to correct it, or remove the field",
					c.Name(), sort, name, i, err)}
			continue
		}
		if matches(name) {
			return nil
		}
		allows = append(allows, fmt.Sprintf("what matches %q", allowed.Pattern))
	}
	if broken != nil {
		return broken
	}
	if len(allows) == 0 {
		p := violated("spec."+at.String(), "class %q does not allow %s %q, nor any other; remove the field, or ask your platform team to list it in spec.allowedReferences of the class", c.Name(), sort, name)
		return &p
	}
	p := violated("spec."+at.String(), "class %q does not allow %s %q, only %s; set one of these, remove the field, or ask your platform team to list it in spec.allowedReferences of the class",
		c.Name(), sort, name, strings.Join(allows, " or "))
	return &p
}

// gives returns what the class itself names in a field.
func (c *Class) gives(at path) (names []string) {
	layers := []Tree{c.Defaults, c.Enforced}
	for _, size := range c.Sizes {
		layers = append(layers, size.Gives)
	}
	for _, layer := range layers {
		value, _ := get(layer, at)
		names = append(names, named(value)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// whole returns what reports whether all of a text matches a pattern. A part that matches is not enough: who may name the subnet group
// team-a may not name not-team-a.
func whole(pattern string) (func(text string) bool, error) {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	expression.Longest()
	return func(text string) bool {
		at := expression.FindStringIndex(text)
		return at != nil && at[0] == 0 && at[1] == len(text)
	}, nil
}

// checkReferences says what is wrong with the references that a class allows, nil if nothing is.
func (r Rules) checkReferences(c *Class, cloud string) *Problem {
	for i, allowed := range c.Spec.AllowedReferences {
		at := fmt.Sprintf("spec.allowedReferences[%d]", i)
		if _, err := whole(allowed.Pattern); err != nil {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".pattern", Message: err.Error() + "; write a regular expression in the syntax RE2"}
		}
		if !constraint.HasField(r.Kind, allowed.Field) {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".field", Message: fmt.Sprintf("there is no field %q", allowed.Field)}
		}
		var references References
		if r.References != nil {
			references = r.References(cloud)
		}
		if _, is := references[strings.TrimPrefix(allowed.Field, "spec.")]; !is {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".field",
				Message: fmt.Sprintf("%s names no other cloud object, so there is nothing to allow; remove the entry. The fields that do are: %s", allowed.Field, orNone(references))}
		}
	}
	return nil
}

func orNone(r References) string {
	if len(r) == 0 {
		return "none"
	}
	return "spec." + strings.Join(r.names(), ", spec.")
}
