package table

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A MemberList is a row for a list of structs, in which others may own members.
type MemberList[S, H, P, V any] struct {
	entries  *EntryMap[S, H, P]
	members  func(*S) []V
	there    func(*H) *[]V
	put      func(*P, Members[V])
	key      func(V) string
	refers   driver.Reference
	referrer string
	further  []driver.Referrer
	shown    func(V) V                                         // how the mirror shows a member; nil for as it is
	once     bool                                              // a list with two members of one key differs from whatever is there
	effect   func(present, wanted []V) (driver.Effect, string) // nil if every change is Online
}

// Members is a change of a list: members to set, in the order of the spec, and keys of members to remove. All other
// members stay.
type Members[V any] struct {
	Set    []V
	Remove []string
}

// MembersOf makes a row for a list of structs in which others may own members. It is otherwise like a row for a map.
//
// key returns the unique key of a member. alike returns the normal form of a member, which is the same for all members
// with the same meaning. want returns nil if the spec does not have the field; for an empty list, the members that
// Mooring set earlier are removed. have returns nil if it is not known what the cloud has. A member of others with a
// declared key is treated as in AsList. Messages show members as JSON, with the names of the spec.
func MembersOf[S, H, P, V any](name string, want func(*S) []V, have func(*H) *[]V, set func(*P, Members[V]), key func(V) string, alike func(V) V) *MemberList[S, H, P, V] {
	entries := func(members []V) map[string]string {
		if members == nil {
			return nil
		}
		out := make(map[string]string, len(members))
		for _, m := range members {
			out[key(m)] = TextOf([]V{alike(m)})
		}
		return out
	}
	return &MemberList[S, H, P, V]{
		members: want, there: have, put: set, key: key,
		entries: sparing(Entries(name,
			func(s *S) map[string]string { return entries(want(s)) },
			func(h *H) map[string]string {
				if members := have(h); members != nil {
					return entries(*members)
				}
				return nil
			},
			func(*P, Delta) {})),
	}
}

// sparing has a row leave entries of others alone that have a wanted name, as AsList says.
func sparing[S, H, P any](r *EntryMap[S, H, P]) *EntryMap[S, H, P] {
	r.spares = true
	return r
}

// Equal describes in the reference when two members are equal.
func (r *MemberList[S, H, P, V]) Equal(doc string) *MemberList[S, H, P, V] {
	r.entries.equalDoc = doc
	return r
}

// RefersIn says that a field of each member, by its name in the spec, names another cloud object of a sort.
func (r *MemberList[S, H, P, V]) RefersIn(referrer string, to driver.Reference) *MemberList[S, H, P, V] {
	r.refers, r.referrer = to, referrer
	return r
}

// AndIn says that another field of each member names a cloud object too, in addition to RefersIn.
func (r *MemberList[S, H, P, V]) AndIn(referrer string, to driver.Reference) *MemberList[S, H, P, V] {
	r.further = append(r.further, driver.Referrer{In: referrer, Sort: to})
	return r
}

// Shown sets how a mirror shows the members. A member that is not valid in a spec is shown by a key in parentheses,
// which says why.
func Shown[S, H, P, V any](r *MemberList[S, H, P, V], shown func(V) V) *MemberList[S, H, P, V] {
	r.shown = shown
	return r
}

// EachOnce makes a list with two members of the same key differ in any case, so that the write is called. The write has
// to refuse the list: see Twice.
func (r *MemberList[S, H, P, V]) EachOnce() *MemberList[S, H, P, V] {
	r.once = true
	return r
}

// Twice returns a key that two members share; empty if all keys differ.
func Twice[V any](members []V, key func(V) string) string {
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if seen[key(m)] {
			return key(m)
		}
		seen[key(m)] = true
	}
	return ""
}

// EffectOf sets the effect of a change as a function of the members that differ: the present ones and the declared
// ones. possible is as in Scalar.EffectOf.
func (r *MemberList[S, H, P, V]) EffectOf(effect func(present, wanted []V) (driver.Effect, string), possible ...driver.PossibleEffect) *MemberList[S, H, P, V] {
	r.effect, r.entries.effects = effect, possible
	return r
}

// Name implements Row.
func (r *MemberList[S, H, P, V]) Name() string { return r.entries.name }

// Doc implements Row.
func (r *MemberList[S, H, P, V]) Doc() driver.Field {
	d := r.entries.Doc()
	d.Refers, d.ReferredIn, d.Further = r.refers, r.referrer, r.further
	return d
}

// diff tells of a list that was not read that it differs: an empty one in the spec too, or it would never be read.
func (r *MemberList[S, H, P, V]) diff(want *S, have *H, applied driver.Applied) (driver.Change, bool) {
	if wanted := r.members(want); wanted != nil && r.there(have) == nil {
		c := driver.Change{Field: r.Name(), Entries: true, To: TextOf(wanted), Effect: driver.Online}
		r.judge(&c, nil, wanted, have)
		return c, true
	}
	if key := Twice(r.members(want), r.key); r.once && key != "" {
		return driver.Change{Field: r.Name(), Entries: true, Names: []string{key}, From: TextOf(*r.there(have)), To: TextOf(r.members(want)), Effect: driver.Online}, true
	}
	c, differs := r.entries.diff(want, have, applied)
	if there := r.there(have); differs && there != nil {
		r.show(&c, *there, r.members(want), have)
	}
	return c, differs
}

func (r *MemberList[S, H, P, V]) preview(from, to *S, applied driver.Applied, have *H) (driver.Change, bool) {
	c, differs := r.entries.preview(from, to, applied, have)
	if differs {
		r.show(&c, r.members(from), r.members(to), have)
	}
	return c, differs
}

// show writes into a change the members that differ, and that it sets or removes: what it does is their matter alone.
func (r *MemberList[S, H, P, V]) show(c *driver.Change, present, wanted []V, have *H) {
	if len(c.Foreign) == len(c.Names) && len(c.Foreign) > 0 { // nothing is made of it
		return
	}
	differ := map[string]bool{}
	for _, name := range c.Names {
		differ[name] = !slices.Contains(c.Foreign, name)
	}
	of := func(members []V) (out []V) {
		for _, m := range members {
			if differ[r.key(m)] {
				out = append(out, m)
			}
		}
		return out
	}
	present, wanted = of(present), of(wanted)
	c.From, c.To = TextOf(present), TextOf(wanted)
	r.judge(c, present, wanted, have)
}

// judge says what a change does.
func (r *MemberList[S, H, P, V]) judge(c *driver.Change, present, wanted []V, have *H) {
	if r.effect == nil {
		return
	}
	c.Effect, c.Why = r.effect(present, wanted)
	c.Why = withCost(*c, r.entries.effects, have)
}

func (r *MemberList[S, H, P, V]) patch(want *S, have *H, change driver.Change, into *P) error {
	var d Delta
	entries := *r.entries
	entries.set = func(_ *P, delta Delta) { d = delta }
	if err := entries.patch(want, have, change, into); err != nil {
		return err
	}
	members := Members[V]{Set: []V{}, Remove: d.Remove}
	for _, m := range r.members(want) {
		if _, sets := d.Set[r.key(m)]; sets {
			members.Set = append(members.Set, m)
		}
	}
	r.put(into, members)
	return nil
}

func (r *MemberList[S, H, P, V]) mirror(have *H) (any, bool) {
	there := r.there(have)
	if there == nil || len(*there) == 0 {
		return nil, false
	}
	if r.shown == nil {
		return *there, true
	}
	shown := make([]V, 0, len(*there))
	for _, m := range *there {
		shown = append(shown, r.shown(m))
	}
	return shown, true
}

func (r *MemberList[S, H, P, V]) declared(want *S) bool { return r.entries.declared(want) }

func (r *MemberList[S, H, P, V]) applied(want *S, before []string, differing *driver.Change, at moment) ([]string, bool) {
	return r.entries.applied(want, before, differing, at)
}

func (r *MemberList[S, H, P, V]) fixed(*H) (string, bool) { return "", false }

func (r *MemberList[S, H, P, V]) secretIn(*S) (string, bool) { return "", false }

func (r *MemberList[S, H, P, V]) constant() bool { return r.effect == nil }
