package plan

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// An Ending is what the deletion of an object leads to, once the cloud has done all that it is asked to.
type Ending struct {
	Effect DeletionEffect
	// Snapshot: a final snapshot is taken first. MaybeSnapshot: whether one is taken depends on how the operation ends that is in progress in the cloud.
	Snapshot, MaybeSnapshot bool
	// LiftsProtection: the deletion protection is lifted first, because the spec says so. StopsBecause is why the deletion stops at the
	// protection; empty if it does not.
	LiftsProtection bool
	StopsBecause    string
	// InUseBy names what the deletion waits for, because it would be gone with the cloud object; nothing if it waits for nobody.
	InUseBy []string
	// Waits says what else the deletion waits for, a line each.
	Waits []string
	// LosesData: the cloud object is gone already, and no final snapshot can be taken.
	LosesData bool
	// MayNeedApproval: the cloud object is not known to have another's mark. If it has none, the deletion waits for a person.
	MayNeedApproval bool
}

// EndingOf follows the plan of a deletion to its end. It is pure.
func EndingOf(v View, o driver.Observation, p Policy) Ending {
	v.Deleting, v.InConsistencyWindow = true, false
	v.AbsenceSure, v.SnapshotAbsenceSure, v.UnmarkedSure = true, true, true
	var e Ending
	e.Effect, e.Snapshot = EffectOfDeletion(v, o, p)
	if o.State == driver.Pending {
		rested := o
		rested.State = driver.Ready
		_, works := EffectOfDeletion(v, rested, p)
		e.MaybeSnapshot = works && !e.Snapshot
		o = rested
	}
	if e.Effect.destroys() {
		e.InUseBy = v.Children
		for _, guard := range v.Guards {
			if guard.Foreseen != "" {
				e.Waits = append(e.Waits, guard.Foreseen)
			}
		}
	}
	switch e.Effect {
	case DeletionProtected:
		if a := planProtected(v, o); a.Verb == Stall {
			e.StopsBecause = a.Message
		} else {
			e.LiftsProtection = true
		}
	case DeletionLeavesOthers:
		o.Mark, o.ID = driver.Mark{}, ""
		ifUnmarked, _ := EffectOfDeletion(v, o, p)
		e.MayNeedApproval = ifUnmarked == DeletionNeedsConsent
	case DeletionFindsNothing:
		e.LosesData = planGone(v, o, p).Lost
	default: // nothing is in the way
	}
	return e
}
