package resource

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// An ending is what the deletion of an object leads to, once the cloud has done all that it is asked to.
type ending struct {
	effect deletionEffect
	// snapshot: a final snapshot is taken first. maybeSnapshot: that depends on whether what the cloud is at work on comes to work.
	snapshot, maybeSnapshot bool
	// lifts: the deletion protection is lifted first, because the spec says so. stops is why the deletion stops at it; empty if it does not.
	lifts bool
	stops string
	// loses: the cloud object is gone already, and no final snapshot can be taken.
	loses bool
	// mayAsk: the cloud object is not known to have another's mark. If it has none, the deletion waits for a person.
	mayAsk bool
}

// endingOf follows the plan of a deletion to its end. It is pure.
func endingOf(v View, o driver.Observation, p Policy) ending {
	v.Deleting, v.Unsettled = true, false
	v.AbsenceSure, v.SnapshotAbsenceSure, v.UnmarkedSure = true, true, true
	var e ending
	e.effect, e.snapshot = effectOfDeletion(v, o, p)
	if o.State == driver.Pending {
		rested := o
		rested.State = driver.Ready
		_, works := effectOfDeletion(v, rested, p)
		e.maybeSnapshot = works && !e.snapshot
		o = rested
	}
	switch e.effect {
	case deletionProtected:
		if a := planProtected(v, o); a.Verb == Stall {
			e.stops = a.Message
		} else {
			e.lifts = true
		}
	case deletionLeavesOthers:
		o.Mark, o.ID = driver.Mark{}, ""
		ifUnmarked, _ := effectOfDeletion(v, o, p)
		e.mayAsk = ifUnmarked == deletionNeedsConsent
	case deletionFindsNothing:
		e.loses = planGone(v, o, p).Lost
	default: // nothing is in the way
	}
	return e
}
