package table

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Set makes a row for a set of strings, which the spec has as a list. The set is declared as a whole: strings that
// others add are removed. want returns nil if the spec does not have the field; an empty list means an empty set. have
// returns what the cloud has, nil or empty for none. Order and duplicates have no meaning. set gets each string once,
// sorted; an empty list is not nil.
func Set[S, H, P any](name string, want func(*S) []string, have func(*H) []string, set func(*P, []string)) *Scalar[S, H, P, []string] {
	return &Scalar[S, H, P, []string]{
		name: name, set: set, none: &[]string{},
		want: func(s *S) *[]string { return sortedSet(want(s)) },
		have: func(h *H) *[]string { return sortedSet(have(h)) },
		reported: func(h *H) *[]string { // a mirror leaves out what is empty
			if v := have(h); len(v) > 0 {
				return sortedSet(v)
			}
			return nil
		},
		equal: slices.Equal[[]string], equalDoc: "another order",
		effect:  func(*[]string, []string, *H) (driver.Effect, string) { return driver.Online, "" },
		effects: Always(driver.Online),
		format:  func(v []string) string { return strings.Join(v, ", ") },
	}
}

// SetApart is like Set, for a set that a part reads by a call of its own. have returns nil until the set was read;
// otherwise an empty list in the spec would look equal, and the part would never be read.
func SetApart[S, H, P any](name string, want func(*S) []string, have func(*H) []string, set func(*P, []string)) *Scalar[S, H, P, []string] {
	row := Set(name, want, have, set)
	row.none = nil
	return row
}

// sortedSet returns each string once, sorted; nil for nil.
func sortedSet(list []string) *[]string {
	if list == nil {
		return nil
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(list)))
	if sorted == nil {
		sorted = []string{}
	}
	return &sorted
}
