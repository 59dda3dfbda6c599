package class

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Class is a class of any kind, as the rest of the package sees it.
type Class struct {
	Object client.Object
	Spec   *v1alpha1.ClassSpec
	Status *v1alpha1.ClassStatus
	// Defaults are those for the cloud object and those for how to go about it, as the spec's own fields say them.
	Defaults, Enforced Tree
	Sizes              []Size
	DefaultSize        string
}

// A Size is an entry of a catalogue.
type Size struct {
	Name, Description, Cost string
	// Gives is what it stands for, in the words of the spec.
	Gives Tree
	// Bounds are limits of numbers, by the name of the field.
	Bounds map[string]Bounds
}

// Bounds are the least and the largest value; nil is none.
type Bounds struct{ Min, Max *int64 }

// Of returns a DatabaseClass or a BucketClass as a Class.
func Of(object client.Object) (*Class, error) {
	switch o := object.(type) {
	case *v1alpha1.DatabaseClass:
		return ofDatabases(o)
	case *v1alpha1.BucketClass:
		c := &Class{Object: o, Spec: &o.Spec.ClassSpec, Status: &o.Status}
		return c, c.fill(o.Spec.Defaults, o.Spec.Enforced, o.Spec.DeletionPolicy)
	default:
		return nil, fmt.Errorf("no class: %T", object)
	}
}

func ofDatabases(o *v1alpha1.DatabaseClass) (*Class, error) {
	c := &Class{
		Object: o, Spec: &o.Spec.ClassSpec, Status: &o.Status,
		DefaultSize: o.Spec.DefaultSize,
	}
	for _, s := range o.Spec.Sizes {
		gives, err := TreeOf(&s)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(gives, func(name string, _ any) bool { return !slices.Contains(v1alpha1.Clouds(), name) })
		size := Size{Name: s.Name, Description: s.Description, Cost: s.Cost, Gives: gives}
		if b := s.Storage; b != nil {
			size.Bounds = map[string]Bounds{"storage.sizeGiB": {Min: wide(b.MinGiB), Max: wide(b.MaxGiB)}}
		}
		c.Sizes = append(c.Sizes, size)
	}
	return c, c.fill(o.Spec.Defaults, o.Spec.Enforced, o.Spec.DeletionPolicy)
}

func (c *Class) fill(defaults, enforced any, deletion v1alpha1.DeletionPolicy) error {
	parameters, err := TreeOf(defaults)
	if err != nil {
		return err
	}
	c.Defaults = Merge(policy(c.Spec, deletion), parameters)
	c.Enforced, err = TreeOf(enforced)
	return err
}

// policy returns a class's defaults for how to go about it.
func policy(spec *v1alpha1.ClassSpec, deletion v1alpha1.DeletionPolicy) Tree {
	tree := Tree{}
	if deletion != "" {
		tree["deletionPolicy"] = string(deletion)
	}
	if spec.Updates != nil && spec.Updates.Disruptive != "" {
		tree["updates"] = Tree{"disruptive": string(spec.Updates.Disruptive)}
	}
	return tree
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

func wide(v *int32) *int64 {
	if v == nil {
		return nil
	}
	w := int64(*v)
	return &w
}
