package plan

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
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
	driver.Change
	Cause string
	Fate  Fate
}

// DecidedChanges says what becomes of the differences of an object at rest.
type DecidedChanges struct {
	Changes []Decided
	// Hash identifies the changes that wait for approval; empty if none does.
	Hash string
	// EditWaits: some of what waits was asked for by an edit of the spec, or was never as the spec says.
	EditWaits bool
	// Blocked: the spec asks for something that is impossible for what exists.
	Blocked bool
	// Approved: a person approved some of what is done at once.
	Approved bool
}

// With returns the changes that have a fate, in their order.
func (d DecidedChanges) With(fate Fate) (changes []driver.Change) {
	for _, c := range d.Changes {
		if c.Fate == fate {
			changes = append(changes, c.Change)
		}
	}
	return changes
}

// Decide says which changes are made now, which wait for a person, and which can't be made. The plan does what it says, and the preview
// of an edit shows it.
func Decide(v View, changes []driver.Change, p Policy) DecidedChanges {
	d := DecidedChanges{Blocked: specImpossible(v, changes)}
	for _, c := range changes {
		fate := AtOnce
		switch {
		case c.Effect == driver.Impossible:
			fate = Never
		case d.Blocked && c.Effect.Disruptive() && !mustAsk(v, c, p):
			fate = Withheld // it was asked for together with what can't be, and may be taken back together with it
		case mustAsk(v, c, p):
			fate = AfterApproval
			_, known := v.Applied[c.Field]
			d.EditWaits = d.EditWaits || !known || CauseOf(v, c) == v1alpha1.CauseSpec
		}
		d.Changes = append(d.Changes, Decided{Change: c, Cause: CauseOf(v, c), Fate: fate})
	}
	wait := d.With(AfterApproval)
	if len(wait) == 0 {
		return d
	}
	d.Hash = planHash(v, wait)
	if !d.Blocked && agreed(v, d.Hash, wait) {
		d.approve()
	}
	return d
}

// approve has what waits made after all else.
func (d *DecidedChanges) approve() {
	waits := func(c Decided) bool { return c.Fate == AfterApproval }
	var approved []Decided
	for _, c := range d.Changes {
		if waits(c) {
			c.Fate = AtOnce
			approved = append(approved, c)
		}
	}
	d.Changes = append(slices.DeleteFunc(d.Changes, waits), approved...)
	d.Hash, d.EditWaits, d.Approved = "", false, true
}

// specImpossible reports whether a part of the spec is impossible for what exists, by an edit or by drift. What the class asks for and
// can't be is not the object's own contradiction.
func specImpossible(v View, changes []driver.Change) bool {
	return slices.ContainsFunc(changes, func(c driver.Change) bool {
		return c.Effect == driver.Impossible && CauseOf(v, c) != v1alpha1.CauseClass
	})
}
