package class

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/constraint"
	"github.com/mooring-dev/mooring/providers/driver"
)

// References are the fields of a kind that name other cloud objects. The key is the path under which a class allows the
// reference, in spec.allowedReferences.
type References map[string]Referrer

// A Referrer describes one field that names another cloud object, or one reserved value that only a class may set.
type Referrer struct {
	// Sort is the sort of cloud object that the field names.
	Sort driver.Reference
	// At is the path of the field in the spec; if it is empty, it is the key in References. For a list of objects, In
	// is the field of each entry that holds the name.
	At, In string
	// Reserved is a value that needs the permission of the class, although it names no cloud object; nil for a
	// reference.
	Reserved *driver.Reserved
}

// ReferencesOf returns a function that returns a kind's References in a cloud, from the drivers' descriptions. For an
// unknown cloud, it returns the references of all clouds, so that nothing is allowed that may be a reference.
func ReferencesOf(kind string, drivers map[string]driver.Driver) func(cloud string) References {
	all := map[string]References{"": {}}
	for cloud, drv := range drivers {
		all[cloud] = References{}
		description := drv.Describe()
		resource, _ := description.Resource(kind)
		for _, field := range resource.Fields {
			for name, by := range field.Referrers() {
				r := Referrer{Sort: by.Sort, At: field.Field, In: by.In}
				all[cloud][name], all[""][name] = r, r
			}
		}
		for _, reserved := range resource.Reserved {
			r := Referrer{Reserved: &reserved}
			all[cloud][reserved.Field], all[""][reserved.Field] = r, r
		}
	}
	return func(cloud string) References {
		if found, known := all[cloud]; known {
			return found
		}
		return all[""]
	}
}

// naming returns those that name another cloud object.
func (r References) naming() References {
	out := maps.Clone(r)
	maps.DeleteFunc(out, func(_ string, by Referrer) bool { return by.Reserved != nil })
	return out
}

// names returns the fields in their order.
func (r References) names() []string { return slices.Sorted(maps.Keys(r)) }

// at is where a spec has the field of one of them.
func (r References) at(name string) path { return strings.Split(cmp.Or(r[name].At, name), ".") }

// references returns those of the kind in a cloud.
func (r *Resolver) references(cloud string) References {
	if r == nil || r.References == nil {
		return nil
	}
	return r.References(cloud)
}

// ReferencesWithoutClass returns a problem for each reference to another cloud object, if the object names a
// ClusterProviderConfig itself. Many namespaces share the account of such a config, and without a class nothing can
// allow the reference.
func (r *Resolver) ReferencesWithoutClass(ctx context.Context, object v1alpha1.ResourceObject, config string) (problems []Problem, err error) {
	if len(r.references("")) == 0 {
		return nil, nil
	}
	o, err := r.ownInput(object)
	if err != nil {
		return nil, err
	}
	cloud, _, err := CloudOf(ctx, r.Client, config)
	if err != nil {
		return nil, err
	}
	references := r.references(cloud)
	for _, field := range references.names() {
		asked, _ := get(o.Spec, references.at(field))
		names := references[field].named(asked)
		if len(names) > mostNamed {
			problems = append(problems, o.keeping(field, tooManyNames(field)))
			continue
		}
		for _, name := range names {
			p := o.keeping(field, references[field].direct(field, name, config))
			problems = append(problems, p)
			if reserved := references[field].Reserved; p.Kept && reserved != nil && reserved.Most != "" {
				p.Field = "spec." + reserved.Most
				problems = append(problems, p)
			}
		}
	}
	return problems, nil
}

// direct says why an object can't have a value through a ClusterProviderConfig without a class.
func (r Referrer) direct(field, name, config string) Problem {
	p := Problem{Reason: v1alpha1.ReasonProviderConfigNotAllowed, Field: "spec." + field}
	if r.Reserved != nil {
		p.Message = fmt.Sprintf("%s can't be used through ClusterProviderConfig %s without a class, because %s; remove the field, set spec.className to a class that sets it, or refer to a ProviderConfig of this namespace",
			name, config, r.Reserved.Does)
		return p
	}
	p.Message = fmt.Sprintf("%s %q can't be used through ClusterProviderConfig %s without a class; remove the field, set spec.className to a class that allows it, or refer to a ProviderConfig of this namespace",
		r.Sort, name, config)
	return p
}

// unlisted says which other cloud objects the object's own spec names that its class does not give. Without that a tenant could have the
// account use any key, network or role of which the name is known.
func unlisted(c *Class, o Input, spec Tree) (problems []Problem) {
	for _, field := range o.References.names() {
		by, at := o.References[field], o.References.at(field)
		asked, says := get(o.Spec, at)
		if wanted, _ := get(spec, at); !says || !same(wanted, asked) { // the class enforces another
			continue
		}
		if by.Sort == driver.ReferencePrincipal && repeats(c, at, asked) {
			continue
		}
		problems = append(problems, o.unlistedIn(field, c.allowance(field, at, by), by.named(asked))...)
	}
	return append(problems, exceeding(c, o, spec)...)
}

// exceeding says of which number that counts with a reserved value the object's own spec has more than its class has.
func exceeding(c *Class, o Input, spec Tree) (problems []Problem) {
	for _, field := range o.References.names() {
		by := o.References[field]
		value, _ := get(spec, o.References.at(field))
		if by.Reserved == nil || by.Reserved.Most == "" || len(by.named(value)) == 0 {
			continue
		}
		at := path(strings.Split(by.Reserved.Most, "."))
		asked, says := number(o.Spec, at)
		most, gives := mostOf(given(c), at)
		if wanted, _ := number(spec, at); !says || wanted != asked || gives && asked <= most {
			continue
		}
		p := violated("spec."+at.String(), "%d is more than the %d of class %q, and with %s %s nobody may have more, because %s; set %d or less, or ask your platform team", asked, most, c.Name(), field, by.Reserved.Value, by.Reserved.Does, most)
		if !gives {
			p = violated("spec."+at.String(), "class %q has no %s, so with %s %s an object keeps what it has, because %s; ask your platform team", c.Name(), by.Reserved.Most, field, by.Reserved.Value, by.Reserved.Does)
		}
		if p = o.keeping(by.Reserved.Most, p); gives || p.Kept { // else the value itself is refused
			problems = append(problems, p)
		}
	}
	return problems
}

// mostOf returns the highest number that layers of a class have in a field, and whether one has any.
func mostOf(layers []Tree, at path) (most int64, gives bool) {
	for _, layer := range layers {
		if n, has := number(layer, at); has {
			most, gives = max(most, n), true
		}
	}
	return most, gives
}

// keeping returns the problem of a field as it is if the cloud object exists: where earlier releases accepted every value, what the cloud
// has stays. An object that is only observed is never bound, and sets nothing in the cloud.
func (o Input) keeping(field string, p Problem) Problem {
	if (o.Bound || o.Observed) && slices.Contains(o.Kept, field) {
		p.Kept = true
		p.Message += "; until then what the cloud object has stays, and Mooring sets it neither again nor to another value"
	}
	return p
}

// named returns the names in the value of a field.
func (r Referrer) named(value any) (names []string) {
	if r.Reserved != nil {
		if value == nil || show(value) != r.Reserved.Value {
			return nil
		}
		return []string{r.Reserved.Value}
	}
	entries, isList := value.([]any)
	if r.In == "" || !isList {
		return r.Sort.Names(value)
	}
	for _, entry := range entries {
		if object, is := entry.(Tree); is {
			in, _ := get(object, strings.Split(r.In, "."))
			names = append(names, r.Sort.Names(in)...)
		}
	}
	return names
}

// given returns what a class itself says, layer by layer.
func given(c *Class) []Tree {
	layers := []Tree{c.Defaults, c.Enforced}
	for _, size := range c.Sizes {
		layers = append(layers, size.Values)
	}
	return layers
}

// repeats reports whether a value of a field is the one that a class itself has.
func repeats(c *Class, at path, value any) bool {
	return slices.ContainsFunc(given(c), func(layer Tree) bool {
		own, has := get(layer, at)
		return has && same(own, value)
	})
}

// gives returns what the class itself names in a field. Of principals that is nothing: whom a class lets in by some actions and conditions, a tenant
// could let in by all others.
func (c *Class) gives(at path, by Referrer) (names []string) {
	if by.Sort == driver.ReferencePrincipal {
		return nil
	}
	for _, layer := range given(c) {
		value, _ := get(layer, at)
		names = append(names, by.named(value)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkReferences says what is wrong with the references that a class allows, nil if nothing is.
func (r Rules) checkReferences(c *Class, cloud string) *Problem {
	for i, allowed := range c.Spec.AllowedReferences {
		at := fmt.Sprintf("spec.allowedReferences[%d]", i)
		if _, err := whole(allowed.Pattern); err != nil {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".pattern", Message: err.Error() + "; write a regular expression in the syntax RE2"}
		}
		var references References
		if r.References != nil {
			references = r.References(cloud).naming()
		}
		if _, is := references[strings.TrimPrefix(allowed.Field, "spec.")]; is && strings.HasPrefix(allowed.Field, "spec.") {
			continue
		}
		if !constraint.HasField(r.Kind, allowed.Field) {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".field", Message: fmt.Sprintf("there is no field %q", allowed.Field)}
		}
		return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: at + ".field",
			Message: fmt.Sprintf("%s names no other cloud object, so there is nothing to allow; remove the entry. The fields that do are: %s", allowed.Field, orNone(references))}
	}
	return nil
}

func orNone(r References) string {
	if len(r) == 0 {
		return "none"
	}
	return "spec." + strings.Join(r.names(), ", spec.")
}
