package class

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Alternatives are pairs of fields with the same meaning, from a driver's description: a portable field, and a field in
// one cloud's own terms, which may be more specific.
type Alternatives []driver.Field

// AlternativesOf returns a function that returns a kind's Alternatives in a cloud, from the drivers' descriptions.
func AlternativesOf(kind string, drivers map[string]driver.Driver) func(cloud string) Alternatives {
	all := map[string]Alternatives{}
	for cloud, drv := range drivers {
		description := drv.Describe()
		resource, _ := description.Resource(kind)
		for _, field := range resource.Fields {
			if field.StandsFor != nil {
				all[cloud] = append(all[cloud], field)
			}
		}
	}
	return func(cloud string) Alternatives { return all[cloud] }
}

// each calls visit for every field with the one that says the same, in both directions. contradict reports whether a value of the field and one of
// the other can't both be.
func (a Alternatives) each(visit func(field, other path, contradict func(is, others any) bool)) {
	for _, row := range a {
		one, two := path(strings.Split(row.Field, ".")), path(strings.Split(row.StandsFor.Field, "."))
		visit(one, two, func(is, others any) bool { return !row.StandsFor.AgreesWith(show(is), show(others)) })
		visit(two, one, func(is, others any) bool { return !row.StandsFor.AgreesWith(show(others), show(is)) })
	}
}

// yield takes out of each layer what contradicts a layer over it by another field: the one that decides is that of the object over the defaults,
// and that of the class over all where the class insists. Where the two agree both stay: one of them may say more.
func (e Effective) yield(spec Tree, same Alternatives) (Effective, Tree) {
	if len(same) == 0 {
		return e, spec
	}
	e.Defaults, e.Sized, spec = Merge(e.Defaults), Merge(e.Sized), Merge(spec)
	same.each(func(field, other path, contradict func(is, others any) bool) {
		layers := []Tree{e.Defaults, e.Sized, spec, e.Enforced}
		for i := len(layers) - 1; i > 0; i-- {
			decides, says := get(layers[i], field)
			if !says {
				continue
			}
			for _, below := range layers[:i] {
				if value, ok := get(below, other); ok && contradict(decides, value) {
					drop(below, other)
				}
			}
			return // what is below it has no say
		}
	})
	return e, spec
}

// left returns the fields that an edit left to the class because it took the other field out of the spec: that one was set in the cloud, and not by
// the class, which does not insist on this one.
func (a Alternatives) left(was, enforced Tree, known func(field string) bool) (fields Fields) {
	a.each(func(field, other path, _ func(is, others any) bool) {
		if known(other.String()) && !has(was, other) && !has(enforced, field) {
			fields = append(fields, field.String())
		}
	})
	return fields
}

// stated reports whether a tree says in another field's words what a field says.
func (a Alternatives) stated(at path, tree Tree) (is bool) {
	a.each(func(field, other path, _ func(is, others any) bool) {
		is = is || slices.Equal(field, at) && has(tree, other)
	})
	return is
}

func has(tree Tree, at path) bool { _, ok := get(tree, at); return ok }

// saysOtherwise says where the object contradicts by another field what the class insists on. The class's word holds.
func saysOtherwise(c *Class, o Input) (problems []Problem) {
	o.Same.each(func(field, other path, contradict func(is, others any) bool) {
		insists, enforced := get(c.Enforced, field)
		asked, asks := get(o.Spec, other)
		if !enforced || !asks || has(c.Enforced, other) || !contradict(insists, asked) {
			return
		}
		p := violated("spec."+other.String(), "class %q enforces spec.%s %s, which contradicts %s; remove it from the spec", c.Name(), field, show(insists), show(asked))
		p.Overruled = true
		problems = append(problems, p)
	})
	return problems
}

// checkAlternatives says where the class itself sets two fields that contradict each other, nil if it does not.
func (r Rules) checkAlternatives(c *Class, cloud string) (wrong *Problem) {
	if r.Same == nil {
		return nil
	}
	r.Same(cloud).each(func(field, other path, contradict func(is, others any) bool) {
		for layer, says := range c.layers() {
			is, one := get(says, field)
			others, two := get(says, other)
			if wrong == nil && one && two && contradict(is, others) {
				wrong = &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec." + layer + "." + field.String(),
					Message: fmt.Sprintf("%s contradicts spec.%s.%s %s; remove one of them", show(is), layer, other, show(others))}
			}
		}
	})
	return wrong
}
