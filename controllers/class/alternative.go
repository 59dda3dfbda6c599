package class

import (
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Alternatives are pairs of fields that say the same: one in the words of all clouds, the other in those of one cloud.
type Alternatives [][2]string

// AlternativesOf returns the Alternatives of a kind in each cloud, as the drivers describe them.
func AlternativesOf(kind string, drivers map[string]driver.Driver) func(cloud string) Alternatives {
	all := map[string]Alternatives{}
	for cloud, drv := range drivers {
		description := drv.Describe()
		resource, _ := description.Resource(kind)
		for _, field := range resource.Fields {
			if field.StandsFor != "" {
				all[cloud] = append(all[cloud], [2]string{field.Field, field.StandsFor})
			}
		}
	}
	return func(cloud string) Alternatives { return all[cloud] }
}

// each calls visit for every field with the one that says the same, in both directions.
func (a Alternatives) each(visit func(field, other path)) {
	for _, pair := range a {
		one, two := path(strings.Split(pair[0], ".")), path(strings.Split(pair[1], "."))
		visit(one, two)
		visit(two, one)
	}
}

// yield takes out of each layer what a layer over it says by another field: of two fields that say the same only one can be set, and the one that
// decides is that of the object over the defaults, and that of the class over all where the class insists.
func (e Effective) yield(spec Tree, same Alternatives) (Effective, Tree) {
	if len(same) == 0 {
		return e, spec
	}
	e.Defaults, e.Sized, spec = Merge(e.Defaults), Merge(e.Sized), Merge(spec)
	same.each(func(field, other path) {
		layers := []Tree{e.Defaults, e.Sized, spec, e.Enforced}
		for i := len(layers) - 1; i > 0; i-- {
			if !has(layers[i], field) || has(layers[i], other) {
				continue
			}
			for _, below := range layers[:i] {
				drop(below, other)
			}
		}
	})
	return e, spec
}

func has(tree Tree, at path) bool { _, ok := get(tree, at); return ok }

// saysOtherwise says where the object says by another field what the class insists on. The class's word holds.
func saysOtherwise(c *Class, o Case) (problems []Problem) {
	o.Same.each(func(field, other path) {
		insists, enforced := get(c.Enforced, field)
		if !enforced || !has(o.Spec, other) || has(c.Enforced, other) {
			return
		}
		p := violated("spec."+other.String(), "class %q enforces spec.%s %s, which says the same; remove it from the spec", c.Name(), field, show(insists))
		p.Overruled = true
		problems = append(problems, p)
	})
	return problems
}

// checkAlternatives says where the class itself sets two fields that say the same, nil if it does not.
func (r Rules) checkAlternatives(c *Class, cloud string) (wrong *Problem) {
	if r.Same == nil {
		return nil
	}
	r.Same(cloud).each(func(field, other path) {
		for layer, says := range c.layers() {
			if wrong == nil && has(says, field) && has(says, other) {
				wrong = &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec." + layer + "." + field.String(),
					Message: fmt.Sprintf("spec.%s.%s says the same; remove one of them", layer, other)}
			}
		}
	})
	return wrong
}
