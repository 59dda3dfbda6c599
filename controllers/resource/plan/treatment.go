package plan

import (
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Treatment says how the plan treats a change that a feature adds, or for which a feature has a command. The zero value is that of all other changes.
type Treatment struct {
	// Command makes the change, and no other change is sent with it; empty if an Update makes it together with others.
	Command driver.Verb
	// First: it is made before all other changes.
	First bool
	// Asks: if it is disruptive, a person approves it whatever the policy on restarts says.
	Asks bool
	// Cause is its cause, whatever was edited; empty if that is found as for any other change.
	Cause string
	// Apart: it concerns nobody who uses the object. So a person is asked about it alone, it waits for no maintenance window, and the object is as declared without it.
	Apart bool
	// Way is how it is made, if it can be made in several ways: a person agrees to one of them. Gentler is a way to which somebody may have agreed before, which is no consent to this one. Each
	// is empty for none.
	Way, Gentler string
}

// Treatments are by the fields of the changes.
type Treatments map[string]Treatment

// Treat notes how changes of a field are treated.
func (v *View) Treat(field string, t Treatment) {
	treatments := maps.Clone(v.Treatments) // a copy of the View has them, too
	if treatments == nil {
		treatments = Treatments{}
	}
	treatments[field] = t
	v.Treatments = treatments
}

// Concerning returns an observation without the changes that concern nobody who uses the object.
func (v View) Concerning(o driver.Observation) driver.Observation {
	o.Changes = slices.DeleteFunc(slices.Clone(o.Changes), func(c driver.Change) bool { return v.treatment(c).Apart })
	return o
}

// gentler returns the view in which changes are made in the gentler way; false if none has one.
func (v View) gentler(changes []driver.Change) (other View, has bool) {
	other = v
	other.Treatments = maps.Clone(v.Treatments)
	for _, c := range changes {
		if t := v.treatment(c); t.Gentler != "" {
			t.Way, has = t.Gentler, true
			other.Treatments[c.Field] = t
		}
	}
	return other, has
}

// treatment returns how a change is treated.
func (v View) treatment(c driver.Change) Treatment { return v.Treatments[c.Field] }
