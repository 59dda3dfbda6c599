package table

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Of what is left of an object the newest state counts, and one that is not complete yet is waited for if it is newer still.
func TestNewestOf(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 27, hour, 0, 0, 0, time.UTC) }
	state := func(name string, hour int, complete bool) driver.SavedState {
		s := driver.SavedState{From: driver.Restore{Snapshot: name, Time: at(hour)}, Details: driver.SnapshotDetails{Version: name}, Complete: complete}
		if hour < 0 {
			s.From.Time = time.Time{}
		}
		return s
	}
	gone := driver.ParentRef{Name: "orders", ID: "db-1"}
	for name, tt := range map[string]struct {
		states  []driver.SavedState
		want    string
		pending bool
	}{
		"nothing":                             {},
		"one":                                 {states: []driver.SavedState{state("a", 3, true)}, want: "a"},
		"two":                                 {states: []driver.SavedState{state("a", 3, true), state("b", 4, true)}, want: "b"},
		"two, the newer first":                {states: []driver.SavedState{state("b", 4, true), state("a", 3, true)}, want: "b"},
		"one that is not complete":            {states: []driver.SavedState{state("a", 3, false)}, pending: true},
		"an older one is not complete":        {states: []driver.SavedState{state("a", 3, false), state("b", 4, true)}, want: "b"},
		"a newer one is not complete":         {states: []driver.SavedState{state("a", 3, true), state("b", 4, false)}, want: "a", pending: true},
		"one has no time yet":                 {states: []driver.SavedState{state("b", -1, false), state("a", 3, true)}, want: "a", pending: true},
		"one has no time, another an old one": {states: []driver.SavedState{state("b", -1, false), state("c", 2, false), state("a", 3, true)}, want: "a", pending: true},
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
