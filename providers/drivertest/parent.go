package drivertest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// parents returns what holds of objects within others, and of kinds whose objects can't be marked.
func parents[S any]() []obligation[S] {
	return []obligation[S]{
		{"parent/it is described", parentDescribed[S]},
		{"parent/within one that does not exist an object is Absent, and none can be made, changed or deleted", parentMissing[S]},
		{"parent/one of the same name with another ID is not the parent", parentReplaced[S]},
		{"parent/objects of the same name within two parents are two", parentNeighbours[S]},
		{"parent/what is within one is gone with it", parentGone[S]},
		{"parent/a parent of another account is none", parentForeign[S]},
		{"owned by the parent/no mark is shown, and to write one does nothing and costs no write", unmarkable[S]},
		{"owned by a registry/the mark of what is gone does not pass to what takes its name", registryForgets[S]},
	}
}

// within returns the parent of the objects that the suite makes, which is made when it is first needed.
func (b *bench[S]) within(t testing.TB) driver.ParentRef {
	t.Helper()
	if b.kind.Within != nil && b.parent.Zero() {
		b.parent = b.kind.Within(t)
	}
	return b.parent
}

// origin returns what a new object is within, or is made of: each of a source of its own, which may be at work until the object is made.
func origin[S any](t testing.TB, b *bench[S]) driver.ParentRef {
	t.Helper()
	if b.kind.Within != nil && b.described(t).Source != "" {
		return b.kind.Within(t)
	}
	return b.within(t)
}

// marks reports whether the driver shows the marks of objects.
func (b *bench[S]) marks(t testing.TB) bool {
	t.Helper()
	return b.described(t).Ownership != driver.OwnedByParent
}

// markOf returns the mark that an object shows that was made by a request.
func (b *bench[S]) markOf(req request[S]) driver.Mark {
	d := b.Driver.Describe()
	if r, _ := d.Resource(b.name); r.Ownership == driver.OwnedByParent {
		return driver.Mark{}
	}
	return req.Mark
}

// writeLeast makes the least write that an object can have: it writes the mark, or a field if there is no place for a mark.
func writeLeast[S any](ctx context.Context, b *bench[S], x external[S], req request[S]) (driver.Result, error) {
	d := b.Driver.Describe()
	if r, _ := d.Resource(b.name); r.Ownership != driver.OwnedByParent {
		return x.Do(ctx, req, writeMark)
	}
	i := slices.IndexFunc(b.kind.Fields, func(f Field) bool { return f.Effect == "" })
	if i < 0 {
		return driver.Result{}, fmt.Errorf("%s has no place for a mark, and no field that changes without effect: nothing can be written", b.name)
	}
	return x.Update(ctx, req, driver.Edit{Changes: []driver.Change{{Field: b.kind.Fields[i].Name, Effect: driver.Online}}})
}

func parentDescribed[S any](t testing.TB, b *bench[S]) {
	if r := b.described(t); (r.Parent+r.Source != "") != (b.kind.Within != nil) {
		t.Errorf("the driver says that the parent is %q, and the harness has a way to make one: %t; have both or none", r.Parent+r.Source, b.kind.Within != nil)
	}
}

// skipUnlessWithin skips a check for a kind without a parent.
func skipUnlessWithin[S any](t testing.TB, b *bench[S]) {
	t.Helper()
	skipUnless(t, b.kind.Within != nil && b.described(t).Parent != "", "kind with a parent")
}

// unreachable checks that nothing can be done about an object of a parent that does not exist.
func unreachable[S any](t testing.TB, b *bench[S], x external[S], req request[S]) {
	t.Helper()
	if obs, err := x.Observe(t.Context(), req); err != nil || obs.State != driver.Absent {
		t.Errorf("Observe: got %v and error %v, want Absent", obs.State, err)
	}
	if _, err := x.Create(t.Context(), req); err == nil || driver.CodeOf(err) != driver.NotFound {
		t.Errorf("Create: got error %v (%v), want one of code NotFound", err, driver.CodeOf(err))
	}
	if _, err := writeLeast(t.Context(), b, x, req); err == nil || driver.CodeOf(err) != driver.NotFound {
		t.Errorf("Update: got error %v (%v), want one of code NotFound", err, driver.CodeOf(err))
	}
	req.Deletion = &driver.Deletion{}
	if _, err := x.Delete(t.Context(), req); err != nil {
		t.Errorf("Delete: %v", err)
	}
}

func parentMissing[S any](t testing.TB, b *bench[S]) {
	skipUnlessWithin(t, b)
	req := b.request(t, b.kind.Full())
	req.Parent = driver.ParentRef{Name: b.Prefix + "-no-parent"}
	unreachable(t, b, b.open(t), req)
}

func parentReplaced[S any](t testing.TB, b *bench[S]) {
	skipUnlessWithin(t, b)
	skipUnless(t, b.within(t).ID != "", "parent with an ID")
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	other := req
	other.Parent.ID += "-before"
	unreachable(t, b, b.open(t), other)
	unchanged(t, b.observe(t, req))
	req.Parent.ID = "" // as long as nobody knows it
	unchanged(t, b.observe(t, req))
}

func parentNeighbours[S any](t testing.TB, b *bench[S]) {
	skipUnlessWithin(t, b)
	one := b.request(t, b.kind.Full())
	b.create(t, &one)
	other := one
	other.Parent, other.ID, other.Mark.UID, other.Spec = b.kind.Within(t), "", "uid-2", b.kind.Minimal()
	if obs := b.observe(t, other); obs.State != driver.Absent {
		t.Errorf("within another parent the state is %v, want Absent", obs.State)
	}
	b.create(t, &other)
	other.Deletion = &driver.Deletion{}
	b.gone(t, &other)
	unchanged(t, b.observe(t, one))
}

func parentGone[S any](t testing.TB, b *bench[S]) {
	skipUnlessWithin(t, b)
	skipUnless(t, b.kind.RemoveParent != nil, "way to delete a parent")
	req := b.request(t, b.kind.Full())
	req.Parent = b.kind.Within(t)
	b.create(t, &req)
	b.kind.RemoveParent(t, req.Parent)
	b.Finish(t)
	unreachable(t, b, b.open(t), req)
}

func parentForeign[S any](t testing.TB, b *bench[S]) {
	skipUnlessWithin(t, b)
	skipUnless(t, b.Other != nil, "other account")
	s, err := b.Driver.Open(t.Context(), *b.Other)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	theirs := req
	theirs.Parent.ID = "" // they know the name alone
	unreachable(t, b, table.Of[S](s, b.name), theirs)
	unchanged(t, b.observe(t, req))
}

func unmarkable[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, !b.marks(t), "kind that is owned by its parent")
	req := b.request(t, b.kind.Full())
	if obs := b.create(t, &req); !obs.Mark.Zero() {
		t.Errorf("the mark is %+v, and nothing in the cloud has one", obs.Mark)
	}
	req.Mark.Released = true
	if cost := b.do(t, &req, writeMark); cost.Writes != 0 {
		t.Errorf("a mark that goes nowhere cost %+v, want no writes", cost)
	}
	obs := b.observe(t, req)
	unchanged(t, obs)
	if !obs.Mark.Zero() {
		t.Errorf("the mark is %+v, and nothing in the cloud has one", obs.Mark)
	}
}

func registryForgets[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.described(t).Ownership == driver.OwnedByRegistry, "kind that is owned by a registry")
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	req.Deletion = &driver.Deletion{}
	b.gone(t, &req)
	next := req
	next.Deletion, next.ID, next.Mark.UID = nil, "", "uid-2"
	if obs := b.create(t, &next); obs.Mark != next.Mark {
		t.Errorf("the mark is %+v, want %+v", obs.Mark, next.Mark)
	}
}
