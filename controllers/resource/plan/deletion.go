package plan

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A DeletionEffect is what the deletion of a Kubernetes object does to its cloud object in the end.
type DeletionEffect int

// The effects of a deletion.
const (
	DeletionUndecided      DeletionEffect = iota // the cloud does not show the mark yet; it is observed again
	DeletionLeavesObserved                       // it was only observed, and stays
	DeletionFindsNothing                         // the cloud has none
	DeletionInProgress                           // the cloud is deleting it already
	DeletionNeedsConsent                         // it may not be Mooring's to delete; a person decides
	DeletionLeavesUnmarked                       // it does not have this object's mark, and stays
	DeletionLeavesReleased                       // it is marked as released already, and stays
	DeletionLeavesOthers                         // it is not this object's, and stays
	DeletionReleases                             // it is marked as released, and stays
	DeletionProtected                            // it is deleted once its deletion protection is lifted
	DeletionDestroys                             // it is deleted
)

// destroys reports whether the deletion takes what is within the cloud object with it.
func (e DeletionEffect) destroys() bool { return e == DeletionProtected || e == DeletionDestroys }

// EffectOfDeletion decides what a deletion does to the cloud object, and whether a final snapshot is taken first. The plan carries it out, and
// the preview announces it.
func EffectOfDeletion(v View, o driver.Observation, p Policy) (effect DeletionEffect, snapshot bool) {
	switch {
	case p.Management == v1alpha1.ManagementObserve:
		return DeletionLeavesObserved, false
	case o.State == driver.Absent:
		return DeletionFindsNothing, false
	case o.State == driver.Deleting:
		return DeletionInProgress, false
	}
	switch Ownership(v, o) {
	case Ours, OursUnmarked, Copied:
	case Unmarked:
		switch {
		case v.Bound && !v.UnmarkedSure:
			return DeletionUndecided, false
		case v.WasReady && p.Deletion != v1alpha1.DeletionRetain && mayDelete(v, o, p):
			return DeletionNeedsConsent, false
		default:
			return DeletionLeavesUnmarked, false
		}
	case Released:
		return DeletionLeavesReleased, false
	default:
		return DeletionLeavesOthers, false
	}
	if p.Deletion == v1alpha1.DeletionRetain || !mayDelete(v, o, p) {
		return DeletionReleases, false
	}
	// What never worked holds nothing worth keeping, and the cloud may be unable to take a snapshot of it. What
	// works now may hold something, although it never was as declared: it may have been adopted. A copy that nobody used has what it was made of.
	snapshot = p.Deletion == v1alpha1.DeletionSnapshot && (v.WasReady || o.State == driver.Ready && !v.Inherits()) && v.DataElsewhere == ""
	if o.Protected {
		return DeletionProtected, snapshot
	}
	return DeletionDestroys, snapshot
}

// planDeletion decides for an object that is being deleted. The finalizer goes only when the
// cloud confirmed that nothing of ours is left there, or when it is to be left.
func planDeletion(v View, o driver.Observation, p Policy) Action {
	effect, snapshot := EffectOfDeletion(v, o, p)
	if effect.destroys() && len(v.Children) > 0 {
		return inUse(v.Children).action()
	}
	if effect.destroys() && len(v.Guards) > 0 {
		return v.Guards[0].action()
	}
	switch effect {
	case DeletionLeavesObserved:
		return leaving("the cloud object was only observed, and stays in the cloud")
	case DeletionFindsNothing:
		return planGone(v, o, p)
	case DeletionInProgress:
		return deleting("the cloud is deleting it")
	case DeletionNeedsConsent:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned, Message: "the cloud object lost its mark, so Mooring does not delete it; " +
			"set spec.deletionPolicy: Retain to keep it, or delete it in the cloud"}
	case DeletionLeavesUnmarked:
		return leaving("the cloud object of this name does not have this object's mark, and stays in the cloud")
	case DeletionLeavesReleased:
		message := "the cloud object is marked as released, and stays in the cloud"
		if v.Inherits() {
			message += "; it is a copy that was never finished, and may have the networks and the passwords of the server that it was made of"
		}
		return leaving(message)
	case DeletionLeavesOthers:
		return leaving("the cloud object of this name belongs to another object, and stays in the cloud")
	case DeletionReleases:
		if r := p.Unreleased; r.Reason != "" {
			return Action{Verb: Stall, Reason: r.Reason, Message: r.Message}
		}
		if o.State == driver.Pending {
			return deleting(MessageReleasing)
		}
		if first := v.Companion.Release; first != nil {
			return *first
		}
		return Action{Verb: Release, Reason: v1alpha1.ReasonDeleting, Message: MessageReleasing}
	case DeletionProtected:
		return planProtected(v, o)
	case DeletionDestroys:
		if o.State == driver.Pending {
			return deleting("waiting for an operation in the cloud to finish" + atWork(o))
		}
		return Action{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Message: "Mooring is requesting the deletion in the cloud", Snapshot: snapshot}
	default:
		return deleting("the cloud does not show its mark; checking again to be sure")
	}
}

// FieldProtection is the protection from deletion of the cloud, in the words of the spec.
const FieldProtection = "deletionProtection"

// lifting returns the index of the change that lifts deletion protection because the spec says so in as many words; -1 if
// the spec does not.
func lifting(changes []driver.Change) int {
	return slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == FieldProtection && !c.Release })
}

// planProtected lifts the cloud's deletion protection if the spec says so.
func planProtected(v View, o driver.Observation) Action {
	i := lifting(o.Changes)
	switch {
	case i < 0 && v.InConsistencyWindow:
		return deleting("waiting for the cloud to show that deletion protection is off")
	case i < 0 && v.Enforced.Has(FieldProtection):
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on, and the class enforces it; ask your platform team to turn it off, in the class or in the cloud"}
	case i < 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on; set spec.deletionProtection: false to delete it"}
	case o.State == driver.Pending:
		return deleting("waiting for an operation in the cloud to finish" + atWork(o))
	case o.Changes[i].NeedsRunning:
		return startFirst(o.Changes)
	}
	return Action{Verb: Update, Reason: v1alpha1.ReasonDeleting, Message: "Mooring is turning off deletion protection", Changes: o.Changes[i : i+1]}
}

// startFirst starts a stopped server whose protection the cloud lifts only once it runs, if the spec says that it runs.
func startFirst(changes []driver.Change) Action {
	i := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == driver.FieldPowerState && !c.Stops() })
	if i < 0 {
		return Action{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected, Message: "deletion protection is on, and the cloud turns it off only while the database runs, but it is stopped; " +
			"set spec.powerState: Running, and the deletion continues"}
	}
	return Action{Verb: Update, Reason: v1alpha1.ReasonDeleting, Message: "Mooring is starting the database, so that deletion protection can be turned off", Changes: changes[i : i+1]}
}

// planGone decides when the cloud no longer has the object.
func planGone(v View, o driver.Observation, p Policy) Action {
	if v.Bound && !v.AbsenceSure {
		a := deleting("the cloud no longer shows it; checking again to be sure")
		a.KeepConditions = true
		return a
	}
	lost := false
	if p.Deletion == v1alpha1.DeletionSnapshot && v.Bound {
		switch {
		case o.Backup.GetFinalSnapshot() == driver.Pending:
			return deleting(strings.TrimSpace("the cloud is finishing the final snapshot " + v.FinalSnapshot))
		case o.Backup.GetFinalSnapshot() == driver.Failed:
			return Action{Verb: Stall, Reason: v1alpha1.ReasonFailed, Message: "the cloud object is deleted, but its final snapshot failed; " +
				"set spec.deletionPolicy: Delete to remove this object without a snapshot"}
		case o.Backup.GetFinalSnapshot() == driver.Unknown:
			return deleting("the final snapshot could not be read; checking again")
		case o.Backup.GetFinalSnapshot() == driver.Absent && !v.SnapshotAbsenceSure: // absence from a list is not absence
			return deleting("the cloud shows no final snapshot; checking again to be sure")
		default: // Ready, or surely absent: it was deleted in the cloud without our asking, and nothing is left to keep.
			lost = v.WasReady && o.Backup.GetFinalSnapshot() == driver.Absent && !v.Source.HasData // of which none was taken
		}
	}
	gone := Action{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Message: "the cloud object is deleted", Lost: lost}
	switch then := v.Companion.Delete; {
	case then == nil:
	case lost, p.Deletion == v1alpha1.DeletionRetain, !mayDelete(v, o, p): // it may be all that is left, or is not to go
		gone.Message += "; " + v.Companion.Stays
	default:
		return *then
	}
	return gone
}

// MessageReleasing is what the conditions say while the mark is changed of a cloud object that stays.
const MessageReleasing = "Mooring is marking the cloud object as released"

func deleting(message string) Action {
	return Action{Verb: Wait, Reason: v1alpha1.ReasonDeleting, Message: message}
}

// leaving drops the finalizer and leaves the cloud object as it is.
func leaving(message string) Action {
	return Action{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true, Message: message}
}

// mostNamed is how many objects within one that is deleted are named.
const mostNamed = 3

// NamesOf lists the objects that keep one from being deleted.
func NamesOf(children []string) string {
	names := strings.Join(children[:min(len(children), mostNamed)], ", ")
	if len(children) > mostNamed {
		names += " and others"
	}
	return names
}

// ItOrThem is how a sentence goes on about the objects that it named.
func ItOrThem(children []string) string {
	if len(children) == 1 {
		return "it"
	}
	return "them"
}
