package plan

import (
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
}

// Treatments are by the fields of the changes.
type Treatments map[string]Treatment

// Treat notes how changes of a field are treated.
func (v *View) Treat(field string, t Treatment) {
	if v.Treatments == nil {
		v.Treatments = Treatments{}
	}
	v.Treatments[field] = t
}

// treatment returns how a change is treated.
func (v View) treatment(c driver.Change) Treatment { return v.Treatments[c.Field] }
