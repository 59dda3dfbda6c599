package resource

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// belonging says whose a cloud object is.
type belonging int

const (
	ours         belonging = iota // it bears our mark
	oursUnmarked                  // it has the identity that we know, but lost its mark
	oursBefore                    // it bears the mark of this cluster, namespace and name, under another uid
	released                      // it bears such a mark, but was left behind on purpose
	unmarked                      // it bears no mark
	others                        // it bears the mark of something else
	replaced                      // it bears our mark, but is not the object that we knew
)

func ownership(v View, o driver.Observation) belonging {
	sameID := v.ID != "" && o.ID == v.ID
	switch {
	case o.Mark.Zero() && sameID && v.Held: // to have observed it makes it nobody's
		return oursUnmarked
	case o.Mark.Zero():
		return unmarked
	case !o.Mark.SameOwner(v.Mark):
		return others
	case o.Mark.Released:
		return released
	case v.ID != "" && o.ID != "" && o.ID != v.ID:
		return replaced
	case o.Mark.UID != v.Mark.UID:
		return oursBefore
	default:
		return ours
	}
}

func planForeign(b belonging, v View, o driver.Observation, p Policy) Action {
	mayAdopt := p.Adoption == v1alpha1.AdoptionIfExists || (b == oursBefore && p.Adoption == v1alpha1.AdoptionIfMarked)
	// Once it was Ready here and bears another's mark, that one took it over: taking it back would be
	// a fight without end.
	if mayAdopt && (b != others || mayTake(v, o.Mark)) {
		if o.State == driver.Pending {
			return Action{Verb: Wait, Reason: v1alpha1.ReasonAdopting, Message: messageAdopting}
		}
		return Action{Verb: Adopt, Reason: v1alpha1.ReasonAdopting, Message: messageAdopting}
	}
	a := Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}
	switch b {
	case others:
		a.Message = fmt.Sprintf("the cloud object of this name belongs to %s/%s of cluster %s; choose another spec.externalName",
			o.Mark.Namespace, o.Mark.Name, o.Mark.Cluster)
	case released:
		a.Message = "the cloud object of this name was left behind on purpose (deletionPolicy Retain); set spec.adoption: IfExists to take it back"
	case oursBefore:
		a.Message = "the cloud object of this name was made by an earlier object of this namespace and name; set spec.adoption: IfMarked to take it back"
	case replaced:
		a.Message = "the cloud object that this object managed was deleted, and another now has its name; set spec.adoption: IfExists to take that one, or delete this object"
	default:
		a.Message = "a cloud object of this name exists and does not bear Mooring's mark; set spec.adoption: IfExists to take it over, or choose another spec.externalName"
	}
	return a
}

// mayTake reports whether an explicit adoption may take what bears the mark of something else. What lives in this
// cluster is not taken from under its object: in a shared account one tenant could take another's.
func mayTake(v View, mark driver.Mark) bool {
	return !v.WasReady && (mark.Released || mark.Cluster != v.Mark.Cluster)
}
