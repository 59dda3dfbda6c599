package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Scalar is a row for a field with one value of type V.
type Scalar[S, H, P, V any] struct {
	name      string
	want      func(*S) *V
	have      func(*H) *V
	set       func(*P, V)
	reported  func(*H) *V
	equal     func(want, have V) bool
	equalDoc  string
	effect    func(from *V, to V, have *H) (driver.Effect, string)
	effects   []driver.PossibleEffect
	depends   bool // the effect depends on what is changed to what
	safe      *V
	safeFor   func(*S) *V // the safe value for a spec
	secret    bool
	none      *V // what the cloud has where it reports nothing; nil if that is not known
	refers    driver.Reference
	referrer  string
	further   []driver.Referrer
	indirect  string
	standsFor *driver.Alternative
	// isFixed reports whether the field can't change any more; nil if it always can.
	isFixed func(have *V) bool
	// atCreation: the value is that of the creation, and the cloud may give it another one later.
	atCreation bool
	format     func(V) string
}

// Field makes a row. want returns the value in the spec; nil if the spec does not set it. have returns the value in the
// cloud, or the value that the cloud was already asked to set; nil if there is none. set puts a value into the
// parameters of a call. By default, only identical values are equal, and every change is Online.
func Field[S, H, P any, V comparable](name string, want func(*S) *V, have func(*H) *V, set func(*P, V)) *Scalar[S, H, P, V] {
	return &Scalar[S, H, P, V]{
		name: name, want: want, have: have, set: set, reported: have,
		equal:   func(a, b V) bool { return a == b },
		effect:  func(*V, V, *H) (driver.Effect, string) { return driver.Online, "" },
		effects: Always(driver.Online),
		format:  func(v V) string { return fmt.Sprint(v) },
	}
}

// Equal sets when a declared and a present value are equal. doc describes that in the reference.
func (r *Scalar[S, H, P, V]) Equal(equal func(want, have V) bool, doc string) *Scalar[S, H, P, V] {
	r.equal, r.equalDoc = equal, doc
	return r
}

// None sets the value that the cloud has if it reports none. The mirror and messages leave this value out.
func None[S, H, P, V any](r *Scalar[S, H, P, V], v V) *Scalar[S, H, P, V] {
	r.none = &v
	return r
}

// Written sets how messages show the values of a row. The mirror leaves out a value whose text is empty.
func Written[S, H, P, V any](r *Scalar[S, H, P, V], format func(V) string) *Scalar[S, H, P, V] {
	r.format = format
	return r
}

// Restarts says that every change of the field restarts the server, and at what cost.
func (r *Scalar[S, H, P, V]) Restarts(cost driver.Cost) *Scalar[S, H, P, V] {
	r.effect = func(*V, V, *H) (driver.Effect, string) { return driver.Restarts, "" }
	r.effects, r.depends = AlwaysRestarts(cost), false
	return r
}

// EffectOf sets the effect of a change as a function of from (nil if the cloud has no value), of to and of the present
// object. The text says why a change is Impossible, and what to do instead. possible lists every effect that the
// function can return, with its cost, from harmless to impossible; tabletest.Effects checks that.
func (r *Scalar[S, H, P, V]) EffectOf(effect func(from *V, to V, have *H) (driver.Effect, string), possible ...driver.PossibleEffect) *Scalar[S, H, P, V] {
	r.effect, r.effects, r.depends = effect, possible, true
	return r
}

// Immutable says that the field can't be changed once the object exists, and what to do instead.
func (r *Scalar[S, H, P, V]) Immutable(instead string) *Scalar[S, H, P, V] {
	r.isFixed = func(*V) bool { return true }
	r.EffectOf(func(*V, V, *H) (driver.Effect, string) { return driver.Impossible, instead }, driver.PossibleEffect{Effect: driver.Impossible, Instead: instead})
	r.depends = false
	return r
}

// AtCreation says that the value is used only at creation. If the cloud changes the field later, that is no difference
// while the spec declares the value that was applied. It is for immutable fields.
func (r *Scalar[S, H, P, V]) AtCreation(doc string) *Scalar[S, H, P, V] {
	r.atCreation, r.equalDoc = true, doc
	return r
}

// ImmutableOnceSet says that the field can be set once, at the creation or later, and what to do instead of a change.
func (r *Scalar[S, H, P, V]) ImmutableOnceSet(instead string) *Scalar[S, H, P, V] {
	r.isFixed = func(have *V) bool { return have != nil }
	return r.EffectOf(func(from *V, _ V, _ *H) (driver.Effect, string) {
		if from == nil {
			return driver.Online, ""
		}
		return driver.Impossible, instead
	}, OnceSet(instead)...)
}

// OnceSet returns the effects of a field that can be set once and not changed after that. instead says what to do in
// place of a change.
func OnceSet(instead string) []driver.PossibleEffect {
	return []driver.PossibleEffect{{Effect: driver.Online, When: "it is set for the first time"}, {Effect: driver.Impossible, When: "it was set before", Instead: instead}}
}

// Safe sets the value that the field returns to when the spec does not have it any more.
func (r *Scalar[S, H, P, V]) Safe(v V) *Scalar[S, H, P, V] {
	return r.SafeFor(v, func(*S) V { return v })
}

// SafeFor is like Safe, for a safe value that depends on the rest of the spec. v is the value in the reference.
func (r *Scalar[S, H, P, V]) SafeFor(v V, of func(*S) V) *Scalar[S, H, P, V] {
	r.safe, r.safeFor = &v, func(s *S) *V { v := of(s); return &v }
	return r
}

// Secret keeps the values of the field out of messages, mirrors and all other output.
func (r *Scalar[S, H, P, V]) Secret() *Scalar[S, H, P, V] {
	r.secret = true
	return r
}

// Indirect says which values name a cloud object indirectly, as in driver.Field.Indirect. Such a value is equal to any
// present value.
func (r *Scalar[S, H, P, V]) Indirect(expression string) *Scalar[S, H, P, V] {
	r.indirect = expression
	return r
}

// Refers says that the field names another cloud object, and of which sort.
func (r *Scalar[S, H, P, V]) Refers(to driver.Reference) *Scalar[S, H, P, V] {
	r.refers = to
	return r
}

// StandsFor names the field of the table that has the same meaning in the cloud's own terms. agree has, for each value
// of this field, the values of the other field that agree with it.
func (r *Scalar[S, H, P, V]) StandsFor(field string, agree map[string][]string) *Scalar[S, H, P, V] {
	r.standsFor = &driver.Alternative{Field: field, Agree: agree}
	return r
}

// Reported sets the value in the mirror if it differs from have, for example because the cloud has not applied a
// requested value yet.
func (r *Scalar[S, H, P, V]) Reported(reported func(*H) *V) *Scalar[S, H, P, V] {
	r.reported = reported
	return r
}

// Name implements Row.
func (r *Scalar[S, H, P, V]) Name() string { return r.name }

// Doc implements Row.
func (r *Scalar[S, H, P, V]) Doc() driver.Field {
	d := driver.Field{Field: r.name, Effects: r.effects, Equal: r.equalDoc, Secret: r.secret, Refers: r.refers, ReferredIn: r.referrer, Further: r.further, Indirect: r.indirect, StandsFor: r.standsFor}
	if r.safe != nil {
		d.Safe = cmp.Or(show(r, *r.safe), "none")
	}
	return d
}

// show writes a value as people see it.
func show[S, H, P, V any](r *Scalar[S, H, P, V], v V) string {
	if r.secret {
		return driver.Redacted
	}
	return r.format(v)
}

func (r *Scalar[S, H, P, V]) declared(want *S) bool { return r.want(want) != nil }

func (r *Scalar[S, H, P, V]) diff(want *S, have *H, applied driver.Applied) (driver.Change, bool) {
	present := cmp.Or(r.have(have), r.none)
	to, release := r.wanted(want, applied, present)
	if to == nil {
		return driver.Change{}, false
	}
	return scalarChange(r, present, *to, have, release)
}

func (r *Scalar[S, H, P, V]) preview(from, to *S, applied driver.Applied, have *H) (driver.Change, bool) {
	before := cmp.Or(r.want(from), r.none)
	after, release := r.wanted(to, applied, before)
	if after == nil || before == nil && r.format(*after) == "" { // a mirror leaves out what is empty
		return driver.Change{}, false
	}
	return scalarChange(r, before, *after, have, release)
}

// wanted returns the value that a spec asks for, or the safe one if the spec has released the field; nil if it is unmanaged.
func (r *Scalar[S, H, P, V]) wanted(want *S, applied driver.Applied, present *V) (to *V, release bool) {
	switch to := r.want(want); {
	case to != nil && r.atCreation && slices.Equal(applied[r.name], []string{show(r, *to)}):
		return nil, false
	case to != nil || r.safe == nil:
		return to, false
	}
	values, ours := applied[r.name]
	if !ours || onlyAsked(values) && (present == nil || !slices.Contains(values[1:], show(r, *present))) {
		return nil, false // what was asked for and is not there was refused, or never sent: the value that is there is somebody else's
	}
	return r.safeFor(want), true
}

// onlyAsked reports whether applied values were asked for, and never seen in the cloud: the first is empty then, and the others are those values.
func onlyAsked(applied []string) bool { return len(applied) > 1 && applied[0] == "" }

// asked adds a value to those that were asked for, the latest of which are kept.
func asked(before []string, value string) []string {
	if before == nil {
		before = []string{""}
	}
	if !slices.Contains(before[1:], value) {
		before = append(slices.Clone(before), value)
	}
	const most = 4
	return append([]string{""}, before[max(1, len(before)-most):]...)
}

// scalarChange is what leads from one value to another; there is none if both mean the same.
func scalarChange[S, H, P, V any](r *Scalar[S, H, P, V], from *V, to V, have *H, release bool) (driver.Change, bool) {
	if from != nil && r.equal(to, *from) {
		return driver.Change{}, false
	}
	c := driver.Change{Field: r.name, To: show(r, to), Release: release}
	if from != nil && from != r.none {
		c.From = show(r, *from)
	}
	c.Effect, c.Why = r.effect(from, to, have)
	c.Why = withCost(c, r.effects, have)
	return c, true
}

func (r *Scalar[S, H, P, V]) patch(want *S, _ *H, change driver.Change, into *P) error {
	to := r.want(want)
	if to == nil && change.Release && r.safeFor != nil {
		to = r.safeFor(want)
	}
	if to == nil {
		return fmt.Errorf("the spec has no value for it")
	}
	r.set(into, *to)
	return nil
}

func (r *Scalar[S, H, P, V]) mirror(have *H) (any, bool) {
	v := r.reported(have)
	if v == nil || r.secret {
		return nil, false
	}
	return *v, true
}

func (r *Scalar[S, H, P, V]) fixed(have *H) (string, bool) {
	v := r.reported(have)
	switch {
	case r.isFixed == nil || r.secret || !r.isFixed(v):
		return "", false
	case v == nil:
		return "", true
	default:
		return r.format(*v), true
	}
}

func (r *Scalar[S, H, P, V]) applied(want *S, before []string, differing *driver.Change, at moment) ([]string, bool) {
	v := r.want(want)
	if differing != nil {
		if r.safe != nil && v != nil && (before == nil || onlyAsked(before)) {
			return asked(before, show(r, *v)), true // it may be set soon, the answer lost and the field released: then it must return
		}
		return slices.Clone(before), before != nil
	}
	if v == nil {
		return slices.Clone(before), before != nil && at == work && r.safe != nil
	}
	return []string{show(r, *v)}, true
}

func (r *Scalar[S, H, P, V]) secretIn(want *S) (string, bool) {
	v := r.want(want)
	if v == nil || !r.secret {
		return "", false
	}
	return r.format(*v), true
}

func (r *Scalar[S, H, P, V]) constant() bool { return !r.depends }
