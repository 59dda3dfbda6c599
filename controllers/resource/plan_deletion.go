package resource

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// A deletionEffect is what the deletion of a Kubernetes object does to its cloud object in the end.
type deletionEffect int

const (
	deletionUndecided      deletionEffect = iota // the cloud does not show the mark yet; it is observed again
	deletionLeavesObserved                       // it was only observed, and stays
	deletionFindsNothing                         // the cloud has none
	deletionUnderWay                             // the cloud is deleting it already
	deletionNeedsConsent                         // it may not be Mooring's to delete; a person decides
	deletionLeavesUnmarked                       // it does not have this object's mark, and stays
	deletionLeavesReleased                       // it is marked as released already, and stays
	deletionLeavesOthers                         // it is not this object's, and stays
	deletionReleases                             // it is marked as released, and stays
	deletionProtected                            // it is deleted once its deletion protection is lifted
	deletionDestroys                             // it is deleted
)

// effectOfDeletion decides what a deletion does to the cloud object, and whether a final snapshot is taken first. The plan carries it out, and
// the preview announces it.
func effectOfDeletion(v View, o driver.Observation, p Policy) (effect deletionEffect, snapshot bool) {
	switch {
	case p.Management == v1alpha1.ManagementObserve:
		return deletionLeavesObserved, false
	case o.State == driver.Absent:
		return deletionFindsNothing, false
	case o.State == driver.Deleting:
		return deletionUnderWay, false
	}
	switch ownership(v, o) {
	case ours, oursUnmarked:
	case unmarked:
		switch {
		case v.Bound && !v.UnmarkedSure:
			return deletionUndecided, false
		case v.WasReady && p.Deletion != v1alpha1.DeletionRetain && mayDelete(v, o, p):
			return deletionNeedsConsent, false
		default:
			return deletionLeavesUnmarked, false
		}
	case released:
		return deletionLeavesReleased, false
	default:
		return deletionLeavesOthers, false
	}
	if p.Deletion == v1alpha1.DeletionRetain || !mayDelete(v, o, p) {
		return deletionReleases, false
	}
	// What never worked holds nothing worth keeping, and the cloud may be unable to take a snapshot of it. What
	// works now may hold something, although it never was as declared: it may have been adopted.
	snapshot = p.Deletion == v1alpha1.DeletionSnapshot && (v.WasReady || o.State == driver.Ready)
	if o.Protected {
		return deletionProtected, snapshot
	}
	return deletionDestroys, snapshot
}

// planDeletion decides for an object that is being deleted. The finalizer goes only when the
// cloud confirmed that nothing of ours is left there, or when it is to be left.
func planDeletion(v View, o driver.Observation, p Policy) Action {
	switch effect, snapshot := effectOfDeletion(v, o, p); effect {
	case deletionLeavesObserved:
		return leaving("the cloud object was only observed, and stays in the cloud")
	case deletionFindsNothing:
		return planGone(v, o, p)
	case deletionUnderWay:
		return deleting("the cloud is deleting it")
	case deletionNeedsConsent:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned, Message: "the cloud object lost its mark, so Mooring does not delete it; " +
			"set spec.deletionPolicy: Retain to keep it, or delete it in the cloud"}
	case deletionLeavesUnmarked:
		return leaving("the cloud object of this name does not have this object's mark, and stays in the cloud")
	case deletionLeavesReleased:
		return leaving("the cloud object is marked as released, and stays in the cloud")
	case deletionLeavesOthers:
		return leaving("the cloud object of this name belongs to another object, and stays in the cloud")
	case deletionReleases:
		if o.State == driver.Pending {
			return deleting(messageReleasing)
		}
		return Action{Verb: Release, Reason: v1alpha1.ReasonDeleting, Message: messageReleasing}
	case deletionProtected:
		return planProtected(v, o)
	case deletionDestroys:
		if o.State == driver.Pending {
			return deleting("waiting for an operation in the cloud to finish" + atWork(o))
		}
		return Action{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Message: "Mooring is requesting the deletion in the cloud", Snapshot: snapshot}
	default:
		return deleting("the cloud does not show its mark; checking again to be sure")
	}
}

// fieldProtection is the protection from deletion of the cloud, in the words of the spec.
const fieldProtection = "deletionProtection"

// lifting returns the index of the change that lifts deletion protection because the spec says so in as many words; -1 if
// the spec does not.
func lifting(changes []field.Change) int {
	return slices.IndexFunc(changes, func(c field.Change) bool { return c.Field == fieldProtection && !c.Release })
}

// planProtected lifts the cloud's deletion protection if the spec says so.
func planProtected(v View, o driver.Observation) Action {
	i := lifting(o.Changes)
	switch {
	case i < 0 && v.Unsettled:
		return deleting("waiting for the cloud to show that deletion protection is off")
	case i < 0 && v.Enforced.Has(fieldProtection):
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on, and the class enforces it; ask your platform team to turn it off, in the class or in the cloud"}
	case i < 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on; set spec.deletionProtection: false to delete it"}
	case o.State == driver.Pending:
		return deleting("waiting for an operation in the cloud to finish" + atWork(o))
	}
	return Action{Verb: Update, Reason: v1alpha1.ReasonDeleting, Message: "Mooring is turning off deletion protection", Changes: o.Changes[i : i+1]}
}

// planGone decides when the cloud no longer has the object.
func planGone(v View, o driver.Observation, p Policy) Action {
	if v.Bound && !v.AbsenceSure {
		a := deleting("the cloud no longer shows it; checking again to be sure")
		a.Quiet = true
		return a
	}
	lost := false
	if p.Deletion == v1alpha1.DeletionSnapshot && v.Bound {
		switch {
		case o.Snapshot == driver.Pending:
			return deleting("the cloud is finishing the final snapshot")
		case o.Snapshot == driver.Failed:
			return Action{Verb: Stall, Reason: v1alpha1.ReasonFailed, Message: "the cloud object is deleted, but its final snapshot failed; " +
				"set spec.deletionPolicy: Delete to remove this object without a snapshot"}
		case o.Snapshot == driver.Unknown:
			return deleting("the final snapshot could not be read; checking again")
		case o.Snapshot == driver.Absent && !v.SnapshotAbsenceSure: // absence from a list is not absence
			return deleting("the cloud shows no final snapshot; checking again to be sure")
		default: // Ready, or surely absent: it was deleted in the cloud without our asking, and nothing is left to keep.
			lost = v.WasReady && o.Snapshot == driver.Absent
		}
	}
	return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Message: "the cloud object is deleted", Lost: lost}
}

const messageReleasing = "Mooring is marking the cloud object as released"

func deleting(message string) Action {
	return Action{Verb: Wait, Reason: v1alpha1.ReasonDeleting, Message: message}
}

// leaving drops the finalizer and leaves the cloud object as it is.
func leaving(message string) Action {
	return Action{Verb: Forget, Reason: v1alpha1.ReasonDeleting, Stays: true, Message: message}
}
