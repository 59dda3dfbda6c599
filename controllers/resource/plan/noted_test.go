package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A name is noted right before an update that adds it, and not while that waits. It stays noted until the cloud said that it is not set.
func TestNoted(t *testing.T) {
	adds := driver.Change{Field: "policy", Names: []string{"new", "other"}, Adds: []string{"new"}}
	waits := driver.Change{Field: "replication"}
	for name, tt := range map[string]struct {
		observed, before driver.Applied
		changes, sends   []driver.Change
		unset            map[string][]string
		want             driver.Applied
	}{
		"it waits": {
			observed: driver.Applied{"policy": {"new", "old"}, "versioning": {"Enabled"}}, before: driver.Applied{"policy": {"old"}}, changes: []driver.Change{adds, waits},
			want: driver.Applied{"policy": {"old"}, "versioning": {"Enabled"}},
		},
		"nothing was noted": {
			observed: driver.Applied{"policy": {"new"}}, changes: []driver.Change{adds},
			want: driver.Applied{"policy": {}},
		},
		"it is sent": {
			observed: driver.Applied{"policy": {"new", "old"}}, before: driver.Applied{"policy": {"old"}}, changes: []driver.Change{adds, waits}, sends: []driver.Change{waits, adds},
			want: driver.Applied{"policy": {"new", "old"}},
		},
		"another is sent": {
			observed: driver.Applied{"policy": {"new", "old"}}, before: driver.Applied{"policy": {"old"}}, changes: []driver.Change{adds, waits}, sends: []driver.Change{waits},
			want: driver.Applied{"policy": {"old"}},
		},
		"another part of it is sent": {
			observed: driver.Applied{"policy": {"new", "old"}}, before: driver.Applied{"policy": {"old"}}, changes: []driver.Change{adds},
			sends: []driver.Change{{Field: "policy", Names: []string{"other"}}},
			want:  driver.Applied{"policy": {"old"}},
		},
		"it was sent": {
			observed: driver.Applied{"policy": {"new", "old"}}, before: driver.Applied{"policy": {"new", "old"}}, changes: []driver.Change{adds},
			want: driver.Applied{"policy": {"new", "old"}},
		},
		"it was refused": {
			observed: driver.Applied{"policy": {"new", "old"}}, before: driver.Applied{"policy": {"new", "old"}}, changes: []driver.Change{adds}, unset: map[string][]string{"policy": {"new"}},
			want: driver.Applied{"policy": {"old"}},
		},
		"what is there stays, whatever is said of it": {
			observed: driver.Applied{"policy": {"other"}}, before: driver.Applied{"policy": {"other"}}, changes: []driver.Change{adds}, unset: map[string][]string{"policy": {"other"}},
			want: driver.Applied{"policy": {"other"}},
		},
		"the field is unknown": {observed: driver.Applied{}, changes: []driver.Change{adds}, want: driver.Applied{}},
		"as declared":          {observed: driver.Applied{"policy": {"a"}}, want: driver.Applied{"policy": {"a"}}},
	} {
		before := tt.observed.Clone()
		if diff := cmp.Diff(tt.want, Noted(tt.observed, tt.before, tt.changes, tt.sends, tt.unset)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(before, tt.observed); diff != "" {
			t.Errorf("%s: the observation was changed (-before +after):\n%s", name, diff)
		}
	}
}

// All of what decides whether a name is nobody's: that the change adds it, that the driver says so, and that it was not noted before or nothing recent can
// hide it.
func TestUnset(t *testing.T) {
	flags := []bool{false, true}
	for _, adds := range flags {
		for _, says := range flags {
			for _, noted := range flags {
				for _, sure := range flags {
					for _, other := range flags { // the refusal is of another field
						c, f, before := driver.Change{Field: "policy", Names: []string{"a", "b"}}, driver.FieldError{Field: "policy"}, driver.Applied{"policy": {"z"}}
						if adds {
							c.Adds = []string{"a"}
						}
						if says {
							f.Unset = []string{"a"}
						}
						if noted {
							before["policy"] = []string{"a", "z"}
						}
						if other {
							f.Field = "tags"
						}
						got := Unset([]driver.Change{c}, []driver.FieldError{{Field: "tags"}, f}, before, sure)
						want := adds && says && !other && (!noted || sure)
						if slices.Contains(got["policy"], "a") != want || len(got) > 1 {
							t.Errorf("%s: got %v", fmt.Sprintf("adds %t, says %t, noted %t, sure %t, other %t", adds, says, noted, sure, other), got)
						}
					}
				}
			}
		}
	}
}

// While an object is only observed, names of entries that went stay nobody's. Whatever is there stays known.
func TestStillThere(t *testing.T) {
	applied := driver.Applied{"policy": {"gone", "there"}, "tags": {"team"}, "versioning": {"Enabled"}}
	changes := []driver.Change{
		{Field: "policy", Names: []string{"changed", "gone", "new"}, Adds: []string{"gone", "new"}}, {Field: "versioning", From: "Suspended", To: "Enabled"},
	}
	want := driver.Applied{"policy": {"there"}, "tags": {"team"}, "versioning": {"Enabled"}}
	before := applied.Clone()
	if diff := cmp.Diff(want, StillThere(applied, changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, applied); diff != "" {
		t.Errorf("what is noted was changed itself (-before +after):\n%s", diff)
	}
	if StillThere(nil, changes) != nil {
		t.Error("something is noted of what was never applied")
	}
}
