package driver

import (
	"testing"
	"time"
)

// Of what is left of an object the newest state counts, and one that is not complete yet is waited for if it is newer still.
func TestNewestOf(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 27, hour, 0, 0, 0, time.UTC) }
	state := func(name string, hour int, complete bool) SavedState {
		s := SavedState{From: Restore{Snapshot: name, Time: at(hour)}, Details: SnapshotDetails{Version: name}, Complete: complete}
		if hour < 0 {
			s.From.Time = time.Time{}
		}
		return s
	}
	gone := ParentRef{Name: "orders", ID: "db-1"}
	for name, tt := range map[string]struct {
		states  []SavedState
		want    string
		pending bool
	}{
		"nothing":                             {},
		"one":                                 {states: []SavedState{state("a", 3, true)}, want: "a"},
		"two":                                 {states: []SavedState{state("a", 3, true), state("b", 4, true)}, want: "b"},
		"two, the newer first":                {states: []SavedState{state("b", 4, true), state("a", 3, true)}, want: "b"},
		"one that is not complete":            {states: []SavedState{state("a", 3, false)}, pending: true},
		"an older one is not complete":        {states: []SavedState{state("a", 3, false), state("b", 4, true)}, want: "b"},
		"a newer one is not complete":         {states: []SavedState{state("a", 3, true), state("b", 4, false)}, want: "a", pending: true},
		"one has no time yet":                 {states: []SavedState{state("b", -1, false), state("a", 3, true)}, want: "a", pending: true},
		"one has no time, another an old one": {states: []SavedState{state("b", -1, false), state("c", 2, false), state("a", 3, true)}, want: "a", pending: true},
	} {
		r := NewestOf(gone, tt.states)
		got := ""
		if r.From != nil {
			if got = r.From.Snapshot; r.From.Vanished != "db-1" || r.From.Source != gone || r.Details.Version != got {
				t.Errorf("%s: got %+v of %+v", name, r.From, r.Details)
			}
		}
		if got != tt.want || r.Pending != tt.pending {
			t.Errorf("%s: got %q, pending: %t; want %q, %t", name, got, r.Pending, tt.want, tt.pending)
		}
	}
}

// What another object left is not restored in the place of this one.
func TestMarkLeaves(t *testing.T) {
	own := Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "u"}
	with := func(change func(*Mark)) Mark { m := own; change(&m); return m }
	for _, tt := range []struct {
		name           string
		mark           Mark
		itself, ofKind bool // of the object, and of a snapshot's object
	}{
		{"none", Mark{}, true, true},
		{"its own", own, true, true},
		{"its own of before", with(func(m *Mark) { m.UID = "before" }), true, true},
		{"its own, released", with(func(m *Mark) { m.Released = true }), true, true},
		{"of the same namespace", with(func(m *Mark) { m.Name = "nightly" }), false, true},
		{"of another namespace", with(func(m *Mark) { m.Namespace = "bank" }), false, false},
		{"of another cluster", with(func(m *Mark) { m.Cluster = "d" }), false, false},
		{"a part of it", Mark{UID: "u"}, false, false},
	} {
		if a, b := tt.mark.Leaves(own, false), tt.mark.Leaves(own, true); a != tt.itself || b != tt.ofKind {
			t.Errorf("%s: got %t and %t, want %t and %t", tt.name, a, b, tt.itself, tt.ofKind)
		}
	}
}
