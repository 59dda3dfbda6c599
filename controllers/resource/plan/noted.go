package plan

import (
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Noted returns what is noted as applied: what was observed so, without the names of entries that are nobody's. before is what is noted already. A name that
// an update adds is noted right before that is sent, because its answer may be lost, and not while it waits: somebody else may set an entry by it meanwhile.
// sends are the changes that are sent next, and unset are the entries, by field, of which an update is known not to have set them.
func Noted(observed, before driver.Applied, changes, sends []driver.Change, unset map[string][]string) driver.Applied {
	noted := maps.Clone(observed)
	for _, c := range changes {
		names, known := noted[c.Field]
		if !known || len(c.Adds) == 0 {
			continue
		}
		noted[c.Field] = slices.DeleteFunc(append([]string{}, names...), func(name string) bool {
			sent := slices.ContainsFunc(sends, func(s driver.Change) bool { return s.Field == c.Field && slices.Contains(s.Names, name) })
			waits := !sent && !slices.Contains(before[c.Field], name)
			return slices.Contains(c.Adds, name) && (waits || slices.Contains(unset[c.Field], name))
		})
	}
	return noted
}

// Unset returns the entries, by field, that nobody set: those which an update was to add to the cloud object, and of which the cloud's answer says that it
// did not. before is what was noted as applied when the update was planned. An entry that was noted by then may have been set, and what was observed may be from
// before: it is among them only if the observation is sure, because nothing was sent for long enough.
func Unset(changes []driver.Change, failed []driver.FieldError, before driver.Applied, sure bool) map[string][]string {
	unset := map[string][]string{}
	for _, c := range changes {
		for _, f := range failed {
			if f.Field != c.Field {
				continue
			}
			for _, name := range f.Unset {
				if slices.Contains(c.Adds, name) && (sure || !slices.Contains(before[c.Field], name)) {
					unset[c.Field] = append(unset[c.Field], name)
				}
			}
		}
	}
	return unset
}

// StillThere returns what was noted as applied without the entries that are not there any more. It is for an object that is only observed: Mooring does not put
// them back, so whoever sets an entry by such a name meanwhile sets one of their own.
func StillThere(applied driver.Applied, changes []driver.Change) driver.Applied {
	left := applied
	for _, c := range changes {
		gone := func(name string) bool { return slices.Contains(c.Adds, name) }
		if slices.ContainsFunc(applied[c.Field], gone) {
			left = maps.Clone(left)
			left[c.Field] = slices.DeleteFunc(append([]string{}, left[c.Field]...), gone)
		}
	}
	return left
}
