package plan

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A namespace that was deleted and created again is another one, and may be other people's: what its predecessor made or left behind is not for it, although cluster,
// namespace and name in a mark are the same. The uid of the namespace tells them apart. A mark from before Mooring wrote that uid may be of either. See ADR 37.

// isEarlier reports whether a mark may be that of an object of an earlier namespace of this name. No two objects have the same uid, whatever else a mark says.
func isEarlier(v View, mark driver.Mark) bool {
	return v.Mark.NamespaceUID != "" && mark.Cluster == v.Mark.Cluster && mark.Namespace == v.Mark.Namespace &&
		mark.UID != v.Mark.UID && mark.NamespaceUID != v.Mark.NamespaceUID
}

// MayInherit reports whether an object may have what bears a mark as far as the namespace is concerned: it is that of the mark for certain, or the namespace has the
// account for itself, or the platform consented, for this object or for the whole namespace.
func MayInherit(v View, mark driver.Mark) bool {
	bound := v.Bound && v.Origin == v1alpha1.OriginAdopted && mark.NamespaceUID == "" // that it is to be taken over was decided
	return !isEarlier(v, mark) || bound || v.OwnAccount || v.Recovers || mark.Namespace+"/"+mark.Name == v.AdoptFrom
}

// wasSeen reports whether an object that only observes had what it observes before, although nothing but that says so: a mark from before Mooring wrote the uid of the namespace
// does not end it.
func (v View) wasSeen(o driver.Observation) bool {
	return o.Mark.NamespaceUID == "" && (v.knows(o) || v.Shown)
}

// knows reports whether the status says that what was observed is the object's: then its mark decides nothing about that.
func (v View) knows(o driver.Observation) bool {
	return v.ID != "" && (o.ID == v.ID || o.Succession.GetSucceeds() == v.ID) // the cloud says itself what takes the place of what
}

// EarlierBy says, for the platform team, which earlier object something is of that may not be restored; empty if that is not why.
func EarlierBy(v View, mark driver.Mark) string {
	if MayInherit(v, mark) {
		return ""
	}
	return earlierBy(v, mark)
}

// earlierBy says which earlier object a mark is of, for the platform team.
func earlierBy(v View, mark driver.Mark) string {
	of := fmt.Sprintf("it has the mark of %s/%s in an earlier namespace of that name (uid %s)", mark.Namespace, mark.Name, mark.NamespaceUID)
	if mark.NamespaceUID == "" {
		of = fmt.Sprintf("it has the mark of %s/%s, without the uid of the namespace, as Mooring wrote it before; this namespace has the uid %s", mark.Namespace, mark.Name, v.Mark.NamespaceUID)
	}
	return fmt.Sprintf("%s; to let this object have it, set the annotation %s=%s/%s on this object; after the loss of a cluster, see the chart's value recovery",
		of, v1alpha1.AnnotationAdoptFrom, mark.Namespace, mark.Name)
}

const messageEarlier = "a cloud object of this name exists, and was made for an object of an earlier namespace of this name, which may have been other people's; " +
	"choose another spec.externalName, or ask your platform team to let this object take it over"
