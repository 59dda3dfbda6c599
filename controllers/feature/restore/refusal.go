package restore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// restoreRefusal returns why no object is restored from a snapshot now; it is nothing if its Reason is empty. Of SnapshotNotReady it passes by itself.
func restoreRefusal(v plan.View, s snapshot) plan.Refusal {
	switch o := s.Seen; {
	case o.State == driver.Unknown || plan.MarkUnread(o):
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotReady, Message: "the cloud's answer about " + s.Named + " could not be understood; Mooring looks again"}
	case o.State == driver.Absent, o.State == driver.Deleting:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotFound, Message: fmt.Sprintf("there is no %s in this account and location, so nothing is created; correct spec.restoreFrom", s.Named)}
	case s.Other:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotFound, Message: fmt.Sprintf("what has the name of %s in this account and location is another one, so nothing is created; correct spec.restoreFrom or the location", s.Named)}
	case !s.Known && !plan.MayInherit(v, o.Mark):
		return plan.Refusal{Reason: v1alpha1.ReasonNotOwned, Message: s.Named + " was made in an earlier namespace of this name, which may have been other people's, so nothing is restored from it; " +
			"name another one in spec.restoreFrom, or ask your platform team, which allows it by the annotation " + v1alpha1.AnnotationAdoptFrom}
	case !mayRestore(v, o.Mark, s.Open):
		return plan.Refusal{Reason: v1alpha1.ReasonNotOwned, Message: fmt.Sprintf("%s may not be restored in this namespace: it has the mark of another one, or it has no mark of this cluster and the account is shared; "+
			"name another one in spec.restoreFrom, or ask your platform team for a class with allowAdoption: Any", s.Named)}
	case s.Copies && (o.Mark.Cluster != v.Mark.Cluster || o.Mark.Released):
		return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("a copy of %s would be born with a mark that is no object's of this cluster, so nobody would know whose it is; restore a DatabaseSnapshot of it instead", s.Named)}
	case s.Copies && (o.Mark.Name == "" || o.Mark.UID == ""): // its object completes it
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotReady, Message: fmt.Sprintf("a part of the mark of %s is missing, and a copy would be born so; Mooring waits until it is complete", s.Named)}
	case o.State == driver.Failed:
		return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("nothing can be restored from %s, because it failed in the cloud; name another one in spec.restoreFrom", s.Named)}
	case s.Unfit != "":
		return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("nothing is restored from %s: %s", s.Named, s.Unfit)}
	case !o.Available:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotReady, Message: "waiting for " + s.Named + ", which is still being taken"}
	}
	return plan.Refusal{}
}

// mayRestore reports whether what bears a mark may be restored in an object's namespace. What another namespace of this cluster made or left behind is never
// for this one. What has no mark of this cluster may be anybody's, so it is for those alone to whom the account is open. However the spec names it, the object's
// own account decides, whose identity restores: not the rights by which another object looks at the snapshot.
func mayRestore(v plan.View, mark driver.Mark, open bool) bool {
	if mark.Cluster == v.Mark.Cluster {
		return mark.Namespace == v.Mark.Namespace
	}
	return open
}

// appliedToCopy returns what counts as applied to a copy of what applied was applied to: that, because the copy has it, and each field with a safe value, because
// people may have set others. So what the spec of the copy does not have is undone. Where no value is known, the one that is there is taken for it. What is in the
// copy is no setting, and its login is seen by other means.
func appliedToCopy(fields []driver.Field, applied driver.Applied, contents []string) driver.Applied {
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
