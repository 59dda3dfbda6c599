package drivertest

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// lacking returns what holds of fields that the cloud of this account lacks, and says so.
func lacking[S any](fields []Field) (all []obligation[S]) {
	for _, f := range fields {
		all = append(all,
			obligation[S]{"field " + f.Name + "/what the cloud lacks is Unsupported by its field, is asked once, and keeps no other from being set",
				func(t testing.TB, b *bench[S]) { lacks(t, b, f) }},
			obligation[S]{"field " + f.Name + "/what the cloud lacks is Unsupported where it was set on an object that was made without it",
				func(t testing.TB, b *bench[S]) { lacksLater(t, b, f) }})
	}
	return all
}

// lacks reports whether the suite leaves a field out that the driver describes, because the cloud of the harness lacks it, or tests of its own try it.
func (k *Kind[S]) lacks(field string) bool {
	if k.Apart[field] != "" {
		return true
	}
	return slices.ContainsFunc(k.Lacking, func(f Field) bool { return f.Name == field })
}

// lacks creates an object with all that the cloud has and a field that it lacks.
func lacks[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, b.kind.Full())
	set(t, &req.Spec, f.Name, f.To)
	req.Applied = b.observe(t, req).Applied
	session := b.open(t) // one for all calls: it remembers what the cloud lacks
	result, err := session.Create(t.Context(), req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	req.ID = result.ID
	b.Finish(t)
	for range 3 { // what the creation left out is set by updates
		seen, err := session.Observe(t.Context(), req)
		if err != nil {
			t.Fatalf("Observe: %v", err)
		}
		done, err := session.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
		if err != nil {
			t.Fatalf("Update: %v", err)
		}
		wantLack(t, f, append(seen.Unreadable, done.Failed...))
	}
	before := b.Calls()
	seen, err := session.Observe(t.Context(), req)
	if err != nil {
		t.Fatalf("Observe: %v", err)
	}
	if _, err := session.Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil {
		t.Fatalf("Update: %v", err)
	}
	if cost := b.Calls().minus(before); cost.Writes != 0 || cost.Reads > b.kind.Reads+b.kind.SupportReads {
		t.Errorf("another look and update cost %+v, want no write and at most %d reads", cost, b.kind.Reads+b.kind.SupportReads)
	}
	for _, c := range seen.Changes {
		if c.Field != f.Name {
			t.Errorf("%s still differs, and the cloud has it: %+v", c.Field, c)
		}
	}
	if !slices.Equal(seen.Applied[f.Name], req.Applied[f.Name]) && len(seen.Changes) == 0 {
		t.Errorf("of what may be applied, although the cloud says that it lacks it, %q is remembered, want %q", seen.Applied[f.Name], req.Applied[f.Name])
	}
	set(t, &req.Spec, f.Name, nil)
	seen, err = session.Observe(t.Context(), req) // with what the caller thinks was applied, as after the creation
	if err != nil || len(seen.Unreadable) > 0 {
		t.Errorf("taken out of the spec: Unreadable %v, error %v", seen.Unreadable, err)
	}
	unchanged(t, seen)
}

// lacksLater sets a field that the cloud lacks on an object that has none.
func lacksLater[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	set(t, &req.Spec, f.Name, f.To)
	session := b.open(t)
	seen, err := session.Observe(t.Context(), req)
	if err != nil || seen.State != driver.Ready {
		t.Fatalf("Observe: %v, %v", seen.State, err)
	}
	done, err := session.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
	wantLack(t, f, append(seen.Unreadable, done.Failed...))
}

// wantLack demands that the field, and nothing but it, is Unsupported.
func wantLack(t testing.TB, f Field, failed []driver.FieldError) {
	t.Helper()
	named := false
	for _, failure := range failed {
		named = named || failure.Field == f.Name
		if failure.Field != f.Name {
			t.Errorf("%s failed, too: %v", failure.Field, failure.Err)
		}
		if driver.CodeOf(failure.Err) != driver.Unsupported {
			t.Errorf("%s: got error %v (%v), want one of code Unsupported", failure.Field, failure.Err, driver.CodeOf(failure.Err))
		}
	}
	if !named {
		t.Errorf("nothing says that the cloud lacks %s: %v", f.Name, failed)
	}
}
