package table

import (
	"encoding/json"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Rules makes a row for an ordered list of structs. The list is declared as a whole: rules that others add are removed.
//
// want returns nil if the spec does not have the field; an empty list means no rules. have returns nil if it is not
// known what the cloud has. alike returns the normal form of a rule, which is the same for all rules with the same
// meaning. set gets the rules as the spec has them. Messages show a list as JSON, with the names of the spec.
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

// RefersIn says that a field of each rule, by its name in the spec, names another cloud object of a sort.
func RefersIn[S, H, P, V any](r *Scalar[S, H, P, []V], referrer string, to driver.Reference) *Scalar[S, H, P, []V] {
	r.refers, r.referrer = to, referrer
	return r
}

// AndIn says that another field of each rule names a cloud object too, in addition to RefersIn.
func AndIn[S, H, P, V any](r *Scalar[S, H, P, []V], referrer string, to driver.Reference) *Scalar[S, H, P, []V] {
	r.further = append(r.further, driver.Referrer{In: referrer, Sort: to})
	return r
}

// Alike sets when a declared and a present list of rules are equal. It is for lists whose meaning depends on all rules
// together, and not on their order. doc describes that in the reference. Messages then show each list in its own order.
func Alike[S, H, P, V any](r *Scalar[S, H, P, []V], same func(want, have []V) bool, doc string) *Scalar[S, H, P, []V] {
	r.equal, r.equalDoc, r.format = same, doc, func(rules []V) string { return TextOf(rules) }
	return r
}

// TextOf returns a list as messages and driver.Applied have it: JSON, with the entries sorted; empty for an empty list.
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
