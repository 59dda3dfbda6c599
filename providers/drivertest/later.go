package drivertest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// declared returns the value that a field has in Full, or what it is given in place of that.
func (k *Kind[S]) declared(t testing.TB, f Field) any {
	t.Helper()
	full := k.Full()
	at, ok := fieldpath.Get(&full, f.Name)
	if value, other := f.Given[f.Name]; !ok && other {
		return value
	}
	if !ok {
		t.Fatalf("Full does not declare %s", f.Name)
	}
	raw, err := json.Marshal(at.Interface())
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// A First is what it costs to set a field on an object without it.
type First struct {
	// Writes is how many writes that is.
	Writes int
	// Follow are the fields of the changes that follow, which take one write.
	Follow []string
}

// addedLater sets a field that an object was made without. What the cloud chose by itself is no change. Another value is exactly one change, which is
// foretold, and then there is none.
func addedLater[S any](t testing.TB, b *bench[S], f Field) {
	if slices.Contains(b.kind.Needed, f.Name) {
		t.Skip("not shown: the cloud creates nothing without it")
	}
	req, together := withoutField(t, b, f)
	b.create(t, &req)
	unchanged(t, b.observe(t, req))
	set(t, &req.Spec, f.Name, b.kind.declared(t, f))
	for _, other := range together {
		set(t, &req.Spec, other, b.kind.declared(t, b.kind.field(t, other)))
	}
	obs, along := b.observe(t, req), together
	if len(obs.Changes) == 0 || f.Along != nil {
		set(t, &req.Spec, f.Name, f.To)
		for name, value := range f.Along {
			set(t, &req.Spec, name, value)
			along = append(along, name)
		}
		obs = b.observe(t, req)
	}
	for _, other := range b.kind.Fields {
		if _, declared := get(&req.Spec, other.Name); declared && other.With == f.Name && !slices.Contains(along, other.Name) {
			along = append(along, other.Name)
		}
	}
	change := only(t, obs, f, along...)
	foretold(t, b, req, obs)
	switch {
	case change.Effect == driver.Impossible:
		impossibleWritesNothing(t, b, req, f, obs.Changes)
	case f.First.Writes > 0:
		addedFirst(t, b, req, f.First, obs.Changes)
	default:
		costs(t, b, &req, f, obs.Changes)
	}
}

// companions are the fields that go when a field goes.
func (f Field) companions() []string { return slices.Concat(f.Dependents, f.Together) }

// withoutField returns a request for an object without a field, and which other fields come and go with it.
func withoutField[S any](t testing.TB, b *bench[S], f Field) (req request[S], together []string) {
	t.Helper()
	together = slices.Clone(f.Together)
	if f.With != "" {
		together = append(together, f.With)
	}
	spec := given(t, b, f)
	for _, name := range slices.Concat(f.companions(), together, []string{f.Name}) {
		set(t, &spec, name, nil)
	}
	return b.request(t, spec), together
}

// addedFirst makes a change that costs more than an edit, and what follows it.
func addedFirst[S any](t testing.TB, b *bench[S], req request[S], first First, changes []driver.Change) {
	t.Helper()
	if cost := b.update(t, &req, changes); cost.Writes != first.Writes {
		t.Errorf("Update cost %+v, want %d writes", cost, first.Writes)
	}
	obs := b.observe(t, req)
	if diff := cmp.Diff(sorted(first.Follow...), sorted(driver.Names(obs.Changes)...), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the changes that follow (-want +got):\n%s", diff)
	}
	if len(first.Follow) == 0 {
		return
	}
	req.Applied = obs.Applied
	if cost := b.update(t, &req, obs.Changes); cost.Writes != 1 {
		t.Errorf("the changes that follow cost %+v, want one write", cost)
	}
	unchanged(t, b.observe(t, req))
}

// field returns the entry of a field.
func (k *Kind[S]) field(t testing.TB, name string) Field {
	t.Helper()
	i := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("the harness has no entry for %q", name)
	}
	return k.Fields[i]
}

// impossibleWritesNothing makes a change that is Impossible, of which nothing may reach the cloud.
func impossibleWritesNothing[S any](t testing.TB, b *bench[S], req request[S], f Field, changes []driver.Change) {
	t.Helper()
	before := b.Calls()
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != f.Name || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("Update: got %v, Failed %v, want %s with code Invalid", err, result.Failed, f.Name)
	}
	if cost := b.Calls().minus(before); cost.Writes != 0 {
		t.Errorf("Update of what can't change cost %+v, want no writes", cost)
	}
}
