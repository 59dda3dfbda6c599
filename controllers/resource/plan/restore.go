package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Snapshot is what is known of the snapshot from which an object is to be restored.
type Snapshot struct {
	// Named is how messages call it.
	Named string
	// Open: the account is the namespace's own, or its class lets it take over anything, so that also what has no mark of this cluster may be restored.
	Open bool
	// Copies: what is created is born as a copy of it, its mark included.
	Copies bool
	// Known: an object of the namespace stands for it, and its status says so.
	Known bool
	// Other: what has the name in the cloud is another snapshot than the one that the object stands for which the spec names.
	Other bool
	// Seen is what was observed of it.
	Seen driver.Observation
	// Unfit is why no object can be restored from it as the spec wants; empty if one can.
	Unfit string
}

// RestoreRefusal returns why no object is restored from a snapshot now; it is nothing if its Reason is empty. Of SnapshotNotReady it passes by itself.
func RestoreRefusal(v View, s Snapshot) Refusal {
	switch o := s.Seen; {
	case o.State == driver.Unknown || MarkUnread(o):
		return Refusal{v1alpha1.ReasonSnapshotNotReady, "the cloud's answer about " + s.Named + " could not be understood; Mooring looks again"}
	case o.State == driver.Absent, o.State == driver.Deleting:
		return Refusal{v1alpha1.ReasonSnapshotNotFound, fmt.Sprintf("there is no %s in this account and location, so nothing is created; correct spec.restoreFrom", s.Named)}
	case s.Other:
		return Refusal{v1alpha1.ReasonSnapshotNotFound, fmt.Sprintf("what has the name of %s in this account and location is another one, so nothing is created; correct spec.restoreFrom or the location", s.Named)}
	case !s.Known && !mayInherit(v, o.Mark):
		return Refusal{v1alpha1.ReasonNotOwned, s.Named + " was made in an earlier namespace of this name, which may have been other people's, so nothing is restored from it; " +
			"name another one in spec.restoreFrom, or ask your platform team, which allows it by the annotation " + v1alpha1.AnnotationAdoptFrom}
	case !mayRestore(v, o.Mark, s.Open):
		return Refusal{v1alpha1.ReasonNotOwned, fmt.Sprintf("%s may not be restored in this namespace: it has the mark of another one, or it has no mark of this cluster and the account is shared; "+
			"name another one in spec.restoreFrom, or ask your platform team for a class with allowAdoption: Any", s.Named)}
	case s.Copies && (o.Mark.Cluster != v.Mark.Cluster || o.Mark.Released):
		return Refusal{v1alpha1.ReasonInvalid, fmt.Sprintf("a copy of %s would be born with a mark that is no object's of this cluster, so nobody would know whose it is; restore a DatabaseSnapshot of it instead", s.Named)}
	case s.Copies && (o.Mark.Name == "" || o.Mark.UID == ""): // its object completes it
		return Refusal{v1alpha1.ReasonSnapshotNotReady, fmt.Sprintf("a part of the mark of %s is missing, and a copy would be born so; Mooring waits until it is complete", s.Named)}
	case o.State == driver.Failed:
		return Refusal{v1alpha1.ReasonInvalid, fmt.Sprintf("nothing can be restored from %s, because it failed in the cloud; name another one in spec.restoreFrom", s.Named)}
	case s.Unfit != "":
		return Refusal{v1alpha1.ReasonInvalid, fmt.Sprintf("nothing is restored from %s: %s", s.Named, s.Unfit)}
	case !o.Available:
		return Refusal{v1alpha1.ReasonSnapshotNotReady, "waiting for " + s.Named + ", which is still being taken"}
	}
	return Refusal{}
}

// mayRestore reports whether what bears a mark may be restored in an object's namespace. What another namespace of this cluster made or left behind is never
// for this one. What has no mark of this cluster may be anybody's, so it is for those alone to whom the account is open. However the spec names it, the object's
// own account decides, whose identity restores: not the rights by which another object looks at the snapshot.
func mayRestore(v View, mark driver.Mark, open bool) bool {
	if mark.Cluster == v.Mark.Cluster {
		return mark.Namespace == v.Mark.Namespace
	}
	return open
}

// AppliedToCopy returns what counts as applied to a copy of what applied was applied to: that, because the copy has it, and each field with a safe value, because
// people may have set others. So what the spec of the copy does not have is undone. Where no value is known, the one that is there is taken for it. What is in the
// copy is no setting, and its login is seen by other means.
func AppliedToCopy(fields []driver.Field, applied driver.Applied, contents []string) driver.Applied {
	of := driver.Applied{}
	for _, f := range fields {
		switch values, known := applied[f.Field]; {
		case slices.Contains(contents, f.Field), strings.HasPrefix(f.Field, "credentials."), f.Field == driver.FieldPowerState:
		case known:
			of[f.Field] = slices.Clone(values)
		case f.Safe != "":
			of[f.Field] = []string{}
		}
	}
	return of
}

// Unfinished reports whether the object was restored and never yet was both usable and as its spec says. Until then it is as what it was restored from, nobody is told
// to use it, and what differs belongs to its creation. That it works alone does not end this: earlier releases noted that it worked although it stalled.
func (v View) Unfinished() bool {
	return v.Restored && v.Origin == v1alpha1.OriginCreated && (!v.WasReady || !v.WasApplied)
}

// RestoreUnfinished reports the same of an object as it is stored.
func RestoreUnfinished(k *kind.Kind, object v1alpha1.ResourceObject) bool {
	v := StoredView(object, object.GetResourceStatus())
	v.Restored = k.Restored(object)
	return v.Unfinished()
}
