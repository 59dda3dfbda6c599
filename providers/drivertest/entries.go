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
	// Spoiled is a value that every entry can have, and none has. It is empty, and Theirs and Ours are the same, if an entry has one value only.
	Other, Theirs, Ours, Spoiled string
	// Shield is a value of Other that protects whoever set it: it is theirs although the spec has it. It is empty if others' entries are all taken over.
	Shield string
	// Exact is the field that, set to ExactMode, has the entries of others taken away; empty if there is none.
	Exact     string
	ExactMode any
	// Same are the values of Full in other words; nil if there are none.
	Same map[string]string
}

// Listed says how a list of structs, of which others may own entries, is a map.
type Listed struct {
	// Map returns the entries of a list, which is JSON, by their names.
	Map func(t testing.TB, list []byte) map[string]string
	// List returns the list with entries.
	List func(entries map[string]string) any
	// New is the name of an entry that neither Full nor To has, and NewValue what it can be.
	New, NewValue string
}

// isMap reports whether others may own entries of a field.
func (f Field) isMap() bool {
	_, isMap := f.To.(map[string]string)
	return isMap || f.Listed != nil
}

// valueOf returns entries as the spec has them.
func (f Field) valueOf(entries map[string]string) any {
	if f.Listed != nil {
		return f.Listed.List(entries)
	}
	return entries
}

// another returns an entry that is not there yet.
func (f Field) another() (name, value string) {
	if f.Listed != nil {
		return f.Listed.New, f.Listed.NewValue
	}
	return "brand-new", "1"
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

// spoil gives an entry the spoiled value, or takes it away where an entry has one value only.
func (in Entries) spoil(entries map[string]string, name string) {
	if entries[name] = in.Spoiled; in.Spoiled == "" {
		delete(entries, name)
	}
}

// add adds the entry of somebody else.
func (in Entries) add(t testing.TB, name string) {
	t.Helper()
	in.Set(t, name, with(in.Of(t, name), in.Other, in.Theirs))
}

// entries returns what holds of a map that others own entries of.
func entries[S any](f Field) []obligation[S] {
	return slices.Concat(ownEntries[S](f), releasedEntries[S](f), foreignEntries[S](f), shieldedEntries[S](f), plannedEntries[S](f))
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
			set(t, &req.Spec, f.Name, f.valueOf(declared))
			updateEntries(t, b, f, &req)
			if diff := cmp.Diff(with(declared, in.Other, in.Theirs), in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
		}},
		{"an empty map takes ours away, those of others stay", func(t testing.TB, b *bench[S]) {
			in, req, _ := beginEntries(t, b, f)
			set(t, &req.Spec, f.Name, f.valueOf(map[string]string{}))
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
			if f.Releases {
				t.Skip("not shown: ours go")
			}
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
			brandNew, value := f.another()
			set(t, &req.Spec, f.Name, f.valueOf(with(declared, brandNew, value)))
			got := b.observe(t, req).Applied[f.Name]
			if disturbs(t, b, f.Name) {
				brandNew += "?"
			}
			if want := sorted(append(slices.Clone(before[f.Name]), brandNew)...); !slices.Equal(got, want) {
				t.Errorf("Applied is %v while entries differ, want old and new names %v: the write's answer may be lost", got, want)
			}
		}},
	}
}

// releasedEntries returns the obligations about entries that go with the field.
func releasedEntries[S any](f Field) []obligation[S] {
	return []obligation[S]{
		{"taken out of the spec ours go if they are released, those of others stay", func(t testing.TB, b *bench[S]) {
			in, req, _ := beginEntries(t, b, f)
			if !f.Releases {
				t.Skip("not shown: all entries stay")
			}
			set(t, &req.Spec, f.Name, nil)
			obs := b.observe(t, req)
			if change := only(t, obs, f); !change.Release || change.To != "" {
				t.Errorf("got %+v, want a release", change)
			}
			if _, still := obs.Applied[f.Name]; !still {
				t.Error("no longer Applied before they went: were the write lost, they would stay for ever")
			}
			foretold(t, b, req, obs)
			updateEntries(t, b, f, &req)
			if _, still := req.Applied[f.Name]; still {
				t.Error("still Applied after they went")
			}
			if diff := cmp.Diff(map[string]string{in.Other: in.Theirs}, in.Of(t, req.Name)); diff != "" {
				t.Errorf("in the cloud (-want +got):\n%s", diff)
			}
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
				entries := maps.Clone(in.Of(t, req.Name))
				in.spoil(entries, name)
				in.Set(t, req.Name, entries)
				b.Finish(t)
			}
			spoil(names[0])
			planned := b.observe(t, req).Changes
			spoil(names[1])
			if in.Exact != "" {
				set(t, &req.Spec, in.Exact, in.ExactMode)
			}
			b.update(t, &req, planned)
			want := with(declared, in.Other, in.Theirs)
			in.spoil(want, names[1])
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
	return in, req, entriesOf(t, &req.Spec, f)
}

// updateEntries makes the one change that there is, in one write, or at most as many as the field says.
func updateEntries[S any](t testing.TB, b *bench[S], f Field, req *request[S]) {
	t.Helper()
	b.Finish(t)
	planned := b.observe(t, *req)
	changes := planned.Changes
	if diff := cmp.Diff([]string{f.Name}, driver.Names(changes)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	req.Applied = planned.Applied // as the controller notes it before a write
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
func entriesOf[S any](t testing.TB, spec *S, f Field) map[string]string {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for step := range strings.SplitSeq(f.Name, ".") {
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
	if raw != nil && f.Listed != nil {
		return f.Listed.Map(t, raw)
	}
	if raw != nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
