package class

import (
	"iter"
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Class is a class of any kind, with its layers as trees.
type Class struct {
	Object v1alpha1.ClassObject
	Spec   *v1alpha1.ClassSpec
	Status *v1alpha1.ClassStatus
	// Defaults are the values for fields that an object leaves unset. Enforced are the values that override the
	// object's. Both contain the parameters of the cloud object and the shared fields, such as deletionPolicy.
	Defaults, Enforced Tree
	Sizes              []Size
	DefaultSize        string
}

// A Size is an entry of a class's catalogue of sizes.
type Size struct {
	v1alpha1.ClassSize
	// Values are the values of spec fields that the size sets.
	Values Tree
}

// Of returns the Class for a class object of any kind.
func Of(object v1alpha1.ClassObject) (*Class, error) {
	c := &Class{Object: object, Spec: object.GetClassSpec(), Status: object.GetClassStatus(), DefaultSize: object.GetDefaultSize()}
	for _, s := range object.GetSizes() {
		gives, err := TreeOf(s.Entry)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(gives, func(name string, _ any) bool { return !slices.Contains(v1alpha1.Clouds(), name) })
		c.Sizes = append(c.Sizes, Size{ClassSize: s, Values: gives})
	}
	parameters, err := TreeOf(object.GetDefaults())
	if err != nil {
		return nil, err
	}
	kept, always := object.GetFinalSnapshots()
	c.Defaults = Merge(policy(c.Spec.Updates, object.GetDeletionPolicy(), kept), parameters)
	enforced, err := TreeOf(object.GetEnforced())
	c.Enforced = Merge(policy(c.Spec.EnforcedUpdates, "", always), enforced)
	c.locate()
	return c, err
}

// policy returns what a class says of how to go about it.
func policy(updates *v1alpha1.Updates, deletion v1alpha1.DeletionPolicy, final *v1alpha1.FinalSnapshot) Tree {
	tree := Tree{}
	if final != nil && final.RetainDays != nil {
		put(tree, path{"finalSnapshot", "retainDays"}, int64(*final.RetainDays))
	}
	if deletion != "" {
		tree["deletionPolicy"] = string(deletion)
	}
	if updates == nil {
		return tree
	}
	for name, value := range map[string]string{"disruptive": string(updates.Disruptive), "timing": string(updates.Timing), "strategy": string(updates.Strategy)} {
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
