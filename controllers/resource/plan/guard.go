package plan

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// A Guard keeps the deletion of an object from destroying the cloud object for now. What stays in the cloud waits for no guard.
type Guard struct {
	// Refusal is what the conditions say.
	Refusal
	// Passes: what the deletion waits for comes by itself. Otherwise a person has to act.
	Passes bool
	// Foreseen is what a preview of the deletion says; empty for nothing.
	Foreseen string
}

// action is what a deletion does while it waits.
func (g Guard) action() Action {
	if g.Passes {
		return deleting(g.Message)
	}
	return Action{Verb: Stall, Reason: g.Reason, Message: g.Message}
}

// inUse waits for what is within an object and would be gone with it. Objects that are being deleted too hold up nothing: they find out in
// the cloud that they are gone.
func inUse(children []string) Guard {
	return Guard{Refusal: Refusal{v1alpha1.ReasonInUse, "it is in use by " + NamesOf(children) + ", which would be gone with it; delete " +
		ItOrThem(children) + ", and the deletion continues"}}
}
