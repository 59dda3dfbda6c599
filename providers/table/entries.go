package table

import (
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// EntryMap is a row for a map from names to values, of which others may own entries.
type EntryMap[S, H, P any] struct {
	name string
	want func(*S) map[string]string
	have func(*H) map[string]string
	set  func(*P, Delta)
}

// A Delta is what is to become of a map: entries to set, and names to remove. All others stay.
type Delta struct {
	Set    map[string]string
	Remove []string
}

// Entries makes a row for a map. want returns nil if the spec says nothing, and an empty map for
// "none, please": then the entries that we set earlier go. Entries of others are never touched.
func Entries[S, H, P any](name string, want func(*S) map[string]string, have func(*H) map[string]string, set func(*P, Delta)) *EntryMap[S, H, P] {
	return &EntryMap[S, H, P]{name: name, want: want, have: have, set: set}
}

// Name implements Row.
func (r *EntryMap[S, H, P]) Name() string { return r.name }

// Doc implements Row.
func (r *EntryMap[S, H, P]) Doc() driver.Field {
	return driver.Field{Field: r.name, Effects: driver.Always(driver.Online), Equal: "entries that others set are left alone"}
}

func (r *EntryMap[S, H, P]) declared(want *S) bool { return r.want(want) != nil }

func (r *EntryMap[S, H, P]) delta(want *S, have map[string]string, ours []string) Delta {
	wanted, d := r.want(want), Delta{Set: map[string]string{}}
	for k, v := range wanted {
		if present, ok := have[k]; !ok || present != v {
			d.Set[k] = v
		}
	}
	for _, k := range ours {
		_, wants := wanted[k]
		if _, has := have[k]; has && !wants {
			d.Remove = append(d.Remove, k)
		}
	}
	slices.Sort(d.Remove)
	return d
}

func (r *EntryMap[S, H, P]) diff(want *S, have *H, applied driver.Applied) (driver.Change, bool) {
	if r.want(want) == nil {
		return driver.Change{}, false
	}
	return r.change(want, r.have(have), applied[r.name])
}

func (r *EntryMap[S, H, P]) preview(from, to *S, applied driver.Applied, _ *H) (driver.Change, bool) {
	if r.want(to) == nil {
		return driver.Change{}, false
	}
	return r.change(to, r.want(from), applied[r.name])
}

// change is what leads from the present entries, of which some are ours, to the wanted ones.
func (r *EntryMap[S, H, P]) change(want *S, present map[string]string, ours []string) (driver.Change, bool) {
	d := r.delta(want, present, ours)
	if len(d.Set) == 0 && len(d.Remove) == 0 {
		return driver.Change{}, false
	}
	from := map[string]string{}
	for k := range d.Set {
		if v, ok := present[k]; ok {
			from[k] = v
		}
	}
	for _, k := range d.Remove {
		from[k] = present[k]
	}
	return driver.Change{Field: r.name, From: showMap(from), To: showMap(d.Set), Effect: driver.Online, Entries: true, Remove: d.Remove}, true
}

func (r *EntryMap[S, H, P]) patch(want *S, have *H, change driver.Change, into *P) error {
	var present map[string]string
	if have != nil {
		present = r.have(have)
	}
	d, wanted := r.delta(want, present, nil), r.want(want)
	for _, k := range change.Remove {
		if _, wants := wanted[k]; !wants { // a spec that was edited since the change was made has the last word
			d.Remove = append(d.Remove, k)
		}
	}
	r.set(into, d)
	return nil
}

func (r *EntryMap[S, H, P]) mirror(have *H) (any, bool) {
	m := r.have(have)
	if len(m) == 0 {
		return nil, false
	}
	return m, true
}

func (r *EntryMap[S, H, P]) fixed(*H) (string, bool) { return "", false }

func (r *EntryMap[S, H, P]) applied(want *S, before []string, differs bool) ([]string, bool) {
	m := r.want(want)
	if m == nil {
		return nil, false
	}
	names := slices.Collect(maps.Keys(m))
	if differs {
		names = append(names, before...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return append([]string{}, names...), true // never nil: none is something that we set, too
}

func (r *EntryMap[S, H, P]) secretIn(*S) (string, bool) { return "", false }

func (r *EntryMap[S, H, P]) constant() bool { return true }

// showMap writes a map as sorted key=value pairs.
func showMap(m map[string]string) string {
	var b strings.Builder
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(k + "=" + m[k])
	}
	return b.String()
}
