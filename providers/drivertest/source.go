package drivertest

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// sources returns what holds of objects that are made of others.
func sources[S any]() []obligation[S] {
	return []obligation[S]{
		{"source/without one, or of one that does not exist, nothing is made", sourceMissing[S]},
		{"source/one of the same name with another ID is not the source", sourceReplaced[S]},
		{"source/what was made needs none, whatever becomes of it", sourceGone[S]},
		{"source/what was taken is told", sourceTold[S]},
	}
}

func skipUnlessMade[S any](t testing.TB, b *bench[S]) {
	t.Helper()
	skipUnless(t, b.described(t).Source != "", "kind that is made of another")
}

func sourceMissing[S any](t testing.TB, b *bench[S]) {
	skipUnlessMade(t, b)
	x := b.open(t)
	for name, parent := range map[string]driver.ParentRef{"none": {}, "one that does not exist": {Name: b.Prefix + "-no-source"}} {
		req := b.request(t, b.kind.Full())
		req.Parent = parent
		if _, err := x.Create(t.Context(), req); err == nil || driver.CodeOf(err) != driver.NotFound {
			t.Errorf("%s: Create: got error %v (%v), want one of code NotFound", name, err, driver.CodeOf(err))
		}
		if obs := b.observe(t, req); obs.State != driver.Absent {
			t.Errorf("%s: after that the state is %v, want Absent", name, obs.State)
		}
	}
}

func sourceReplaced[S any](t testing.TB, b *bench[S]) {
	skipUnlessMade(t, b)
	skipUnless(t, origin(t, b).ID != "", "source with an ID")
	req := b.request(t, b.kind.Full())
	req.Parent.ID += "-before"
	if _, err := b.open(t).Create(t.Context(), req); err == nil || driver.CodeOf(err) != driver.NotFound {
		t.Errorf("Create: got error %v (%v), want one of code NotFound", err, driver.CodeOf(err))
	}
}

func sourceGone[S any](t testing.TB, b *bench[S]) {
	skipUnlessMade(t, b)
	skipUnless(t, b.kind.RemoveParent != nil, "way to delete a source")
	req := b.request(t, b.kind.Full())
	req.Parent = b.kind.Within(t)
	b.create(t, &req)
	b.kind.RemoveParent(t, req.Parent)
	b.Finish(t)
	unchanged(t, b.observe(t, req))
	req.Parent = driver.ParentRef{}
	unchanged(t, b.observe(t, req))
	req.Deletion = &driver.Deletion{}
	b.gone(t, &req)
}

func sourceTold[S any](t testing.TB, b *bench[S]) {
	skipUnlessMade(t, b)
	req := b.request(t, b.kind.Full())
	is := b.create(t, &req).SnapshotDetails
	if is == nil {
		t.Fatal("nothing is told of what was taken")
	}
	if is.Source != req.Parent.Name || is.Taken.IsZero() || is.Engine == "" || is.Version == "" {
		t.Errorf("got %+v; want the source %s, and when, of what engine and version it was taken", is, req.Parent.Name)
	}
}
