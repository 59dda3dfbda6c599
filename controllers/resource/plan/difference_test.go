package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestDifferencesOf(t *testing.T) {
	for name, test := range map[string]struct {
		change driver.Change
		want   []Difference
	}{
		"one value": {driver.Change{Field: "version", From: "15", To: "16"}, []Difference{{"version", "15", "16"}}},
		"an entry that goes, and others stay": {
			driver.Change{Field: "tags", Entries: true, Names: []string{"team"}, From: "team=shop"}, []Difference{{"tags.team", "shop", ""}},
		},
		"entries with commas and equals signs in them": {
			driver.Change{Field: "tags", Entries: true, Names: []string{"a", "b", "c"}, From: "a=1, x=2, b=3", To: "b=4, c=a, b"},
			[]Difference{{"tags.a", "1, x=2", ""}, {"tags.b", "3", "4"}, {"tags.c", "", "a, b"}},
		},
		"entries that wait": {
			driver.Change{Field: "parameters", Entries: true, Names: []string{"a"}, From: "a=1 (pending-reboot)", To: "a=1"}, []Difference{{"parameters.a", "1 (pending-reboot)", "1"}},
		},
		"a grant": {
			driver.Change{Field: "gcp.iamBindings", Entries: true, Names: []string{"roles/r user:a"}, To: "roles/r user:a=granted"}, []Difference{{"gcp.iamBindings[roles/r user:a]", "", "granted"}},
		},
		"all that waits": {
			driver.Change{Field: "parameters", Entries: true, From: "(pending-reboot)"}, []Difference{{"parameters", "(pending-reboot)", ""}},
		},
		"a list of objects": {
			driver.Change{Field: "lifecycle", From: `[{"name":"logs","expireAfterDays":730,"prefix":"l/"},{"name":"old","expireAfterDays":1}]`, To: `[{"name":"logs","expireAfterDays":30,"prefix":"l/"},{"name":"tmp","transitions":[{"afterDays":1}]}]`},
			[]Difference{{"lifecycle[logs].expireAfterDays", "730", "30"}, {"lifecycle[old]", `{"expireAfterDays":1}`, ""}, {"lifecycle[tmp]", "", `{"transitions":[{"afterDays":1}]}`}},
		},
		"the first list":          {driver.Change{Field: "lifecycle", To: `[{"name":"logs","expireAfterDays":30}]`}, []Difference{{"lifecycle[logs]", "", `{"expireAfterDays":30}`}}},
		"a list without names":    {driver.Change{Field: "cors", From: `[{"origins":["a"]}]`, To: `[{"origins":["b"]}]`}, []Difference{{"cors", `[{"origins":["a"]}]`, `[{"origins":["b"]}]`}}},
		"a list in another order": {driver.Change{Field: "rules", From: `[{"id":"a"},{"id":"b"}]`, To: `[{"id":"b"},{"id":"a"}]`}, []Difference{{"rules", `[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"a"}]`}}},
		"names that repeat on one side": {
			driver.Change{Field: "r", From: `[{"name":"x","id":"1"},{"name":"x","id":"2"}]`, To: `[{"name":"x"}]`}, []Difference{{"r", `[{"name":"x","id":"1"},{"name":"x","id":"2"}]`, `[{"name":"x"}]`}},
		},
		"within an entry": {driver.Change{Field: "rules", From: `[{"id":"a","filter":{"prefix":"x","tag":1}}]`, To: `[{"id":"a","filter":{"prefix":"y","tag":1}}]`}, []Difference{{"rules[a].filter.prefix", "x", "y"}}},
	} {
		if got := DifferencesOf(test.change); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A message has the first parts of a change, as far as they have room, and paths are bounded, too.
func TestShown(t *testing.T) {
	whole := func(from, to string) (string, string) { return from, to }
	c := driver.Change{Field: "tags", Entries: true}
	for name := range strings.SplitSeq("a b c d e f g", " ") {
		c.Names, c.To = append(c.Names, name), strings.TrimPrefix(c.To+", "+name+"=1", ", ")
	}
	for room, want := range map[int]string{
		1000: "tags.a (none) -> 1, tags.b (none) -> 1, tags.c (none) -> 1, tags.d (none) -> 1, tags.e (none) -> 1, and 2 more in tags",
		40:   "tags.a (none) -> 1, tags.b (none) -> 1, and 5 more in tags",
		0:    "tags.a (none) -> 1, and 6 more in tags",
	} {
		if got := Shown(c, room, whole); got != want {
			t.Errorf("with room for %d: %q, want %q", room, got, want)
		}
	}
	long := driver.Change{Field: "tags", Entries: true, Names: []string{strings.Repeat("x", 300)}, To: strings.Repeat("x", 300) + "=1"}
	if got := Shown(long, 1000, whole); len(got) > longestPath+len(" (none) -> 1")+len("…") {
		t.Errorf("a long path has %d bytes: %q", len(got), got)
	}
}
