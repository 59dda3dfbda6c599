package plan

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// hasOwn reports whether there is something to make of a change: more than entries of others, which stay as they are.
func hasOwn(c driver.Change) bool { return len(c.Foreign) == 0 || len(c.Foreign) < len(c.Names) }

// foreign returns the changes with entries that others set and that say something else than the spec.
func foreign(d DecidedChanges) (changes []driver.Change) {
	for _, c := range d.Changes {
		if len(c.Foreign) > 0 && c.Fate != Never {
			changes = append(changes, c.Change)
		}
	}
	return changes
}

// refusals returns what can't be made of changes that wait or are left alone, because others set the entries. An update that has it fails for their fields at once, beside
// whatever else it is refused.
func refusals(d DecidedChanges) (changes []driver.Change) {
	for _, c := range d.Changes {
		if len(c.Foreign) > 0 && c.Fate != Never && c.Fate != AtOnce {
			changes = append(changes, driver.Change{Field: c.Field, Effect: driver.Online, Entries: true, Names: c.Foreign, Foreign: c.Foreign})
		}
	}
	return changes
}

// staysTheirs says of changes which entries of others are left alone.
func staysTheirs(changes []driver.Change) (says []string) {
	for _, c := range changes {
		says = append(says, c.Field+": "+c.StaysTheirs())
	}
	return says
}

// planConflict is for an object of which others set entries that the spec wants otherwise. What waits beside them waits on, and can be approved.
func planConflict(v View, o driver.Observation, p Policy, d DecidedChanges, a Action, theirs []driver.Change) Action {
	says := staysTheirs(theirs)
	switch {
	case anyWaits(d):
		a = planWaiting(v, o, p, d, a)
	case !o.Available && !o.Stopped && o.Problem != "":
		a = planUnusable(v, o, a)
	}
	if a.Message != "" {
		says = append(says, a.Message)
	}
	if a.Verb == Stall { // it can't be used, which is worse
		slices.Reverse(says)
	} else {
		a.Verb, a.Reason = Stall, v1alpha1.ReasonConflict
	}
	a.Message = strings.Join(says, "; ")
	return a
}
