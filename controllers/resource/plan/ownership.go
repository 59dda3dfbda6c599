package plan

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Belonging says whose a cloud object is.
type Belonging int

// What a cloud object is to an object.
const (
	Ours         Belonging = iota // it bears our mark
	OursUnmarked                  // it has the identity that we know, but lost its mark, or a part of it
	OursBefore                    // it bears the mark of this cluster, namespace and name, under another uid
	Released                      // it bears such a mark, but was left behind on purpose
	Unmarked                      // it bears no mark
	Earlier                       // it bears such a mark, and may be of an earlier namespace of this name
	Others                        // it bears the mark of something else
	Replaced                      // it bears our mark, but is not the object that we knew
	TakenAway                     // it bore our mark while it worked, and now bears that of another object of this cluster, namespace and name
	Copied                        // it is the copy that was made for us, and still bears the mark of what it was made of
)

// TakenOver reports whether what is adopted was not the object's own before.
func (b Belonging) TakenOver() bool { return b != OursUnmarked && b != Copied }

// Inherits reports whether the cloud object was born as a copy, and was never yet as its spec says: its networks and its users are those of another one.
func (v View) Inherits() bool { return v.CopyOf != Copy{} }

// A Copy says of what a cloud object is born as a copy.
type Copy struct {
	// Mark is the mark of that one, which the copy has until it gets its own. Source is its identity, which is never the copy's.
	Mark   driver.Mark
	Source string
	// Doubtful: what has that mark may be somebody else's copy.
	Doubtful bool
}

// is reports whether what was observed is the copy, without a mark of its own.
func (c Copy) is(o driver.Observation) bool {
	return c != Copy{} && !c.Doubtful && o.Mark.Is(c.Mark) && (c.Source == "" || o.ID != c.Source)
}

// Ownership says whose an observed cloud object is.
func Ownership(v View, o driver.Observation) Belonging {
	sameID := v.knows(o)
	switch {
	case o.Mark.Zero() && v.HasFinalizer && (sameID || v.MarkMissing && v.ID == ""): // to have observed it makes it nobody's
		return OursUnmarked
	case v.HasFinalizer && o.Mark.PartOf(v.Mark) && (v.ID == "" || o.ID == "" || sameID): // no other object ever has this uid
		return OursUnmarked
	case o.Mark.Zero():
		return Unmarked
	case v.CopyOf.is(o) && (v.ID == "" || sameID):
		return Copied
	case !o.Mark.SameOwner(v.Mark):
		return Others
	case (!sameID || !v.HasFinalizer) && !v.WasReady && !MayInherit(v, o.Mark):
		return Earlier
	case o.Mark.Released && (!v.FinalMarks || !v.Recovers || !isEarlier(v, o.Mark)): // what can't be marked again counts as released for all but the object that its mark names
		return Released
	case v.ID != "" && o.ID != "" && !sameID:
		return Replaced
	case o.Mark.UID != v.Mark.UID && (v.WasReady || sameID && v.madeByAnother(o.Mark)) && !v.FromBackup: // an object has one uid all its life
		return TakenAway
	case o.Mark.UID != v.Mark.UID:
		return OursBefore
	default:
		return Ours
	}
}

// madeByAnother reports whether what Mooring created for an object has the mark of an object of another namespace of the name, without consent: another installation with the same cluster id took it.
func (v View) madeByAnother(mark driver.Mark) bool {
	return v.Accepted && mark.NamespaceUID != "" && !MayInherit(v, mark)
}

func planForeign(b Belonging, v View, o driver.Observation, p Policy) Action {
	mayAdopt := p.Adoption == v1alpha1.AdoptionIfExists || (b == OursBefore && p.Adoption == v1alpha1.AdoptionIfMarked)
	// Once it was Ready here and bears another's mark, that one took it over: taking it back would be
	// a fight without end.
	if mayAdopt && b != TakenAway && b != Earlier && (b != Others || mayTake(v, o.Mark)) {
		if o.State == driver.Pending {
			return Action{Verb: Wait, Reason: v1alpha1.ReasonAdopting, Message: messageAdopting}
		}
		if never := contradictions(v, o); len(never) > 0 {
			return Action{
				Verb: Stall, Reason: v1alpha1.ReasonImmutable, Pending: PendingChanges(v, never),
				Message: "a cloud object of this name exists, and Mooring does not take it over, because it can't be changed to match the spec: " + impossible(never) +
					"; set the spec to the values in the cloud, or choose another spec.externalName",
			}
		}
		return Action{Verb: Adopt, Reason: v1alpha1.ReasonAdopting, Message: messageAdopting}
	}
	a := Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}
	switch b {
	case Others:
		if v.Bound && v.Moved && !v.WasReady && v.ID == "" && (!v.Inherits() || !o.Mark.Is(v.CopyOf.Mark)) { // the name was taken before ours was created, and is wanted no more
			return Action{Verb: ClearBinding, Reason: v1alpha1.ReasonCreating, Message: messageCreating}
		}
		a.Message = "a cloud object of this name exists and belongs to another object; choose another spec.externalName, or ask your platform team"
		if leftFor(v, o.Mark) && o.Mark.Namespace == v.Mark.Namespace {
			a.Message = fmt.Sprintf("%s left the cloud object of this name behind; set spec.adoption: IfExists to take it over", o.Mark.Name)
		}
		a.Detail = whose(v, o.Mark)
	case Earlier:
		a.Message, a.Detail = messageEarlier, earlierBy(v, o.Mark)
	case Released:
		a.Message = "the cloud object of this name was released (deletionPolicy: Retain); set spec.adoption: IfExists to take it over again"
	case OursBefore:
		a.Message = "the cloud object of this name was created by a former object with this namespace and name; set spec.adoption: IfMarked to take it over"
	case TakenAway:
		a.Message = "another object with this namespace and name took the cloud object over, so a second installation of Mooring has the same cluster id; Mooring changes nothing, and the connection Secret may be out of date: " +
			"stop one of the two; to have the cloud object here, delete this object, which leaves it in the cloud, and create it again with the consent of your platform team"
		a.Detail = fmt.Sprintf("it has the mark of the uid %s, and this object has the uid %s", o.Mark.UID, v.Mark.UID)
	case Replaced:
		a.Message = "the cloud object that this object managed was deleted, and another now has its name; set spec.adoption: IfExists to take that one over, or delete this object"
	default:
		a.Message = unmarked(v)
	}
	return a
}

// unmarked says of a cloud object without a mark what to do: it may be the one that the object had.
func unmarked(v View) string {
	if v.Bound && v.WasReady {
		return "the cloud object of this name has no mark of Mooring any more, so Mooring no longer changes it: somebody removed the tags or labels, or made another one of the name; " +
			"look at it, and if it is the one of this object, set spec.adoption: IfExists, and Mooring marks it again"
	}
	return "a cloud object of this name exists and does not have Mooring's mark; set spec.adoption: IfExists to take it over, or choose another spec.externalName"
}

// contradictions are the differences that can never be put right, the class's own aside: what they are on is not what the object
// asks for.
func contradictions(v View, o driver.Observation) []driver.Change {
	return slices.DeleteFunc(slices.Clone(o.Changes), func(c driver.Change) bool {
		return c.Effect != driver.Impossible || CauseOf(v, c) == v1alpha1.CauseClass
	})
}

// mayTake reports whether an explicit adoption may take what has the mark of something else. What lives in this
// cluster is not taken from under its object: in a shared account one tenant could take another's.
func mayTake(v View, mark driver.Mark) bool {
	return !v.WasReady && (mark.Cluster != v.Mark.Cluster || leftFor(v, mark))
}

// leftFor reports whether a mark of this cluster says that the cloud object was left behind on purpose, by the object's own
// namespace, or by the object that the platform's consent names.
func leftFor(v View, mark driver.Mark) bool {
	return mark.Released && (mark.Namespace == v.Mark.Namespace && MayInherit(v, mark) || mark.Namespace+"/"+mark.Name == v.AdoptFrom)
}

// whose says whose mark a cloud object has, for the platform team: a cluster's id and names are all it takes to compute the names of
// what that cluster will create.
func whose(v View, mark driver.Mark) string {
	switch {
	case mark.Zero():
		return "it has no mark"
	case !MayInherit(v, mark):
		return earlierBy(v, mark)
	case mark.Released && mark.Cluster == v.Mark.Cluster:
		return fmt.Sprintf("%s/%s of this cluster released it; to let this object take it over, set the annotation %s=%s/%s on this object",
			mark.Namespace, mark.Name, v1alpha1.AnnotationAdoptFrom, mark.Namespace, mark.Name)
	default:
		return fmt.Sprintf("it has the mark of %s/%s of cluster %s", mark.Namespace, mark.Name, mark.Cluster)
	}
}

// OriginOf returns the origin of what is taken over. What an earlier object of this namespace and name had made counts as made.
func OriginOf(b Belonging) v1alpha1.Origin {
	if b == OursBefore {
		return v1alpha1.OriginCreated
	}
	return v1alpha1.OriginAdopted
}

// mayDelete reports whether a cloud object with the object's mark goes with the object: it was made for it, or was once as the
// object declares.
func mayDelete(v View, o driver.Observation, p Policy) bool {
	switch {
	case v.WasApplied || v.Origin == v1alpha1.OriginCreated:
		return true
	case v.Origin == v1alpha1.OriginAdopted:
		return false
	default: // 0.1.0 did not note it: it took over by IfExists alone, and what it made contradicted no spec
		return p.Adoption != v1alpha1.AdoptionIfExists && len(contradictions(v, o)) == 0
	}
}
