package drivertest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Entries reach a map of an object behind the driver's back, of which others may own entries.
type Entries struct {
	// Of returns all entries but those of the mark, and Set replaces them.
	Of  func(t testing.TB, name string) map[string]string
	Set func(t testing.TB, name string, entries map[string]string)
	// Other is the name of an entry that somebody else may set, neither in Full nor in To. Theirs and Ours are two values that it can have.
	// Spoiled is a value that every entry can have, and none has.
	Other, Theirs, Ours, Spoiled string
	// Exact is the field that, set to ExactMode, has the entries of others taken away; empty if there is none.
	Exact     string
	ExactMode any
	// Same are the values of Full in other words; nil if there are none.
	Same map[string]string
}

// entriesIn returns the way to a map of the spec, and whether there is one. Tags are reached as labels are.
func (k *Kind[S]) entriesIn(field string) (Entries, bool) {
	if in, ok := k.Cloud.Entries[field]; ok || field != "tags" || k.Cloud.Labels == nil || k.Cloud.Relabel == nil {
		return in, ok
	}
	return Entries{
		Of: func(t testing.TB, name string) map[string]string { return driver.WithoutMark(k.Cloud.Labels(t, name)) },
		Set: func(t testing.TB, name string, entries map[string]string) {
			all := maps.Clone(entries)
			for _, key := range driver.MarkKeys() {
				if value, ok := k.Cloud.Labels(t, name)[key]; ok {
					all[key] = value
				}
			}
			k.Cloud.Relabel(t, name, all)
		},
		Other: "owner", Theirs: "somebody", Ours: "us", Spoiled: "spoiled",
	}, true
}

// add adds the entry of somebody else.
func (in Entries) add(t testing.TB, name string) {
	t.Helper()
	in.Set(t, name, with(in.Of(t, name), in.Other, in.Theirs))
}

// entries returns what holds of a map that others own entries of.
func entries[S any](f Field) []obligation[S] {
	return slices.Concat(ownEntries[S](f), foreignEntries[S](f), plannedEntries[S](f))
}

// disturbs reports whether a change of a field may disturb users.
func disturbs[S any](t testing.TB, b *bench[S], field string) bool {
	t.Helper()
	return slices.ContainsFunc(b.described(t).Fields, func(d driver.Field) bool {
		return d.Field == field && slices.ContainsFunc(d.Effects, func(e driver.PossibleEffect) bool { return e.Effect.Disruptive() })
	})
}

// appliedEntries is what is applied of a map once the cloud has it.
func appliedEntries[S any](t testing.TB, b *bench[S], field string, entries map[string]string) []string {
	t.Helper()
	stored := []string{}
	for name, value := range entries {
		if disturbs(t, b, field) {
			name += "=" + value
		}
		stored = append(stored, name)
	}
	slices.Sort(stored)
	return stored
}

// ownEntries returns the obligations about entries that we set.
func ownEntries[S any](f Field) []obligation[S] {
	return []obligation[S]{
		{"an entry taken out of the spec goes, those of others stay", func(t testing.TB, b *bench[S]) {
			in, req, declared := beginEntries(t, b, f)
			key := slices.Sorted(maps.Keys(declared))[0]
			delete(declared, key)
			set(t, &req.Spec, f.Name, declared)
			updateEntries(t, b, f, &req)
			if diff := cmp.Diff(with(declared, in.Other, in.Theirs), in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
		}},
		{"an empty map takes ours away, those of others stay", func(t testing.TB, b *bench[S]) {
			in, req, _ := beginEntries(t, b, f)
			set(t, &req.Spec, f.Name, map[string]string{})
			updateEntries(t, b, f, &req)
			if diff := cmp.Diff(map[string]string{in.Other: in.Theirs}, in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
			if obs := b.observe(t, req); obs.Mark != b.markOf(req) {
				t.Errorf("the mark is %+v, want %+v", obs.Mark, b.markOf(req))
			}
		}},
		{"taken out of the spec all entries stay", func(t testing.TB, b *bench[S]) {
			in, req, _ := beginEntries(t, b, f)
			before := in.Of(t, req.Name)
			set(t, &req.Spec, f.Name, nil)
			unchanged(t, b.observe(t, req))
			if diff := cmp.Diff(before, in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
		}},
		{"what may have been set counts as ours until it is seen", func(t testing.TB, b *bench[S]) {
			_, req, declared := beginEntries(t, b, f)
			before := req.Applied
			set(t, &req.Spec, f.Name, with(declared, "brand-new", "1"))
			got := b.observe(t, req).Applied[f.Name]
			brandNew := "brand-new"
			if disturbs(t, b, f.Name) {
				brandNew += "?"
			}
			if want := sorted(append(slices.Clone(before[f.Name]), brandNew)...); !slices.Equal(got, want) {
				t.Errorf("Applied is %v while entries differ, want old and new names %v: the write's answer may be lost", got, want)
			}
		}},
	}
}

// foreignEntries returns the obligations about entries that somebody else sets.
func foreignEntries[S any](f Field) []obligation[S] {
	return []obligation[S]{
		{"an entry that somebody changed or removed is put back", func(t testing.TB, b *bench[S]) {
			in, req, declared := beginEntries(t, b, f)
			for k := range declared {
				for _, spoil := range []func(map[string]string){
					func(m map[string]string) { delete(m, k) },
					func(m map[string]string) { m[k] = in.Spoiled },
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
			set(t, &req.Spec, f.Name, with(declared, in.Other, in.Ours))
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

// plannedEntries returns the obligations about entries that differ only after a change was planned.
func plannedEntries[S any](f Field) []obligation[S] {
	return []obligation[S]{
		{"what differs since a change was planned waits for the next plan", func(t testing.TB, b *bench[S]) {
			in, req, declared := beginEntries(t, b, f)
			if len(declared) < 2 {
				t.Skip("not shown: it takes two entries")
			}
			names := slices.Sorted(maps.Keys(declared))
			spoil := func(name string) {
				in.Set(t, req.Name, with(in.Of(t, req.Name), name, in.Spoiled))
				b.Finish(t)
			}
			spoil(names[0])
			planned := b.observe(t, req).Changes
			spoil(names[1])
			if in.Exact != "" {
				set(t, &req.Spec, in.Exact, in.ExactMode)
			}
			b.update(t, &req, planned)
			want := with(with(declared, in.Other, in.Theirs), names[1], in.Spoiled)
			if diff := cmp.Diff(want, in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
		}},
	}
}

// beginEntries creates an object that has an entry of somebody else beside those of the spec, which it returns.
func beginEntries[S any](t testing.TB, b *bench[S], f Field) (Entries, request[S], map[string]string) {
	t.Helper()
	in, ok := b.kind.entriesIn(f.Name)
	skipUnless(t, ok, "way to change the entries of "+f.Name)
	req := b.request(t, given(t, b, f))
	b.create(t, &req)
	in.add(t, req.Name)
	b.Finish(t)
	unchanged(t, b.observe(t, req))
	return in, req, entriesOf(t, &req.Spec, f.Name)
}

// updateEntries makes the one change that there is, in one write, or at most as many as the field says.
func updateEntries[S any](t testing.TB, b *bench[S], f Field, req *request[S]) {
	t.Helper()
	b.Finish(t)
	changes := b.observe(t, *req).Changes
	if diff := cmp.Diff([]string{f.Name}, driver.Names(changes)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	if cost := b.update(t, req, changes); cost.Writes < 1 || cost.Writes > max(f.Writes, 1) {
		t.Errorf("Update cost %+v, want at most %d writes", cost, max(f.Writes, 1))
	}
	obs := b.observe(t, *req)
	unchanged(t, obs)
	req.Applied = obs.Applied
}

// with returns a map with one entry more.
func with(m map[string]string, k, v string) map[string]string {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]string{}
	}
	m[k] = v
	return m
}

// entriesOf returns a map of the spec.
func entriesOf[S any](t testing.TB, spec *S, path string) map[string]string {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for step := range strings.SplitSeq(path, ".") {
		if raw == nil {
			break
		}
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(raw, &inner); err != nil {
			t.Fatal(err)
		}
		raw = inner[step]
	}
	out := map[string]string{}
	if raw != nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
