package table

import (
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// An EntryMap is a row for a map from names to values, in which others may own entries.
type EntryMap[S, H, P any] struct {
	name     string
	want     func(*S) map[string]string
	have     func(*H) map[string]string
	set      func(*P, Delta)
	exact    func(*S) bool
	except   func(*S) []string
	equal    func(want, have string) bool
	equalDoc string
	effect   func(d Delta, have *H) (driver.Effect, string)
	effects  []driver.PossibleEffect
	depends  bool // the effect depends on what is changed
	waits    func(have *H) Waiting
	list     *Listed[H]              // nil for a map that the read of the object has
	spares   bool                    // entries of others stay that have a name which the spec wants, and mean something else
	theirs   func(value string) bool // entries of others that are not taken over where they mean the same; nil if all are
}

// A Delta is a change of a map: entries to set, and names to remove. All other entries stay.
type Delta struct {
	Set    map[string]string
	Remove []string
	Waits  bool // the restart that present entries wait for is a part of it
}

// A Waiting describes what entries of a map need before they take effect.
type Waiting struct {
	For  string                 // as pending-reboot; empty if all have taken effect
	Part func(name string) bool // whether an entry, once set, may wait; nil if all that are set wait
}

// Names returns the names of all entries that change, sorted.
func (d Delta) Names() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(d.Set)), d.Remove...)))
}

func (d Delta) empty() bool { return len(d.Set) == 0 && len(d.Remove) == 0 }

// Entries makes a row for a map. want returns nil if the spec does not have the field. An empty map means that there
// should be no entries of Mooring's: those that it set earlier are removed. Entries of others are never changed, except
// if Exact says otherwise. By default, only identical values are equal, and every change is Online.
func Entries[S, H, P any](name string, want func(*S) map[string]string, have func(*H) map[string]string, set func(*P, Delta)) *EntryMap[S, H, P] {
	return &EntryMap[S, H, P]{
		name: name, want: want, have: have, set: set,
		exact: func(*S) bool { return false }, except: func(*S) []string { return nil },
		equal: func(want, have string) bool { return want == have }, equalDoc: "entries that others set are left alone",
		effect:  func(Delta, *H) (driver.Effect, string) { return driver.Online, "" },
		effects: Always(driver.Online),
	}
}

// Exact sets for which specs the map is exclusive: entries of others are removed.
func (r *EntryMap[S, H, P]) Exact(exact func(*S) bool) *EntryMap[S, H, P] {
	r.exact = exact
	return r
}

// Except names entries that another field of the spec controls. They are never removed, neither by Exact nor because
// Mooring set them earlier.
func (r *EntryMap[S, H, P]) Except(except func(*S) []string) *EntryMap[S, H, P] {
	r.except = except
	return r
}

// Equal sets when a declared and a present value of an entry are equal. doc describes that in the reference.
func (r *EntryMap[S, H, P]) Equal(equal func(want, have string) bool, doc string) *EntryMap[S, H, P] {
	r.equal, r.equalDoc = equal, doc
	return r
}

// EffectOf sets the effect of a change as a function of the entries that change and of the present object. possible is
// as in Scalar.EffectOf.
func (r *EntryMap[S, H, P]) EffectOf(effect func(d Delta, have *H) (driver.Effect, string), possible ...driver.PossibleEffect) *EntryMap[S, H, P] {
	r.effect, r.effects, r.depends = effect, possible, true
	return r
}

// Waits is for maps whose entries may take effect only when a server restarts. waits returns what the present entries
// wait for. While they wait, the map differs: in the entries that were not applied before, or otherwise in all. An edit
// that needs no restart is a separate change.
func (r *EntryMap[S, H, P]) Waits(waits func(have *H) Waiting) *EntryMap[S, H, P] {
	r.waits = waits
	return r
}

// waiting returns what the present entries wait for.
func waiting[S, H, P any](r *EntryMap[S, H, P], have *H) Waiting {
	if r.waits == nil || have == nil {
		return Waiting{}
	}
	return r.waits(have)
}

// outstanding adds to what is to become of a map the entries that are there and did not take effect: those that are not known as applied. If that
// explains nothing, entries of others wait: then it is what is to be set alone, or if there is nothing to set, all entries, which others made wait.
func (r *EntryMap[S, H, P]) outstanding(d Delta, wanted, present, ours map[string]string, part func(string) bool) (out Delta, byOthers bool) {
	may := func(name string) bool { return part == nil || part(name) }
	out = Delta{Set: maps.Clone(d.Set), Remove: slices.Clone(d.Remove)}
	for name, value := range wanted {
		was, known := strings.CutPrefix(ours[name], withValue)
		if _, differs := d.Set[name]; !differs && may(name) && (!known || !r.equal(value, was)) {
			out.Set[name], out.Waits = value, true
		}
	}
	for name := range ours {
		_, wants := wanted[name]
		if _, has := present[name]; !wants && !has && may(name) {
			out.Remove, out.Waits = append(out.Remove, name), true
		}
	}
	slices.Sort(out.Remove)
	if out.Waits || part != nil && (!d.empty() || len(wanted) == 0) {
		return out, false
	}
	maps.Copy(out.Set, wanted)
	out.Waits = true
	return out, part != nil
}

// Listed configures a row for entries that a spec has as a list, and that a part reads by a call of its own.
type Listed[H any] struct {
	// Reported returns the list in the mirror; nil for nothing.
	Reported func(*H) any
	// Refers is the sort of cloud object that entries name; empty if they name none.
	Refers driver.Reference
	// Says returns, in words, the consequence of a change of present entries.
	Says func(present map[string]string, d Delta) string
	// Theirs reports whether an entry that others set remains theirs even if the spec declares an equal one. Such an
	// entry satisfies the spec. It is never changed, and is not removed when the spec does not declare it any more. It
	// is for entries that protect others, who must not lose them because somebody copied them. It is nil if there are
	// no such entries.
	Theirs func(value string) bool
}

// AsList makes the row one for entries that a spec has as a list, and that a part reads by a call of its own. have
// returns nil until the entries were read; an empty map means that there are none. All changes are Online.
//
// The entries that Mooring set are removed when the spec does not have the field any more. If others set an entry with
// a declared name and an equal value, Mooring takes it over, except if Listed.Theirs says otherwise. With another
// value, the entry is left alone and the field is refused, except if Exact says otherwise.
func AsList[S, H, P any](r *EntryMap[S, H, P], list Listed[H]) *EntryMap[S, H, P] {
	r.list, r.spares, r.theirs = &list, true, list.Theirs
	return r
}

// Name implements Row.
func (r *EntryMap[S, H, P]) Name() string { return r.name }

// Doc implements Row.
func (r *EntryMap[S, H, P]) Doc() driver.Field {
	d := driver.Field{Field: r.name, Effects: r.effects, Equal: r.equalDoc}
	if r.list != nil {
		d.Refers, d.Safe = r.list.Refers, "none of ours"
	}
	return d
}

// Delta returns the change that is needed; an empty Delta if the spec does not have the field. applied is what Mooring
// set earlier.
func (r *EntryMap[S, H, P]) Delta(want *S, have *H, applied driver.Applied) Delta {
	if r.want(want) == nil {
		return Delta{}
	}
	return r.delta(want, r.have(have), r.ours(applied))
}

// Ours returns the names of the entries that Mooring set earlier, or was about to set, sorted.
func (r *EntryMap[S, H, P]) Ours(applied driver.Applied) []string {
	return slices.Sorted(maps.Keys(r.ours(applied)))
}

func (r *EntryMap[S, H, P]) declared(want *S) bool { return r.want(want) != nil }

// delta is what leads from the present entries, of which some are ours, to the wanted ones.
func (r *EntryMap[S, H, P]) delta(want *S, have map[string]string, ours map[string]string) Delta {
	wanted, d := r.want(want), Delta{Set: map[string]string{}}
	for k, v := range wanted {
		if present, ok := have[k]; !ok || !r.equal(v, present) {
			d.Set[k] = v
		}
	}
	exact, except := wanted != nil && r.exact(want), r.except(want)
	for k := range have {
		_, wants := wanted[k]
		if _, isOurs := ours[k]; !wants && (exact || isOurs) && !slices.Contains(except, k) {
			d.Remove = append(d.Remove, k)
		}
	}
	slices.Sort(d.Remove)
	return d
}

func (r *EntryMap[S, H, P]) diff(want *S, have *H, applied driver.Applied) (driver.Change, bool) {
	ours := r.ours(applied)
	if r.want(want) == nil && !mayRelease(r, ours) {
		return driver.Change{}, false
	}
	if r.list != nil && r.have(have) == nil { // whatever is there has to be read first
		return driver.Change{Field: r.name, Entries: true, Release: r.want(want) == nil, Effect: driver.Online}, true
	}
	return r.change(want, r.have(have), ours, have)
}

// mayRelease reports whether something that we set may be there, and has to go if the spec no longer has the field.
func mayRelease[S, H, P any](r *EntryMap[S, H, P], ours map[string]string) bool {
	return r.list != nil && len(ours) > 0
}

func (r *EntryMap[S, H, P]) preview(from, to *S, applied driver.Applied, have *H) (driver.Change, bool) {
	ours := r.ours(applied)
	if r.want(to) == nil && !mayRelease(r, ours) {
		return driver.Change{}, false
	}
	return r.change(to, r.want(from), ours, have)
}

// change is what leads from the present entries, of which some are ours, to the wanted ones. Its Remove are those of ours: what others set
// and a spec takes away was not asked for by an edit.
func (r *EntryMap[S, H, P]) change(want *S, present, ours map[string]string, have *H) (driver.Change, bool) {
	d, waits, byOthers := r.delta(want, present, ours), waiting(r, have), false
	if waits.For != "" {
		d, byOthers = r.outstanding(d, r.want(want), present, ours, waits.Part)
	}
	if d.empty() && !d.Waits {
		return driver.Change{}, false
	}
	c := driver.Change{Field: r.name, Entries: true, Names: d.Names(), Release: r.want(want) == nil, Foreign: foreign(r, want, d, present, ours)}
	if !r.remembersValues() {
		c.Adds = missing(d, present)
	}
	made := without(d, c.Foreign)
	from := map[string]string{}
	for _, k := range made.Names() {
		if v, ok := present[k]; ok {
			from[k] = v
		}
	}
	c.From, c.To = showMap(from), showMap(made.Set)
	if d.Waits {
		c.From = strings.TrimSpace(c.From + " (" + waits.For + ")")
	}
	for _, k := range d.Remove {
		if _, isOurs := ours[k]; isOurs {
			c.Remove = append(c.Remove, k)
		}
	}
	if byOthers {
		c.Drifted = c.Names // no edit asked for that restart
	} else if r.remembersValues() {
		r.explain(&c, d, ours)
	}
	if len(c.Foreign) == len(c.Names) && len(c.Foreign) > 0 {
		c.Effect, c.Why = driver.Online, staysTheirs(c.Foreign)
		return c, true
	}
	c.Effect, c.Why = r.effect(made, have)
	if r.list != nil {
		c.Why = r.list.Says(present, made)
	}
	c.Why = withCost(c, r.effects, have)
	return c, true
}

// without returns what is to become of a map without entries that are left alone.
func without(d Delta, names []string) Delta {
	if len(names) == 0 {
		return d
	}
	d.Set = maps.Clone(d.Set)
	maps.DeleteFunc(d.Set, func(name, _ string) bool { return slices.Contains(names, name) })
	return d
}

// missing returns the entries to set of which there is none, sorted.
func missing(d Delta, present map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(d.Set)) {
		if _, there := present[name]; !there {
			names = append(names, name)
		}
	}
	return names
}

// staysTheirs says of a change that none of it is made.
func staysTheirs(names []string) string {
	return "entries by these names are there that this spec did not set, and they stay as they are: " + strings.Join(names, ", ")
}

// foreign returns the entries to set of which others have others by their names.
func foreign[S, H, P any](r *EntryMap[S, H, P], want *S, d Delta, present, ours map[string]string) (names []string) {
	if !r.spares || r.exact(want) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d.Set)) {
		_, there := present[name]
		if _, isOurs := ours[name]; there && !isOurs {
			names = append(names, name)
		}
	}
	return names
}

func (r *EntryMap[S, H, P]) patch(want *S, have *H, change driver.Change, into *P) error {
	var present map[string]string
	if have != nil {
		present = r.have(have)
	}
	d, wanted := r.delta(want, present, nil), r.want(want)
	for _, k := range removals(r, want, change) {
		if _, wants := wanted[k]; !wants && !slices.Contains(d.Remove, k) { // a spec that was edited since the change was made has the last word
			d.Remove = append(d.Remove, k)
		}
	}
	if len(change.Names) > 0 { // what else differs by now was not planned, and may disturb more
		maps.DeleteFunc(d.Set, func(name, _ string) bool {
			return !slices.Contains(change.Names, name) || slices.Contains(change.Foreign, name)
		})
		d.Remove = slices.DeleteFunc(d.Remove, func(name string) bool { return !slices.Contains(change.Names, name) })
	}
	r.set(into, d)
	return nil
}

// removals are the entries that a change takes away. Where a part reads what is there, the call does not know those of others, and the change does.
func removals[S, H, P any](r *EntryMap[S, H, P], want *S, change driver.Change) []string {
	if r.list != nil && r.want(want) != nil && r.exact(want) {
		return change.Names
	}
	return change.Remove
}

func (r *EntryMap[S, H, P]) mirror(have *H) (any, bool) {
	m := r.have(have)
	if r.list != nil && len(m) > 0 {
		list := r.list.Reported(have)
		return list, list != nil
	}
	if len(m) == 0 {
		return nil, false
	}
	return m, true
}

func (r *EntryMap[S, H, P]) fixed(*H) (string, bool) { return "", false }

func (r *EntryMap[S, H, P]) secretIn(*S) (string, bool) { return "", false }

func (r *EntryMap[S, H, P]) constant() bool { return !r.depends }

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
