package drivertest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// foreignEntries returns the obligations about entries that somebody else sets.
func foreignEntries[S any](f Field) []obligation[S] {
	return []obligation[S]{
		{"an entry that somebody changed or removed is put back", func(t testing.TB, b *bench[S]) {
			in, req, declared := beginEntries(t, b, f)
			for k := range declared {
				for _, spoil := range []func(map[string]string){
					func(m map[string]string) { delete(m, k) },
					func(m map[string]string) { in.spoil(m, k) },
				} {
					spoiled := maps.Clone(in.Of(t, req.Name))
					spoil(spoiled)
					in.Set(t, req.Name, spoiled)
					updateEntries(t, b, f, &req)
				}
			}
			if diff := cmp.Diff(with(declared, in.Other, in.Theirs), in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
		}},
		{"an entry of others is taken over when the spec declares it", func(t testing.TB, b *bench[S]) {
			in, req, declared := beginEntries(t, b, f)
			if in.Ours == in.Theirs {
				t.Skip("not shown: an entry has one value only")
			}
			set(t, &req.Spec, f.Name, f.valueOf(with(declared, in.Other, in.Ours)))
			if f.Listed != nil {
				spared(t, b, f, in, &req, declared)
			}
			updateEntries(t, b, f, &req)
			if got := in.Of(t, req.Name)[in.Other]; got != in.Ours {
				t.Errorf("the entry is %q, want %q", got, in.Ours)
			}
		}},
		{"an entry of others goes if the spec wants exactly its own", func(t testing.TB, b *bench[S]) {
			in, req, declared := beginEntries(t, b, f)
			if in.Exact == "" {
				t.Skip("not shown: others' entries always stay")
			}
			set(t, &req.Spec, in.Exact, in.ExactMode)
			if c := b.observe(t, req).Changes; len(c) != 1 || len(c[0].Remove) != 0 {
				t.Errorf("got %+v, want one change that takes away nothing of ours: who did not edit the spec is asked first", c)
			}
			updateEntries(t, b, f, &req)
			if diff := cmp.Diff(declared, in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
		}},
		{"the same values in other words are no change", func(t testing.TB, b *bench[S]) {
			in, req, _ := beginEntries(t, b, f)
			if in.Same == nil {
				t.Skip("not shown: values mean what they say")
			}
			in.Set(t, req.Name, in.Same)
			b.Finish(t)
			obs := b.observe(t, req)
			unchanged(t, obs)
			foretold(t, b, req, obs)
		}},
	}
}

// spared demands of a list that an entry of others stays, and is not taken for ours, while the spec wants another one of its name; that all else is set; and that the entry is
// ours once the spec has it as it is. The spec that it leaves wants the other one again.
func spared[S any](t testing.TB, b *bench[S], f Field, in Entries, req *request[S], declared map[string]string) {
	t.Helper()
	name, value := f.another()
	set(t, &req.Spec, f.Name, f.valueOf(with(with(declared, in.Other, in.Ours), name, value)))
	for range 2 { // the second time there is nothing else to set
		seen := b.observe(t, *req)
		if len(seen.Changes) != 1 || !slices.Equal(seen.Changes[0].Foreign, []string{in.Other}) || slices.Contains(seen.Applied[f.Name], in.Other) {
			t.Fatalf("differs in %+v, and %v is applied; want that %s is somebody else's", seen.Changes, seen.Applied, in.Other)
		}
		req.Applied = seen.Applied
		result, err := b.open(t).Update(t.Context(), *req, driver.Edit{Changes: seen.Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != f.Name || driver.CodeOf(result.Failed[0].Err) != driver.Conflict || !strings.Contains(result.Failed[0].Err.Error(), in.Other) {
			t.Fatalf("Update: %v, failed %v; want a Conflict that names %s", err, result.Failed, in.Other)
		}
		b.Finish(t)
	}
	if diff := cmp.Diff(with(with(declared, in.Other, in.Theirs), name, value), in.Of(t, req.Name)); diff != "" {
		t.Errorf("in the cloud (-want +got):\n%s", diff)
	}
	set(t, &req.Spec, f.Name, f.valueOf(with(with(declared, in.Other, in.Theirs), name, value)))
	seen := b.observe(t, *req)
	unchanged(t, seen)
	if !slices.Contains(seen.Applied[f.Name], in.Other) {
		t.Errorf("%s, as somebody else set it, is not applied: %v", in.Other, seen.Applied)
	}
	req.Applied = seen.Applied
	set(t, &req.Spec, f.Name, f.valueOf(with(declared, in.Other, in.Ours)))
}

// shieldedEntries demands that an entry of others that protects them satisfies the spec which has it as it is, cannot be changed thereby, and is there when the spec
// drops it; and that one of the same value which we set is ours.
func shieldedEntries[S any](f Field) []obligation[S] {
	return []obligation[S]{{"an entry that protects others stays theirs though the spec has it, too", func(t testing.TB, b *bench[S]) {
		in, req, declared := beginEntries(t, b, f)
		if in.Shield == "" {
			t.Skip("not shown: no entry of others protects them")
		}
		in.Set(t, req.Name, with(in.Of(t, req.Name), in.Other, in.Shield))
		b.Finish(t)
		specs := []map[string]string{with(declared, in.Other, in.Shield), with(declared, in.Other, in.Ours), with(declared, in.Other, in.Shield), declared}
		for i, spec := range specs {
			set(t, &req.Spec, f.Name, f.valueOf(spec))
			seen := b.observe(t, req)
			if edits := i == 1; len(seen.Changes) > 0 != edits || edits && !slices.Equal(seen.Changes[0].Foreign, []string{in.Other}) || slices.Contains(seen.Applied[f.Name], in.Other) {
				t.Errorf("spec %d: differs in %+v, and %v is applied; want that %s is somebody else's", i, seen.Changes, seen.Applied, in.Other)
			}
			req.Applied = seen.Applied
		}
		if got := in.Of(t, req.Name)[in.Other]; got != in.Shield {
			t.Errorf("the entry is %q, want it as it was, %q", got, in.Shield)
		}
		in.Set(t, req.Name, declared)
		b.Finish(t)
		for _, spec := range []map[string]string{with(declared, in.Other, in.Shield), declared} {
			set(t, &req.Spec, f.Name, f.valueOf(spec))
			updateEntries(t, b, f, &req)
		}
		if _, still := in.Of(t, req.Name)[in.Other]; still {
			t.Errorf("%s, which we set, is still there", in.Other)
		}
	}}}
}
