package resource

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/field"
)

// A Fate is what becomes of a change.
type Fate string

// The fates.
const (
	AtOnce        Fate = "AtOnce"        // it is made
	AfterApproval Fate = "AfterApproval" // it waits until a person approves it
	Withheld      Fate = "Withheld"      // it waits until the spec no longer asks for an Impossible change
	Never         Fate = "Never"         // the cloud can't make it
)

// A Decided change is one with its cause and its fate.
type Decided struct {
	field.Change
	Cause string
	Fate  Fate
}

// decidedChanges says what becomes of the differences of an object at rest.
type decidedChanges struct {
	changes []Decided
	// hash identifies the changes that wait for approval; empty if none does.
	hash string
	// editWaits: some of what waits was asked for by an edit of the spec, or was never as the spec says.
	editWaits bool
	// blocked: the spec asks for something that is impossible for what exists.
	blocked bool
	// approved: a person approved some of what is done at once.
	approved bool
}

// with returns the changes that have a fate, in their order.
func (d decidedChanges) with(fate Fate) (changes []field.Change) {
	for _, c := range d.changes {
		if c.Fate == fate {
			changes = append(changes, c.Change)
		}
	}
	return changes
}

// decide says which changes are made now, which wait for a person, and which can't be made. The plan does what it says, and the preview
// of an edit shows it.
func decide(v View, changes []field.Change, p Policy) decidedChanges {
	d := decidedChanges{blocked: specImpossible(v, changes)}
	for _, c := range changes {
		fate := AtOnce
		switch {
		case c.Effect == field.Impossible:
			fate = Never
		case d.blocked && c.Effect.Disruptive() && !mustAsk(v, c, p):
			fate = Withheld // it was asked for together with what can't be, and may be taken back together with it
		case mustAsk(v, c, p):
			fate = AfterApproval
			_, known := v.Applied[c.Field]
			d.editWaits = d.editWaits || !known || cause(v, c) == v1alpha1.CauseSpec
		}
		d.changes = append(d.changes, Decided{Change: c, Cause: cause(v, c), Fate: fate})
	}
	wait := d.with(AfterApproval)
	if len(wait) == 0 {
		return d
	}
	d.hash = planHash(v, wait)
	if !d.blocked && agreed(v, d.hash, wait) {
		d.approve()
	}
	return d
}

// approve has what waits made after all else.
func (d *decidedChanges) approve() {
	waits := func(c Decided) bool { return c.Fate == AfterApproval }
	var approved []Decided
	for _, c := range d.changes {
		if waits(c) {
			c.Fate = AtOnce
			approved = append(approved, c)
		}
	}
	d.changes = append(slices.DeleteFunc(d.changes, waits), approved...)
	d.hash, d.editWaits, d.approved = "", false, true
}

// specImpossible reports whether a part of the spec is impossible for what exists, by an edit or by drift. What the class asks for and
// can't be is not the object's own contradiction.
func specImpossible(v View, changes []field.Change) bool {
	return slices.ContainsFunc(changes, func(c field.Change) bool {
		return c.Effect == field.Impossible && cause(v, c) != v1alpha1.CauseClass
	})
}
