package drivertest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// readings returns what parameters say of a field, as text: one value, or one for each entry of a map, by the entry's place. What they do not say
// is missing.
func readings[S any](t testing.TB, parameters *S, f Field) map[string]string {
	t.Helper()
	value, says := get(parameters, f.Name)
	if isMap := f.isMap(); !isMap && says {
		return map[string]string{f.Name: value}
	} else if !isMap {
		return nil
	}
	all := map[string]string{}
	for name, value := range entriesOf(t, parameters, f) {
		all[f.Name+"["+name+"]"] = value
	}
	return all
}

// there returns what an object has, in the words of the spec. A driver reads what a spec declares, so it is looked at as with a spec that declares
// every field.
func (q *sequences[S]) there(t testing.TB, req request[S]) *S {
	t.Helper()
	req.Spec = q.b.kind.Full()
	return mirrored(t, q.b, req)
}

// mirrored returns what an object has of a spec.
func mirrored[S any](t testing.TB, b *bench[S], req request[S]) *S {
	t.Helper()
	var parameters S
	obs := b.observe(t, req)
	if err := json.Unmarshal(obs.Mirror, &parameters); err != nil {
		t.Fatalf("the mirror of an object that is %v (%s): %v", obs.State, obs.Problem, err)
	}
	return &parameters
}

// unmanaged is what an object may have in the end of fields that its spec leaves out: what was there when they were left out, what the spec asked for
// last, or what somebody else set since. Of one with a safe value that was applied, that value.
type unmanaged[S any] struct {
	q *sequences[S]
	// may are the values of each reading of a field, by the field.
	may map[string]map[string][]string
	// touched are the fields that the spec or somebody changed.
	touched map[string]bool
	// asked are the values that the spec had of each field: the cloud may be at work on any of them, and not show it yet.
	asked map[string][]map[string]string
	// begun are, of each map that the spec has, the entries that were there when the spec had it first, and those that it had since.
	begun map[string][2]map[string]string
}

// newUnmanaged begins with an object that was created from a spec.
func newUnmanaged[S any](t testing.TB, q *sequences[S], req *request[S]) *unmanaged[S] {
	t.Helper()
	u := &unmanaged[S]{q: q, may: map[string]map[string][]string{}, touched: map[string]bool{}, asked: map[string][]map[string]string{}, begun: map[string][2]map[string]string{}}
	there, spec := q.there(t, *req), &req.Spec
	for _, f := range q.b.kind.Fields {
		if _, declared := get(spec, f.Name); !declared {
			u.may[f.Name] = nil
			u.add(f.Name, readings(t, there, f))
		} else if f.isMap() {
			u.begun[f.Name] = [2]map[string]string{nil, readings(t, spec, f)}
		}
	}
	return u
}

// add adds values that a field may have.
func (u *unmanaged[S]) add(field string, values map[string]string) {
	if u.may[field] == nil {
		u.may[field] = map[string][]string{}
	}
	if len(values) == 0 {
		values = map[string]string{field: ""}
	}
	for at, value := range values {
		u.may[field][at] = append(u.may[field][at], value)
	}
}

// spec notes that the spec sets a field, or takes it out.
func (u *unmanaged[S]) spec(t testing.TB, req *request[S], field string, value any) {
	t.Helper()
	u.touched[field] = true
	u.asked[field] = append(u.asked[field], readings(t, &req.Spec, u.q.b.kind.field(t, field)))
	f := u.q.b.kind.field(t, field)
	_, declared := get(&req.Spec, field)
	switch {
	case value != nil:
		u.wanted(t, req, f, value, declared)
	case declared:
		u.leftOut(t, req, f)
	}
}

// wanted notes that the spec sets a field, which it may have had before.
func (u *unmanaged[S]) wanted(t testing.TB, req *request[S], f Field, value any, before bool) {
	t.Helper()
	delete(u.may, f.Name)
	if !f.isMap() {
		return
	}
	var next S
	set(t, &next, f.Name, value)
	now := u.begun[f.Name]
	if !before {
		now = [2]map[string]string{readings(t, u.q.there(t, *req), f)}
	}
	all := maps.Clone(readings(t, &next, f))
	maps.Copy(all, now[1])
	now[1] = all
	u.begun[f.Name] = now
}

// leftOut notes that the spec has a field no longer.
func (u *unmanaged[S]) leftOut(t testing.TB, req *request[S], f Field) {
	t.Helper()
	there := readings(t, u.q.there(t, *req), f)
	u.may[f.Name] = nil
	began := u.begun[f.Name]
	delete(u.begun, f.Name)
	if f.Releases {
		u.released(f, there, began)
		return
	}
	if f.Safe == nil {
		u.leftAsIs(t, req, f, there)
		return
	}
	u.add(f.Name, map[string]string{f.Name: Text(f.Safe)})
	if applied := u.q.b.observe(t, *req).Applied[f.Name]; !slices.Contains(applied, there[f.Name]) { // it was asked for and is not there: somebody else's value is
		u.add(f.Name, there)
	}
}

// released notes what may become of entries that the spec leaves out and that go with it: those that the spec had, unless somebody else had them before.
func (u *unmanaged[S]) released(f Field, there map[string]string, began [2]map[string]string) {
	u.add(f.Name, nil)
	for at, value := range there {
		u.add(f.Name, map[string]string{at: value})
	}
	for at := range began[1] {
		if _, before := began[0][at]; before {
			u.add(f.Name, map[string]string{at: began[0][at]})
		} else {
			delete(u.may[f.Name], at)
		}
		u.add(f.Name, map[string]string{at: ""})
	}
}

// leftAsIs notes what may become of a field that the spec leaves out and that does not return to anything: what is there, and what the cloud was asked for,
// now or before. An entry of a map that the spec did not have at last may be on its way out.
func (u *unmanaged[S]) leftAsIs(t testing.TB, req *request[S], f Field, there map[string]string) {
	t.Helper()
	last, all := readings(t, &req.Spec, f), []map[string]string{there}
	all = append(all, u.asked[f.Name]...)
	for _, some := range append(all, last) {
		u.add(f.Name, some)
	}
	for at := range u.may[f.Name] {
		_, had := last[at]
		if _, is := there[at]; !had || !is {
			u.may[f.Name][at] = append(u.may[f.Name][at], "")
		}
	}
}

// others notes what somebody else changed between two looks.
func (u *unmanaged[S]) others(t testing.TB, was, is *S) {
	t.Helper()
	for _, f := range u.q.b.kind.Fields {
		now := readings(t, is, f)
		if maps.Equal(readings(t, was, f), now) {
			continue
		}
		u.touched[f.Name] = true
		if _, left := u.may[f.Name]; left {
			u.add(f.Name, now)
		}
	}
}

// check compares the fields that the spec leaves out, and the entries that it no longer has.
func (u *unmanaged[S]) check(t testing.TB, req *request[S], last rest) {
	t.Helper()
	there, spec := u.q.there(t, *req), &req.Spec
	for _, f := range u.q.b.kind.Fields {
		got, may := readings(t, there, f), u.may[f.Name]
		for at, values := range may {
			if !slices.Contains(values, got[at]) && !u.follows(t, f, at) && last.cannot[f.Name] == "" {
				t.Errorf("the spec leaves out %s, which is %q in the end, and has to be one of %q", at, got[at], values)
			}
		}
		begun, declared := u.begun[f.Name], readings(t, spec, f)
		for at := range begun[1] {
			_, wanted := declared[at]
			_, before := begun[0][at]
			if value, still := got[at]; still && !wanted && !before && last.cannot[f.Name] == "" {
				t.Errorf("the spec no longer has %s, which is %q in the end", at, value)
			}
		}
	}
}

// follows reports whether a change of another field may have changed a reading of a field that the spec leaves out. Of a map that is an entry of the other
// field's own, unless the other field excludes the map.
func (u *unmanaged[S]) follows(t testing.TB, f Field, at string) bool {
	t.Helper()
	own := true
	if f.isMap() {
		var full, other S
		set(t, &other, f.Name, f.To)
		entries := entriesOf(t, &other, f)
		set(t, &full, f.Name, u.q.b.kind.declared(t, f))
		_, inTo := entries[strings.TrimSuffix(strings.TrimPrefix(at, f.Name+"["), "]")]
		_, inFull := readings(t, &full, f)[at]
		own = !inTo && !inFull
	}
	for other := range f.Follows {
		value, given := u.q.b.kind.field(t, other).Given[f.Name]
		if u.touched[other] && (own || given && value == nil) {
			return true
		}
	}
	return false
}

// others has somebody else set an entry in each map, and returns the maps as they are then.
func (q *sequences[S]) others(t testing.TB, name string) map[string]map[string]string {
	t.Helper()
	q.b.Finish(t)
	all := map[string]map[string]string{}
	for _, f := range q.b.kind.Fields {
		if in, ok := q.b.kind.entriesIn(f.Name); ok {
			entries := in.Of(t, name)
			entries[in.Other] = in.Theirs
			in.Set(t, name, entries)
			if in.Of(t, name)[in.Other] == in.Theirs { // not where nobody can, such as in a default group of RDS
				all[f.Name] = map[string]string{in.Other: in.Theirs}
			}
		}
	}
	q.b.Finish(t)
	return all
}

// takenAway forgets the maps that a field excludes: with another value of it, such as another parameter group, they have
// other entries.
func (q *sequences[S]) takenAway(field string, theirs map[string]map[string]string) {
	for _, f := range q.b.kind.Fields {
		if f.Name != field {
			continue
		}
		maps.DeleteFunc(theirs, func(excluded string, _ map[string]string) bool {
			value, given := f.Given[excluded]
			return given && value == nil
		})
	}
}

// theirsKept checks that what others set is there.
func (q *sequences[S]) theirsKept(t testing.TB, req request[S], theirs map[string]map[string]string) {
	t.Helper()
	for field, want := range theirs {
		in, _ := q.b.kind.entriesIn(field)
		got := in.Of(t, req.Name)
		for name := range maps.Keys(want) {
			if got[name] != want[name] {
				t.Errorf("of %s somebody else's entry %s=%s is %q in the end", field, name, want[name], got[name])
			}
		}
	}
}
