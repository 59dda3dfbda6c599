package class

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// allowed says whether the namespace may use the class, and may have one more object of it.
func allowed(c *Class, o Input) []Problem {
	selector, wrong := c.selector()
	if wrong != nil {
		return []Problem{{Reason: wrong.Reason, Message: fmt.Sprintf("class %q: %s; your platform team has to correct it", c.Name(), wrong)}}
	}
	if !selector.Matches(labels.Set(o.Namespace.Labels)) {
		return []Problem{{Reason: v1alpha1.ReasonClassNotAllowed, Field: "spec.className",
			Message: fmt.Sprintf("class %q is not allowed in namespace %s; choose another class, or ask your platform team", c.Name(), o.Namespace.Name)}}
	}
	if problem := accountless(c, o); problem != nil {
		return []Problem{*problem}
	}
	if limit := c.Spec.MaxPerNamespace; limit != nil && !o.Joined && o.Older >= int(*limit) {
		return []Problem{tooMany(c, o.Namespace.Name)}
	}
	return adoption(c, o)
}

// accountless says why the class has no account for the object; nil if it has one. What was created by the class stays in its account, whatever
// becomes of the class's list and of the namespace's labels.
func accountless(c *Class, o Input) *Problem {
	if o.Joined {
		return nil
	}
	if _, none := c.AccountOf(o.Namespace); none != nil {
		return none
	}
	if p := o.OtherCloud; p != nil {
		return &Problem{Reason: p.Reason, Message: fmt.Sprintf("class %q: %s; your platform team has to correct it", c.Name(), p)}
	}
	return nil
}

// tooMany says that a namespace has as many objects of a class as it may have.
func tooMany(c *Class, namespace string) Problem {
	p := Problem{Reason: v1alpha1.ReasonClassNotAllowed, Field: "spec.className"}
	limit := *c.Spec.MaxPerNamespace
	if limit == 0 {
		p.Message = fmt.Sprintf("class %q takes no new objects; choose another class, or ask your platform team", c.Name())
	} else {
		p.Message = fmt.Sprintf("namespace %s has the maximum number of objects of class %q (%d); delete what is not needed, or ask your platform team", namespace, c.Name(), limit)
	}
	return p
}

// selector returns the class's selector of namespaces, which selects nothing if there is none, or what is wrong about it.
func (c *Class) selector() (labels.Selector, *Problem) {
	selector, err := metav1.LabelSelectorAsSelector(c.Spec.AllowedNamespaces)
	if err != nil {
		return nil, &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec.allowedNamespaces", Message: err.Error()}
	}
	return selector, nil
}

// adoption says whether the object asks to take over what the class does not let it take. What Observe looks at is for the
// reconciler to decide about, which sees its mark.
func adoption(c *Class, o Input) []Problem {
	asked, _ := o.Spec["adoption"].(string)
	if asked != string(v1alpha1.AdoptionIfExists) || c.Spec.AllowAdoption == v1alpha1.AllowAdoptionAny {
		return nil
	}
	return []Problem{violated("spec.adoption", "class %q does not allow taking over existing cloud objects; remove spec.adoption, or ask your platform team", c.Name())}
}

// Adopts returns the adoption policy of an object: what its spec asks for, limited by what the class allows.
func (c *Class) Adopts(asked v1alpha1.Adoption) v1alpha1.Adoption {
	switch {
	case c.Spec.AllowAdoption == v1alpha1.AllowAdoptionNone:
		return v1alpha1.AdoptionNever
	case asked == v1alpha1.AdoptionIfExists && c.Spec.AllowAdoption != v1alpha1.AllowAdoptionAny:
		return v1alpha1.AdoptionIfMarked
	default:
		return asked
	}
}

// chooseSize returns the entry of the catalogue that an object is of, nil if it is of none.
func chooseSize(c *Class, o Input) (*Size, []Problem) {
	name, _ := o.Spec["size"].(string)
	named := name != ""
	if !named {
		name = c.DefaultSize
	}
	switch {
	case len(c.Sizes) == 0 && named:
		return nil, []Problem{violated("spec.size", "class %q has no sizes; remove spec.size, or choose another class", c.Name())}
	case len(c.Sizes) == 0:
		return nil, nil
	case name == "":
		return nil, append(ownSize(c, o), violated("spec.size", "a size is required: choose one of %s", c.catalogue()))
	}
	size := c.size(name)
	if size == nil {
		return nil, []Problem{violated("spec.size", "there is no size %q in class %q; choose one of %s", name, c.Name(), c.catalogue())}
	}
	return size, ownSize(c, o)
}

// ownSize refuses what a size stands for in the object's own spec: else the catalogue would limit nothing.
func ownSize(c *Class, o Input) (problems []Problem) {
	told := map[string]bool{}
	for _, size := range c.Sizes {
		leaves(size.Values, func(at path, _ any) {
			if _, names := get(o.Spec, at); names && !told[at.String()] {
				told[at.String()] = true
				problems = append(problems, violated("spec."+at.String(), "class %q has sizes, so this field can't be set; remove it, and set spec.size to one of %s", c.Name(), c.catalogue()))
			}
		})
	}
	return problems
}

// catalogue lists the sizes for a message.
func (c *Class) catalogue() string {
	var names []string
	for _, s := range c.Sizes {
		hint := strings.Join(slices.DeleteFunc([]string{s.Description, s.Cost}, func(t string) bool { return t == "" }), ", ")
		if hint != "" {
			hint = " (" + hint + ")"
		}
		names = append(names, s.Name+hint)
	}
	return strings.Join(names, ", ")
}

// names lists the sizes' names.
func (c *Class) names() string {
	var names []string
	for _, s := range c.Sizes {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// sized returns what a size stands for: what it gives, and its bounds where the spec says nothing and the default is outside.
func sized(size *Size, merged, spec Tree) Tree {
	gives := Merge(size.Values)
	for field, b := range size.Bounds {
		at := path(strings.Split(field, "."))
		if _, says := get(spec, at); says {
			continue
		}
		value, has := number(merged, at)
		switch {
		case b.Min != nil && (!has || value < int64(*b.Min)):
			put(gives, at, int64(*b.Min))
		case b.Max != nil && has && value > int64(*b.Max):
			put(gives, at, int64(*b.Max))
		}
	}
	return gives
}

// outOfBounds says which numbers a size does not allow.
func outOfBounds(size *Size, spec Tree) (problems []Problem) {
	if size == nil {
		return nil
	}
	for _, field := range slices.Sorted(maps.Keys(size.Bounds)) { // messages are to be stable
		b := size.Bounds[field]
		value, has := number(spec, strings.Split(field, "."))
		switch {
		case !has:
		case b.Min != nil && value < int64(*b.Min):
			problems = append(problems, violated("spec."+field, "%d is too small for size %q: set %d or more", value, size.Name, *b.Min))
		case b.Max != nil && value > int64(*b.Max):
			problems = append(problems, violated("spec."+field, "%d is too large for size %q: set %d or less, or choose a larger size", value, size.Name, *b.Max))
		}
	}
	return problems
}

func number(tree Tree, at path) (int64, bool) {
	value, _ := get(tree, at)
	switch n := value.(type) {
	case int64:
		return n, true
	case float64: // as JSON has it
		return int64(n), true
	default:
		return 0, false
	}
}

// contradictions says where the object's own spec is against what the class insists on, which holds then.
func contradictions(c *Class, o Input) (problems []Problem) {
	leaves(c.Enforced, func(at path, value any) {
		asks, which := at, ""
		if instead := inPlaceOf(o.Spec, at); instead != nil {
			asks, which = instead, at.String()+" "
		}
		asked, says := get(o.Spec, asks)
		settled := o.Bound && slices.Contains(slices.Concat(o.Fixed, o.Immutable), at.String()) // nobody could mend it
		if says && !settled && !same(asked, value) {
			p := violated("spec."+asks.String(), "class %q enforces %s%s, not %s; remove it from the spec", c.Name(), which, said(at, value), said(asks, asked))
			p.Overruled = true
			problems = append(problems, p)
		}
	})
	return problems
}

// misfits says where an object that was made by another class, or by none, has for good what this class does not allow.
func misfits(c *Class, o Input, spec Tree) (problems []Problem) {
	if !o.Bound || o.Joined {
		return nil
	}
	for _, field := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Fixed, o.Immutable)))) {
		at := path(strings.Split(field, "."))
		wants, insists := get(c.Enforced, at)
		if has, says := get(spec, at); insists && says && !same(has, wants) {
			problems = append(problems, violated("spec.className", "class %q enforces %s %s, but this object has %s, which can't change; choose another class", c.Name(), field, show(wants), show(has)))
		}
	}
	return problems
}

// brokenRules says which constraints an object does not keep.
func brokenRules(c *Class, rules []Rule, spec Tree, namespace Namespace) (problems []Problem) {
	for i, rule := range rules {
		problems = append(problems, broken(c, i, rule, spec, namespace)...)
	}
	return problems
}

// broken says that an object does not keep a constraint.
func broken(c *Class, i int, rule Rule, spec Tree, namespace Namespace) []Problem {
	constraint := c.Spec.Constraints[i]
	switch keeps, err := rule(spec, namespace); {
	case err != nil:
		return []Problem{{Reason: v1alpha1.ReasonClassInvalid,
			Message: fmt.Sprintf("class %q: spec.constraints[%d].rule: %v; your platform team has to correct it", c.Name(), i, err)}}
	case keeps:
		return nil
	default:
		return []Problem{{Reason: v1alpha1.ReasonClassViolated, Field: constraint.Field, Message: constraint.Message}}
	}
}

// foreign says that the object asks for what another cloud has.
func foreign(o Input, spec Tree) []Problem {
	for _, cloud := range v1alpha1.Clouds() {
		if _, says := spec[cloud]; says && o.Cloud != "" && o.Cloud != cloud {
			return []Problem{violated("spec."+cloud, "the class is in %s, so spec.%s can't be set; remove it, or choose another class", o.Cloud, cloud)}
		}
	}
	return nil
}

// Unsupported returns a problem for each value of a spec that the cloud does not support.
func Unsupported(lacks []driver.Lack, spec Tree) (problems []Problem) {
	for _, l := range driver.Lacking(lacks, spec) {
		reason := v1alpha1.ReasonNotSupported
		if l.Invalid {
			reason = v1alpha1.ReasonInvalid
		}
		problems = append(problems, Problem{Reason: reason, Field: "spec." + l.Field, Message: l.String(), Lacks: true})
	}
	return problems
}
