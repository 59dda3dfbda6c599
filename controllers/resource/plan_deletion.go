package resource

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// planDeletion decides for an object that is being deleted. The finalizer goes only when the
// cloud confirmed that nothing of ours is left there, or when it is to be left.
func planDeletion(v View, o driver.Observation, p Policy) Action {
	switch {
	case p.Management == v1alpha1.ManagementObserve:
		return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Stays: true, Message: "it was only observed, and stays in the cloud"}
	case o.State == driver.Absent:
		return planGone(v, o, p)
	case o.State == driver.Deleting:
		return deleting("the cloud is deleting it")
	}
	switch ownership(v, o) {
	case ours, oursUnmarked:
	case unmarked:
		if v.Bound && !v.UnmarkedSure {
			return deleting("the cloud does not show its mark; looking again to be sure")
		}
		if v.WasReady && p.Deletion != v1alpha1.DeletionRetain && mayDelete(v, o, p) {
			return Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned, Message: "the cloud object lost its mark, so it may not be Mooring's to delete; " +
				"set spec.deletionPolicy: Retain to leave it, or delete it in the cloud"}
		}
		return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Stays: true, Message: "the cloud object of this name does not bear this object's mark, and stays"}
	case released:
		return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Stays: true, Message: "the cloud object is marked as left behind, and stays"}
	default:
		return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Stays: true, Message: "the cloud object of this name is not this object's, and stays"}
	}
	if p.Deletion == v1alpha1.DeletionRetain || !mayDelete(v, o, p) {
		if o.State == driver.Pending {
			return deleting(messageReleasing)
		}
		return Action{Verb: Release, Reason: v1alpha1.ReasonDeleting, Message: messageReleasing}
	}
	switch {
	case o.Protected:
		return planProtected(v, o)
	case o.State == driver.Pending:
		return deleting("waiting for the cloud to be done with it" + atWork(o))
	}
	a := Action{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Message: "the cloud is asked to delete it"}
	// What never worked holds nothing worth keeping, and the cloud may be unable to take a snapshot of it. What
	// works now may hold something, although it never was as declared: it may have been adopted.
	a.Snapshot = p.Deletion == v1alpha1.DeletionSnapshot && (v.WasReady || o.State == driver.Ready)
	return a
}

// planProtected lifts the cloud's deletion protection if the spec says so in as many words.
func planProtected(v View, o driver.Observation) Action {
	i := slices.IndexFunc(o.Changes, func(c field.Change) bool { return c.Field == "deletionProtection" && !c.Release })
	switch {
	case i < 0 && v.Unsettled:
		return deleting("waiting for the cloud to show that deletion protection is lifted")
	case i < 0 && v.Enforced.Has("deletionProtection"):
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on, and the class insists on it; ask your platform team to lift it, in the class or in the cloud"}
	case i < 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on; set spec.deletionProtection: false to have it deleted"}
	case o.State == driver.Pending:
		return deleting("waiting for the cloud to be done with it" + atWork(o))
	}
	return Action{Verb: Update, Reason: v1alpha1.ReasonDeleting, Message: "deletion protection is being lifted", Changes: o.Changes[i : i+1]}
}

// planGone decides when the cloud no longer has the object.
func planGone(v View, o driver.Observation, p Policy) Action {
	if v.Bound && !v.AbsenceSure {
		a := deleting("the cloud no longer shows it; looking again to be sure")
		a.Quiet = true
		return a
	}
	lost := false
	if p.Deletion == v1alpha1.DeletionSnapshot && v.Bound {
		switch {
		case o.Snapshot == driver.Pending:
			return deleting("the cloud is finishing the final snapshot")
		case o.Snapshot == driver.Failed:
			return Action{Verb: Stall, Reason: v1alpha1.ReasonFailed, Message: "it is deleted, but the final snapshot failed; " +
				"set spec.deletionPolicy: Delete to let this object go without one"}
		case o.Snapshot == driver.Unknown:
			return deleting("the final snapshot could not be seen; looking again")
		case o.Snapshot == driver.Absent && !v.SnapshotAbsenceSure: // absence from a list is not absence
			return deleting("the cloud shows no final snapshot; looking again to be sure")
		default: // Ready, or surely absent: it was deleted in the cloud without our asking, and nothing is left to keep.
			lost = v.WasReady && o.Snapshot == driver.Absent
		}
	}
	return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Message: "it is gone from the cloud", Lost: lost}
}

const messageReleasing = "the cloud object is being marked as left behind"

func deleting(message string) Action {
	return Action{Verb: Wait, Reason: v1alpha1.ReasonDeleting, Message: message}
}
