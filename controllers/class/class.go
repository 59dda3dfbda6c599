package class

import (
	"iter"
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Class is a class of any kind, as the rest of the package sees it.
type Class struct {
	Object v1alpha1.ClassObject
	Spec   *v1alpha1.ClassSpec
	Status *v1alpha1.ClassStatus
	// Defaults are those for the cloud object and those for how to go about it, as the spec's own fields say them.
	Defaults, Enforced Tree
	Sizes              []Size
	DefaultSize        string
}

// A Size is an entry of a catalogue.
type Size struct {
	v1alpha1.ClassSize
	// Gives is what it stands for, in the words of the spec.
	Gives Tree
}

// Of returns a class of any kind as a Class.
func Of(object v1alpha1.ClassObject) (*Class, error) {
	c := &Class{Object: object, Spec: object.GetClassSpec(), Status: object.GetClassStatus(), DefaultSize: object.GetDefaultSize()}
	for _, s := range object.GetSizes() {
		gives, err := TreeOf(s.Entry)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(gives, func(name string, _ any) bool { return !slices.Contains(v1alpha1.Clouds(), name) })
		c.Sizes = append(c.Sizes, Size{ClassSize: s, Gives: gives})
	}
	parameters, err := TreeOf(object.GetDefaults())
	if err != nil {
		return nil, err
	}
	c.Defaults = Merge(policy(c.Spec, object.GetDeletionPolicy()), parameters)
	c.Enforced, err = TreeOf(object.GetEnforced())
	c.locate()
	return c, err
}

// policy returns a class's defaults for how to go about it.
func policy(spec *v1alpha1.ClassSpec, deletion v1alpha1.DeletionPolicy) Tree {
	tree := Tree{}
	if deletion != "" {
		tree["deletionPolicy"] = string(deletion)
	}
	if spec.Updates == nil {
		return tree
	}
	for name, value := range map[string]string{"disruptive": string(spec.Updates.Disruptive), "timing": string(spec.Updates.Timing), "strategy": string(spec.Updates.Strategy)} {
		if value != "" {
			put(tree, path{"updates", name}, value)
		}
	}
	return tree
}

// layers yields the parameters that the class itself sets, by the name of their field.
func (c *Class) layers() iter.Seq2[string, Tree] {
	return func(yield func(string, Tree) bool) {
		_ = yield("defaults", c.Defaults) && yield("enforced", c.Enforced)
	}
}

// Name returns the class's name.
func (c *Class) Name() string { return c.Object.GetName() }

// size returns an entry of the catalogue, nil if there is none of that name.
func (c *Class) size(name string) *Size {
	for i := range c.Sizes {
		if c.Sizes[i].Name == name {
			return &c.Sizes[i]
		}
	}
	return nil
}
