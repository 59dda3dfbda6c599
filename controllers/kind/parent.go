package kind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Parent is the kind within whose objects those of a kind are, as users are within a database. Such a kind has no class, and its
// objects have no provider config of their own: account, location, identity and the permission to exist come from the parent, an object
// of the same namespace. A kind gets a parent by this value in its file, by Resource.Parent in the descriptions of the drivers, and by
// a field of type v1alpha1.ParentStatus in its status.
type Parent struct {
	// Kind is the parent's kind.
	Kind string
	// Field is the field of the spec that names the parent, for example databaseRef.name: within a field of the spec that ends with Ref, as
	// config/admission/consent.yaml knows it. It must not change once it is set.
	Field string
	// Name returns what an object has in that field.
	Name func(v1alpha1.ResourceObject) string
	// Status points to what an object's status says of the parent.
	Status func(v1alpha1.ResourceObject) *v1alpha1.ParentStatus
	// Source: objects are made of the parent and are not within it, as snapshots are. Then the parent is needed to create an object, and for
	// nothing else: the object's own status says where it is. An object whose Name is empty is made of nothing, and names its provider config.
	Source bool
	// Limit returns how many objects made of those of a class a namespace may have; nil if there is no limit. LimitField is the field of the class that says it.
	// Limit is nil for kinds of which no class limits the number.
	Limit      func(v1alpha1.ClassObject) *int32
	LimitField string
}

// CountsAgainstLimit reports whether an object may count against a limit of its parent's class.
func CountsAgainstLimit(k *Kind, object v1alpha1.ResourceObject) bool {
	return k.ParentName(object) != "" && k.Parent.Limit != nil
}

// ParentName returns the name of an object's parent; empty for an object without one.
func (k *Kind) ParentName(object v1alpha1.ResourceObject) string {
	if k.Parent == nil {
		return ""
	}
	return k.Parent.Name(object)
}

// OutlivesParent reports whether objects of the kind outlive their parent.
func (k *Kind) OutlivesParent() bool { return k.Parent != nil && k.Parent.Source }

// ParentIndex is the name of the index by which the objects of a kind are found by the name of their parent.
const ParentIndex = "parent"

// CloudIndex is the name of the index by which objects are found by the cloud object that their status names. Kinds have it of which a mark may not say whose a cloud
// object is: those with a parent, and those that can be born as a copy.
const CloudIndex = "cloudObject"

// CloudKey returns the key in CloudIndex of what has a name within a parent.
func CloudKey(parent, name string) string { return parent + "/" + name }

// CloudKeys returns the keys in CloudIndex of an object; none if its status names no cloud object.
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

// A Family is what a kind's parent is, and which kinds have it as their parent and go with it.
type Family struct {
	// Parent is nil for a kind without one.
	Parent   *Kind
	Children []*Kind
	// Snapshots is the kind of snapshots from which objects of the kind can be restored; nil if there is none.
	Snapshots *Kind
}

// FamilyOf returns the family of a kind among others.
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

// ParentRef returns within which cloud object an object's status says that its own is; zero for a kind without a parent.
func (k *Kind) ParentRef(object v1alpha1.ResourceObject) driver.ParentRef {
	if k.Parent == nil {
		return driver.ParentRef{}
	}
	status := k.Parent.Status(object)
	return driver.ParentRef{Name: status.ExternalName, ID: status.ExternalID}
}

// SetParentRef notes in an object's status within which cloud object its own is to be, and that it is not known to be there yet. It reports
// whether the status changed.
func (k *Kind) SetParentRef(object v1alpha1.ResourceObject, parent driver.ParentRef) (changed bool) {
	if k.Parent == nil {
		return false
	}
	status := k.Parent.Status(object)
	before := *status
	*status = v1alpha1.ParentStatus{ExternalName: parent.Name, ExternalID: parent.ID, ClassName: before.ClassName}
	return *status != before
}

// RecordOwnership notes in an object's status that its cloud object is known to be its own, within the parent.
func (k *Kind) RecordOwnership(object v1alpha1.ResourceObject) {
	if k.Parent != nil {
		k.Parent.Status(object).Recorded = true
	}
}

// OwnershipRecorded reports whether an object's status says that its cloud object is known to be its own, within the parent.
func (k *Kind) OwnershipRecorded(object v1alpha1.ResourceObject) bool {
	return k.Parent != nil && k.Parent.Status(object).Recorded
}

// ClearOwnership notes in an object's status that it is not known any more to have a cloud object within the parent.
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
