package kind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Parent describes the kind of a parent object, as a database is the parent of its users. A child has no class and no
// provider config of its own. Account, location, identity and the permission to exist come from the parent, an object
// in the same namespace.
//
// To give a kind a parent, set this value in the kind's file, Resource.Parent in the drivers' descriptions, and a field
// of type v1alpha1.ParentStatus in its status.
type Parent struct {
	// Kind is the name of the parent's kind.
	Kind string
	// Field is the field of the spec that names the parent, for example databaseRef.name. It is within a field whose
	// name ends with Ref, because the policies in config/admission/consent.yaml find it by that. It must not change
	// once it is set.
	Field string
	// Name returns the value of that field.
	Name func(v1alpha1.ResourceObject) string
	// Status points to the part of the status about the parent.
	Status func(v1alpha1.ResourceObject) *v1alpha1.ParentStatus
	// Source: objects are created from the parent and are not within it, as snapshots are. The parent is needed for the
	// creation only; afterwards the object's own status says where it is. An object whose Name is empty has no source,
	// and names its provider config.
	Source bool
	// Limit returns how many objects a namespace may have whose parents use a class; nil for no limit. LimitField is
	// the field of the class that sets it. Limit is nil for kinds that no class limits.
	Limit      func(v1alpha1.ClassObject) *int32
	LimitField string
}

// CountsAgainstLimit reports whether a class can limit how many objects such as this one a namespace has: its kind has
// such a limit, and it has a parent.
func CountsAgainstLimit(k *Kind, object v1alpha1.ResourceObject) bool {
	return k.ParentName(object) != "" && k.Parent.Limit != nil
}

// ParentName returns the name of an object's parent; empty if it has none.
func (k *Kind) ParentName(object v1alpha1.ResourceObject) string {
	if k.Parent == nil {
		return ""
	}
	return k.Parent.Name(object)
}

// OutlivesParent reports whether objects of this kind outlive their parent, as snapshots do.
func (k *Kind) OutlivesParent() bool { return k.Parent != nil && k.Parent.Source }

// ParentIndex is the name of the index that finds objects by the name of their parent.
const ParentIndex = "parent"

// CloudIndex is the name of the index that finds objects by the cloud object in their status. Only kinds have it whose
// cloud objects can't be attributed by their mark alone: those with a parent, and those that can be created as a copy.
const CloudIndex = "cloudObject"

// CloudKey returns the key in CloudIndex of a cloud object with a name. parent is the name of its parent in the cloud;
// empty if there is none.
func CloudKey(parent, name string) string { return parent + "/" + name }

// CloudKeys returns the keys of an object in CloudIndex; none if its status names no cloud object.
func (k *Kind) CloudKeys(object v1alpha1.ResourceObject) []string {
	name, parent := object.GetResourceStatus().ExternalName, ""
	if k.Parent != nil {
		parent = k.Parent.Status(object).ExternalName
	}
	if name == "" || k.Parent == nil && k.Restoring == nil {
		return nil
	}
	return []string{CloudKey(parent, name)}
}

// A Family holds the kinds that are related to a kind.
type Family struct {
	// Parent is the kind of the parent; nil if there is none.
	Parent *Kind
	// Children are the kinds whose objects exist within those of this kind, and are deleted with them.
	Children []*Kind
	// Snapshots is the kind of snapshots from which objects of this kind can be restored; nil if there is none.
	Snapshots *Kind
}

// FamilyOf returns the family of a kind among all kinds.
func FamilyOf(k *Kind, all []*Kind) (f Family) {
	for _, other := range all {
		if k.Parent != nil && other.Name == k.Parent.Kind {
			f.Parent = other
		}
		if k.Restoring != nil && other.Name == k.Restoring.Of {
			f.Snapshots = other
		}
		if other.Parent != nil && other.Parent.Kind == k.Name && !other.OutlivesParent() {
			f.Children = append(f.Children, other)
		}
	}
	return f
}

// ParentRef returns the cloud object of the parent, as recorded in an object's status; zero for a kind without a
// parent.
func (k *Kind) ParentRef(object v1alpha1.ResourceObject) driver.ParentRef {
	if k.Parent == nil {
		return driver.ParentRef{}
	}
	status := k.Parent.Status(object)
	return driver.ParentRef{Name: status.ExternalName, ID: status.ExternalID}
}

// SetParentRef writes the parent's cloud object to the status, and clears the record of ownership. It reports whether
// the status changed.
func (k *Kind) SetParentRef(object v1alpha1.ResourceObject, parent driver.ParentRef) (changed bool) {
	if k.Parent == nil {
		return false
	}
	status := k.Parent.Status(object)
	before := *status
	*status = v1alpha1.ParentStatus{ExternalName: parent.Name, ExternalID: parent.ID, ClassName: before.ClassName}
	return *status != before
}

// RecordOwnership writes to the status the record that the cloud object within the parent belongs to this object.
func (k *Kind) RecordOwnership(object v1alpha1.ResourceObject) {
	if k.Parent != nil {
		k.Parent.Status(object).Recorded = true
	}
}

// OwnershipRecorded reports whether the status has the record that the cloud object within the parent belongs to this
// object. Such a cloud object has no ownership mark of its own.
func (k *Kind) OwnershipRecorded(object v1alpha1.ResourceObject) bool {
	return k.Parent != nil && k.Parent.Status(object).Recorded
}

// ClearOwnership removes from the status the record that the cloud object within the parent belongs to this object.
func (k *Kind) ClearOwnership(object v1alpha1.ResourceObject) {
	if k.Parent != nil {
		k.Parent.Status(object).Recorded = false
	}
}

// wrongParent says what is wrong with the parent of a kind by itself.
func (k *Kind) wrongParent() (problems []string) {
	p := k.Parent
	if p == nil {
		return nil
	}
	for _, lacks := range []struct {
		name string
		is   bool
	}{{"Parent.Field", p.Field == ""}, {"Parent.Kind", p.Kind == ""}, {"Parent.Name", p.Name == nil}, {"Parent.Status", p.Status == nil}} {
		if lacks.is {
			problems = append(problems, lacks.name+" is not set; set it in the kind's file")
		}
	}
	if p.Field != "" && !p.seen() {
		problems = append(problems, fmt.Sprintf("Parent.Field is %q, and the admission policies would not see that it changes; name a field within one that ends with Ref, such as databaseRef.name", p.Field))
	}
	if k.Class != nil {
		problems = append(problems, "it has a class and a parent, and both would say which account it has; remove one of Class and Parent")
	}
	if p.Status != nil && k.New != nil && p.Status(k.New()) == nil {
		problems = append(problems, "Parent.Status returns nil; let it return a pointer to the field of the object's status")
	}
	return problems
}

// seen reports whether the admission policies see that the field changes. A source never changes, which its kind's definition has to say.
func (p *Parent) seen() bool {
	steps := strings.Split(p.Field, ".")
	if !p.Source {
		return len(steps) > 1 && strings.HasSuffix(steps[0], "Ref")
	}
	return len(steps) > 1 && strings.HasSuffix(steps[len(steps)-2], "Ref")
}

// wrongParents says which parents are not registered, and which kinds are within themselves.
func wrongParents(registered map[string]*Kind) (errs []error) {
	for _, k := range registered {
		if k.Parent == nil || k.Parent.Kind == "" {
			continue
		}
		chain := []string{k.Name}
		for at := k; at != nil && at.Parent != nil; {
			next := at.Parent.Kind
			again := slices.Contains(chain, next)
			chain = append(chain, next)
			if at = registered[next]; again {
				break
			}
		}
		switch {
		case registered[k.Parent.Kind] == nil:
			errs = append(errs, fmt.Errorf("kind %q: its parent %q is not registered; add it to kind.All, or correct Parent.Kind", k.Name, k.Parent.Kind))
		case chain[len(chain)-1] == k.Name:
			errs = append(errs, fmt.Errorf("kind %q: it is within itself: %s; correct Parent of one of them", k.Name, strings.Join(chain, " within ")))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}

// parentKind is the kind of the parent within which objects are, and sourceKind that of which they are made; empty for a kind without one.
func (k *Kind) parentKind() string {
	if k.Parent == nil || k.Parent.Source {
		return ""
	}
	return k.Parent.Kind
}

func (k *Kind) sourceKind() string {
	if k.Parent == nil || !k.Parent.Source {
		return ""
	}
	return k.Parent.Kind
}
