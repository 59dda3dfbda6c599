package table

import (
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What is remembered of entries that we set. Of a map whose changes disturb nobody, the names: that is enough to take away what a spec no longer
// has. Of others the value too, because an edit of a spec is consent to what it changes, and not to undo what somebody else did to another entry.
const (
	withValue = "="
	toBeSet   = "?" // for the first time; its value is not applied yet
)

// remembersValues reports whether a change of some entry may disturb users.
func (r *EntryMap[S, H, P]) remembersValues() bool {
	return slices.ContainsFunc(r.effects, func(e driver.PossibleEffect) bool { return e.Effect.Disruptive() })
}

// ours returns what is remembered of each entry that we set; nil if the map was never applied. One of which nothing was set was.
func (r *EntryMap[S, H, P]) ours(applied driver.Applied) map[string]string {
	stored, known := applied[r.name]
	if known && stored == nil {
		stored = []string{}
	}
	return r.recall(stored)
}

// recall returns what is remembered of each entry: its value after withValue, toBeSet, or nothing if only the name was stored. It returns nil if
// the map was never applied.
func (r *EntryMap[S, H, P]) recall(stored []string) map[string]string {
	if stored == nil {
		return nil
	}
	ours := make(map[string]string, len(stored))
	for _, s := range stored {
		at := len(s)
		if i := strings.IndexAny(s, withValue+toBeSet); i >= 0 && r.remembersValues() {
			at = i
		}
		ours[s[:at]] = s[at:]
	}
	return ours
}

// explain says of the entries of a change which were edited, and which drifted. Of an entry with a value that nobody remembers it says nothing,
// and neither of one that others added: to take that away was not asked for by an edit.
func (r *EntryMap[S, H, P]) explain(c *driver.Change, d Delta, ours map[string]string) {
	for _, name := range c.Names {
		wanted, isSet := d.Set[name]
		was, isOurs := ours[name]
		value, known := strings.CutPrefix(was, withValue)
		switch {
		case !isSet && isOurs, isSet && !isOurs && ours != nil, isSet && was == toBeSet:
			c.Edited = append(c.Edited, name)
		case isSet && known && r.equal(wanted, value):
			c.Drifted = append(c.Drifted, name)
		case isSet && known:
			c.Edited = append(c.Edited, name)
		}
	}
}

func (r *EntryMap[S, H, P]) applied(want *S, before []string, differing *driver.Change, at moment) ([]string, bool) {
	wanted := r.want(want)
	if wanted == nil {
		return slices.Clone(before), len(before) > 0 && r.list != nil && (differing != nil || at == work)
	}
	if at == creation && differing != nil { // set later, by a call of its own
		return nil, false
	}
	ours := r.recall(before)
	if r.waits != nil && ours == nil && differing != nil && len(differing.Drifted) == 0 {
		return nil, false // its first change has two steps, and an edit that agrees to the first one agrees to both
	}
	now := map[string]string{}
	if differing != nil || at == work {
		maps.Copy(now, ours)
	}
	for name, value := range wanted {
		if differing != nil && slices.Contains(differing.Foreign, name) {
			continue
		}
		differs := differing != nil && (len(differing.Names) == 0 || slices.Contains(differing.Names, name)) && !slices.Contains(differing.Drifted, name)
		was, isOurs := ours[name]
		switch {
		case !differs && !isOurs && at != creation && r.theirs != nil && r.theirs(value): // it was there before, as the spec has it
		case !r.remembersValues():
			now[name] = ""
		case !differs:
			now[name] = withValue + value
		case isOurs || ours == nil: // nobody consented yet to what a map that was never applied changes
			now[name] = was
		default:
			now[name] = toBeSet
		}
	}
	return storedEntries(now), true
}

// storedEntries returns what is stored of entries that we set. It is never nil: none is something that we set, too.
func storedEntries(now map[string]string) []string {
	stored := []string{}
	for name, what := range now {
		stored = append(stored, name+what)
	}
	slices.Sort(stored)
	return stored
}
