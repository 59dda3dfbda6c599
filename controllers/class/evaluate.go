package class

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// An Input is an object of a class, with what Evaluate needs to know of the cluster.
type Input struct {
	// Spec is the object's own spec.
	Spec Tree
	// Namespace is the object's namespace.
	Namespace Namespace
	// Bound: the object has a name in the cloud, so its immutable fields keep the values in Before.
	Bound bool
	// Joined: the object was bound while it used this class.
	Joined bool
	// Observed: the object is only observed, and never changed.
	Observed bool
	// Unedited: the current generation of the spec was applied, so it was not edited since.
	Unedited bool
	// Location is the location of the cloud object; empty if it is not known.
	Location string
	// Before are the values from the class that the status records; nil if it records none.
	Before *v1alpha1.Effective
	// Fixed are the fields that are immutable in every cloud once the cloud object exists. Immutable are those that are
	// immutable in Cloud.
	Fixed, Immutable []string
	// References are the fields that name other cloud objects, in Cloud.
	References References
	// Kept are the references whose value an existing cloud object keeps, even if the class does not allow it.
	Kept []string
	// Cloud is the cloud of the object; empty if it is not known.
	Cloud string
	// Leads is the cloud to which the class leads now. It differs from Cloud if the class was changed after the object was
	// created.
	Leads string
	// OtherCloud is the problem that the object's account is not in the cloud of its class. It is nil if it is, or if the
	// object is bound to the account already.
	OtherCloud *Problem
	// Lacks are the fields and values that Cloud does not support.
	Lacks []driver.Lack
	// Same are the alternatives of Cloud.
	Same Alternatives
	// Older is how many objects of the class in the namespace are counted before this one.
	Older int
}

// A Namespace is what evaluation and rules see of a namespace.
type Namespace struct {
	Name   string
	Labels map[string]string
}

// An Evaluation is the effective spec of an object, and its problems.
type Evaluation struct {
	// Spec is the object's spec with the class merged into it.
	Spec Tree
	// Effective are the values that come from the class, by layer.
	Effective Effective
	// Problems are what keeps the class from being applied to the object.
	Problems []Problem
}

// An Effective holds the values that an object gets from its class, by layer.
type Effective struct {
	// Size is the name of the size in the class's catalogue; empty if there is none.
	Size string
	// Named: the object's own spec sets the size. It is not stored in the status.
	Named bool
	// Defaults come from the class's defaults, Sized from the size, and Enforced from the class's enforced values.
	Defaults, Sized, Enforced Tree
	// says is all that the class and the object's own spec say, before one yields to the other. It is not recorded.
	says Tree
}

// A Problem is why an object can't be as its spec and its class declare. A person has to correct it.
type Problem struct {
	Reason v1alpha1.Reason
	// Field is the path of the field that is wrong, beginning with spec. It is empty if the problem is not in the
	// object.
	Field   string
	Message string
	// Overruled: the class enforces another value, which is used instead. The reconciler goes on; admission refuses the
	// request.
	Overruled bool
	// Lacks: the cloud does not support what the field asks for. No other object that is applied later can change that.
	Lacks bool
	// Kept: Field has a value that is not allowed, and the cloud object has it already, or may have it. The cloud
	// object keeps the value; setting it is refused.
	Kept bool
}

// String returns the problem on one line.
func (p Problem) String() string {
	if p.Field == "" {
		return p.Message
	}
	return p.Field + ": " + p.Message
}

// A Rule is a compiled constraint. It reports whether an object satisfies the constraint, or returns an error if it
// can't be evaluated.
type Rule func(spec Tree, namespace Namespace) (bool, error)

// Evaluate merges a class into an object's spec, and returns the problems. It is pure. rules are the class's compiled
// constraints, in their order; nil leaves them out.
func Evaluate(c *Class, o Input, rules []Rule) Evaluation {
	o.Spec = o.asBefore()
	if o.Bound && o.Cloud != "" && o.Cloud != o.Leads {
		return leftBehind(c, o, rules)
	}
	size, sizeProblems := chooseSize(c, o)
	now := Effective{Defaults: c.Defaults, Enforced: c.Enforced}
	if size != nil {
		_, now.Named = o.Spec["size"]
		now.Size, now.Sized = size.Name, sized(size, Merge(c.Defaults, o.Spec), o.Spec)
	}
	if before := effectiveOf(o.Before); o.Bound {
		now = now.fixed(o.bound(before), before)
		if size == nil && before.Size != "" { // what it has is not forgotten because the class forgot it
			now.Size, now.Sized = before.Size, before.Sized
		}
	}
	v := now.over(o.Spec, o.Same)
	v.Problems = append(v.Problems, allowed(c, o)...)
	v.Problems = append(v.Problems, misfits(c, o, v.Spec)...)
	v.Problems = append(v.Problems, misplaced(c, o, v.Spec)...)
	v.Problems = append(v.Problems, sizeProblems...)
	v.Problems = append(v.Problems, outOfBounds(size, v.Spec)...)
	v.Problems = append(v.Problems, contradictions(c, o)...)
	v.Problems = append(v.Problems, saysOtherwise(c, o)...)
	v.Problems = append(v.Problems, foreign(o, v.Spec)...)
	v.Problems = append(v.Problems, Unsupported(o.Lacks, v.Spec)...)
	v.Problems = append(v.Problems, windowless(v.Spec)...)
	v.Problems = append(v.Problems, unlisted(c, o, v.Spec)...)
	v.Problems = append(v.Problems, brokenRules(c, rules, v.Spec, o.Namespace)...)
	return v
}

// asBefore returns the object's own spec, without an empty value beside which the class gave it something when that was last recorded. In 0.1.0 {}
// asked for nothing, so the class's key held beside encryption: {}. It does until an edit, or an upgrade would exchange keys.
func (o Input) asBefore() Tree {
	if !o.Unedited {
		return o.Spec
	}
	spec := Merge(o.Spec)
	before := effectiveOf(o.Before)
	leaves(Merge(before.Defaults, before.Sized), func(at path, _ any) {
		if empty := inPlaceOf(spec, at); empty != nil && emptyValues[empty.String()] != "" {
			drop(spec, empty)
		}
	})
	return spec
}

// bound returns the fields in which an object stays what its class said at its creation: those that no cloud can change, and of those that its own
// cloud can't change the ones of which the class said something then.
func (o Input) bound(before Effective) []string {
	fields, was := slices.Clone(o.Fixed), before.flat()
	for _, field := range o.Immutable {
		if has(was, strings.Split(field, ".")) {
			fields = append(fields, field)
		}
	}
	return fields
}

// leftBehind evaluates an object whose class was moved to another cloud, or leads nowhere now: what the class says is not about the
// object's, which stays as it was.
func leftBehind(c *Class, o Input, rules []Rule) Evaluation {
	v, leads := EvaluateStored(o), o.Leads
	if leads == "" {
		leads = "no account of a known cloud"
	}
	v.Problems = append(allowed(c, o), brokenRules(c, rules, v.Spec, o.Namespace)...)
	v.Problems = append(v.Problems, Unsupported(o.Lacks, v.Spec)...)
	v.Problems = append(v.Problems, windowless(v.Spec)...)
	o.Kept = append(o.References.naming().names(), o.Kept...) // what the class names now is in another cloud; a value that only it may give was in no object without it
	v.Problems = append(v.Problems, unlisted(c, o, v.Spec)...)
	leaves(effectiveOf(o.Before).Sized, func(at path, _ any) {
		if _, says := get(o.Spec, at); says && at[0] == o.Cloud {
			v.Problems = append(v.Problems, violated("spec."+at.String(), "class %q has sizes, so this field can't be set, and the class now leads to %s; remove the field, or choose a class of %s", c.Name(), leads, o.Cloud))
		}
	})
	if size, named := o.Spec["size"].(string); named && size != v.Effective.Size {
		v.Problems = append(v.Problems, violated("spec.size", "class %q now leads to %s, but this object is in %s, where the class has no sizes any more; choose a class of %s",
			c.Name(), leads, o.Cloud, o.Cloud))
	}
	return v
}

// EvaluateStored evaluates an object whose class does not exist any more. The values of the class are those that the
// object's status records.
func EvaluateStored(o Input) Evaluation { return effectiveOf(o.Before).over(o.asBefore(), o.Same) }

// over lays a spec over the defaults and under what is enforced, and notes what came from where.
func (e Effective) over(spec Tree, same Alternatives) Evaluation {
	says := Merge(e.flat(), spec)
	e, spec = e.yield(spec, same)
	v := Evaluation{
		Spec:      Merge(e.Defaults, e.Sized, spec, e.Enforced),
		Effective: Effective{Size: e.Size, Named: e.Named, Defaults: Tree{}, Sized: Tree{}, Enforced: Tree{}, says: says},
	}
	leaves(e.Defaults, func(at path, value any) {
		if !settles(e.Sized, at) && !settles(spec, at) && !settles(e.Enforced, at) {
			put(v.Effective.Defaults, at, value)
		}
	})
	leaves(e.Sized, func(at path, value any) {
		if !settles(spec, at) && !settles(e.Enforced, at) {
			put(v.Effective.Sized, at, value)
		}
	})
	leaves(e.Enforced, func(at path, value any) { put(v.Effective.Enforced, at, value) })
	return v
}

// fixed returns e with the fields that can't change as they were before.
func (e Effective) fixed(fields []string, before Effective) Effective {
	layers := func(e *Effective) [3]*Tree { return [3]*Tree{&e.Defaults, &e.Sized, &e.Enforced} }
	was := layers(&before)
	for i, layer := range layers(&e) {
		*layer = Merge(*layer)
		for _, field := range fields {
			at := path(strings.Split(field, "."))
			drop(*layer, at)
			if value, ok := get(*was[i], at); ok {
				put(*layer, at, value)
			}
		}
	}
	return e
}

// flat returns all that comes from the class.
func (e Effective) flat() Tree { return Merge(e.Defaults, e.Sized, e.Enforced) }

// effectiveOf reads what a status says.
func effectiveOf(stored *v1alpha1.Effective) Effective {
	if stored == nil {
		return Effective{}
	}
	return Effective{Size: stored.Size, Defaults: parsed(stored.Defaults), Sized: parsed(stored.Sized), Enforced: parsed(stored.Enforced)}
}

// SetByClass reports whether a status records that the class set a field of the object.
func SetByClass(stored *v1alpha1.Effective, field string) bool {
	return HasField(effectiveOf(stored).flat(), field)
}

func parsed(raw *runtime.RawExtension) Tree {
	tree := Tree{}
	if raw != nil && raw.Raw != nil {
		_ = utiljson.Unmarshal(raw.Raw, &tree) // our own words; what is not a tree says nothing
	}
	return tree
}

// Stored returns e in the form of the status. It returns before if that means the same, so that no write follows.
func (e Effective) Stored(before *v1alpha1.Effective) *v1alpha1.Effective {
	if before != nil && e.Size == before.Size && same(e.trees(), effectiveOf(before).trees()) {
		return before
	}
	return &v1alpha1.Effective{Size: e.Size, Defaults: raw(e.Defaults), Sized: raw(e.Sized), Enforced: raw(e.Enforced)}
}

func (e Effective) trees() [3]Tree {
	return [3]Tree{Merge(e.Defaults), Merge(e.Sized), Merge(e.Enforced)}
}

func raw(tree Tree) *runtime.RawExtension {
	if len(tree) == 0 {
		return nil
	}
	text, err := json.Marshal(tree)
	if err != nil {
		panic(err) // a tree is JSON
	}
	return &runtime.RawExtension{Raw: text}
}

// Fields returns the fields that the class sets for the object; for maps, their entries.
func (e Effective) Fields() Fields { return fieldsOf(e.flat()) }

// EnforcedFields returns the fields that the class enforces.
func (e Effective) EnforcedFields() Fields { return fieldsOf(e.Enforced) }

// Changed returns the fields for which the class has another value than stored records, or no value any more.
//
// known reports whether a field was set in the cloud before. Such a field is not returned if the class had no value for
// it: the user left it to the class by an edit of the spec. The field may have been set under its alternative name,
// which also lists. If the object's spec sets another size, nothing is returned, because the user chose the change.
func (e Effective) Changed(stored *v1alpha1.Effective, known func(field string) bool, also Alternatives) Fields {
	before := effectiveOf(stored)
	if stored == nil || e.Named && before.Size != e.Size {
		return nil
	}
	was, changed := before.flat(), Tree{}
	left := also.left(was, e.Enforced, known)
	leaves(e.flat(), func(at path, value any) {
		old, _ := get(was, at)
		had := settles(was, at)
		if had && !same(old, value) || !had && !known(at.String()) && !left.Has(at.String()) {
			put(changed, at, value)
		}
	})
	leaves(was, func(at path, value any) {
		if !settles(e.says, at) && !also.stated(at, e.says) {
			put(changed, at, value)
		}
	})
	return fieldsOf(changed)
}

// Fields is a set of fields.
type Fields []string

func fieldsOf(tree Tree) (names Fields) {
	leaves(tree, func(at path, _ any) { names = append(names, at.String()) })
	return names
}

// Has reports whether the set has a field, an entry of it, or a parent of it whose value is {}.
func (f Fields) Has(field string) bool {
	return slices.ContainsFunc(f, func(name string) bool {
		return name == field || strings.HasPrefix(name, field+".") || emptyValues[name] != "" && strings.HasPrefix(field, name+".")
	})
}

// Join returns problems as one problem, with their messages in a list (see prose.List). It returns nil if none of them
// blocks the object. Overruled problems do not block it, and neither do Kept ones with a Field.
func Join(problems []Problem) *Problem {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Overruled || p.Kept && p.Field != "" })
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	if len(problems) > 1 {
		first.Message = prose.List(problems, Problem.String, func(p Problem) string { return p.Field })
		first.Field = ""
	}
	return &first
}

func violated(field, format string, args ...any) Problem {
	return Problem{Reason: v1alpha1.ReasonClassViolated, Field: field, Message: fmt.Sprintf(format, args...)}
}
