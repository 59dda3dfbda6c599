package driver

import (
	"slices"
	"strings"
)

// An Ownership says where the ownership of a cloud object is recorded.
type Ownership string

// The ownerships. The texts are part of messages: they never change, and unknown ones are refused.
const (
	// OwnedByTags: the object has the mark itself, as tags or labels, from its creation.
	OwnedByTags Ownership = "Tags"
	// OwnedByParent: the cloud stores no mark of the object. The object belongs to Mooring if its parent does, and if
	// Mooring recorded in the Kubernetes object that it created the cloud object or took it over. Observation.Mark is
	// always the zero Mark, Request.Mark is not sent to the cloud, and WriteMark succeeds without a write.
	OwnedByParent Ownership = "Parent"
	// OwnedByRegistry: the mark is stored in another place, which Resource.Registry names. The driver writes it with
	// the creation: before the object exists, or in the same call. The messages for reading, changing and releasing the
	// mark are the same as for tags. The record is removed with the object.
	OwnedByRegistry Ownership = "Registry"
)

// Ownerships are all values of Ownership.
var Ownerships = []Ownership{OwnedByTags, OwnedByParent, OwnedByRegistry}

// A ParentRef identifies the parent of a cloud object. It is zero for a kind without a parent.
type ParentRef struct {
	// Name is the parent's name in the cloud.
	Name string
	// ID is the cloud's immutable id of the parent; empty if it is not known, or if the cloud has none. An object with
	// the same name and another ID is not the parent. A request then behaves as if the parent did not exist.
	ID string
}

// Zero reports whether there is no parent.
func (p ParentRef) Zero() bool { return p == ParentRef{} }

// Same reports whether two references may identify the same object: they have the same name, and the same ID if both
// are known.
func (p ParentRef) Same(other ParentRef) bool {
	return p.Name == other.Name && (p.ID == "" || other.ID == "" || p.ID == other.ID)
}

// ownership checks that it is known whose an object of a kind is.
func (v *validation) ownership(r Resource) {
	if !slices.Contains(Ownerships, r.Ownership) {
		v.add("Ownership is %q, so nothing says whose an object is; choose one of %q", r.Ownership, Ownerships)
	}
	if r.Ownership == OwnedByParent && r.Parent == "" {
		v.add("Ownership is %s, and there is no parent; set Parent to the kind that the objects are within, or choose another Ownership", OwnedByParent)
	}
	if r.MarkIsFinal && r.Ownership != OwnedByTags {
		v.add("MarkIsFinal is about a mark on the object, and Ownership is %q; remove one of them", r.Ownership)
	}
	if (r.Ownership == OwnedByRegistry) != (r.Registry != "") {
		v.add("Registry is %q, and Ownership is %q; say in Registry where the marks are kept if Ownership is %s, and leave it empty otherwise", r.Registry, r.Ownership, OwnedByRegistry)
	}
}

// parents checks that each parent and source is there, and that no kind is within itself.
func (v *validation) parents(d *Description) {
	for _, r := range d.Resources {
		v.source(d, r)
		v.restores(d, r)
		if r.Parent == "" {
			continue
		}
		if _, described := d.Resource(r.Parent); !described {
			v.add("kind %s: Parent is %q, a kind that the cloud lacks; describe %s too, or correct Parent", r.Kind, r.Parent, r.Parent)
			continue
		}
		if chain := d.within(r); chain[len(chain)-1] == r.Kind {
			v.add("kind %s: it is within itself: %s; correct Parent of one of them", r.Kind, strings.Join(chain, " within "))
		}
	}
}

// source checks that what objects are made of is there, and is something else than what they are within.
func (v *validation) source(d *Description, r Resource) {
	if r.Source == "" {
		return
	}
	if r.Parent != "" {
		v.add("kind %s: Parent is %q and Source is %q; keep Parent if the objects go with it in every cloud, and Source if they may outlive it", r.Kind, r.Parent, r.Source)
	}
	if _, described := d.Resource(r.Source); !described || r.Source == r.Kind {
		v.add("kind %s: Source is %q, which is no other kind that the cloud has; describe %s too, or correct Source", r.Kind, r.Source, r.Source)
	}
}

// restores checks that there are snapshots of what is restored from them.
func (v *validation) restores(d *Description, r Resource) {
	made := func(of Resource) bool { return of.Source == r.Kind }
	if r.Capabilities.RestoresDeleted && (!r.Capabilities.PointInTime || !r.Capabilities.Restores) {
		v.add("kind %s: Capabilities.RestoresDeleted needs Capabilities.PointInTime and Restores; set them, or remove it", r.Kind)
	}
	if r.Capabilities.Restores && !slices.ContainsFunc(d.Resources, made) {
		v.add("kind %s: Capabilities.Restores is true, and no kind has %s as its Source; describe that of its snapshots, or correct Restores", r.Kind, r.Kind)
	}
}

// within returns a kind, its parent, the parent of that, and so on. It ends at the first kind that is there twice.
func (d *Description) within(r Resource) []string {
	chain := []string{r.Kind}
	for r.Parent != "" {
		seen := slices.Contains(chain, r.Parent)
		chain = append(chain, r.Parent)
		parent, described := d.Resource(r.Parent)
		if seen || !described {
			break
		}
		r = parent
	}
	return chain
}
