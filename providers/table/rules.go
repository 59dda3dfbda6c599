package table

import (
	"encoding/json"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Rules makes a row for a list of rules: structs, whose order means something. The list is declared as a whole: what others add to it is taken
// out again. want returns nil if the spec says nothing, and an empty list for "none, please"; have returns nil if it is not known what the cloud
// has. alike returns a rule as all rules are written that mean the same, so that the same text is the same rule; set gets rules as the spec has them. People
// see a list as JSON, with the names of the spec.
func Rules[S, H, P, V any](name string, want func(*S) []V, have func(*H) *[]V, set func(*P, []V), alike func(V) V, doc string) *Scalar[S, H, P, []V] {
	text := func(rules []V) string {
		same := make([]V, 0, len(rules))
		for _, rule := range rules {
			same = append(same, alike(rule))
		}
		return TextOf(same)
	}
	return &Scalar[S, H, P, []V]{
		name: name, set: set, have: have, equalDoc: doc, format: text,
		want: func(s *S) *[]V {
			if rules := want(s); rules != nil {
				return &rules
			}
			return nil
		},
		reported: func(h *H) *[]V { // a mirror leaves out what is empty
			if rules := have(h); rules != nil && len(*rules) > 0 {
				return rules
			}
			return nil
		},
		equal:   func(a, b []V) bool { return text(a) == text(b) },
		effect:  func(*[]V, []V, *H) (driver.Effect, string) { return driver.Online, "" },
		effects: Always(driver.Online),
	}
}

// RefersIn says that a field of each rule, by its name in the spec, names another cloud object, and of which sort.
func RefersIn[S, H, P, V any](r *Scalar[S, H, P, []V], referrer string, to driver.Reference) *Scalar[S, H, P, []V] {
	r.refers, r.referrer = to, referrer
	return r
}

// AndIn says that a further field of each rule names another cloud object, beside that of RefersIn.
func AndIn[S, H, P, V any](r *Scalar[S, H, P, []V], referrer string, to driver.Reference) *Scalar[S, H, P, []V] {
	r.further = append(r.further, driver.Referrer{In: referrer, Sort: to})
	return r
}

// Alike sets when a wanted and a present list do the same, where that depends on all rules together and not on their order, and says so for the
// reference. People then see each list as it is written.
func Alike[S, H, P, V any](r *Scalar[S, H, P, []V], same func(want, have []V) bool, doc string) *Scalar[S, H, P, []V] {
	r.equal, r.equalDoc, r.format = same, doc, func(rules []V) string { return TextOf(rules) }
	return r
}

// TextOf returns a list as people see it, and as what was applied is remembered: JSON with the names in order; empty for an empty list.
func TextOf(list any) string {
	raw, err := json.Marshal(list)
	var plain []any
	if err == nil {
		err = json.Unmarshal(raw, &plain)
	}
	if err != nil {
		return fmt.Sprint(list)
	}
	if len(plain) == 0 {
		return ""
	}
	raw, err = json.Marshal(plain)
	if err != nil {
		return fmt.Sprint(list)
	}
	return string(raw)
}
