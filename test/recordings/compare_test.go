package recordings

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"testing"
)

// A difference is one field in which an answer is not what was recorded.
type difference struct {
	// path names the field, as in "settings.ipConfiguration.authorizedNetworks[].value"; empty is the answer as a whole.
	path     string
	recorded any // nil if the field was not there
	answered any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: recorded %s, answered %s", cmp.Or(d.path, "(all)"), text(d.recorded), text(d.answered))
}

func text(v any) string {
	if v == nil {
		return "nothing"
	}
	return fmt.Sprintf("%#v", v)
}

// compare returns the differences between two values that were decoded from JSON. Of fields that match one of the patterns in
// volatile only the type counts: ids, times, names of machines.
func compare(recorded, answered any, volatile []string) []difference {
	c := comparison{volatile: volatile}
	c.values("", recorded, answered)
	return c.found
}

type comparison struct {
	volatile []string
	found    []difference
}

func (c *comparison) values(at string, recorded, answered any) {
	if reflect.TypeOf(recorded) != reflect.TypeOf(answered) {
		c.found = append(c.found, difference{at, recorded, answered})
		return
	}
	if matches(c.volatile, at) {
		return
	}
	switch recorded := recorded.(type) {
	case map[string]any:
		c.objects(at, recorded, answered.(map[string]any))
	case []any:
		c.lists(at, recorded, answered.([]any))
	default:
		if recorded != answered {
			c.found = append(c.found, difference{at, recorded, answered})
		}
	}
}

func (c *comparison) objects(at string, recorded, answered map[string]any) {
	keys := map[string]bool{}
	for _, object := range []map[string]any{recorded, answered} {
		for k := range object {
			keys[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		below := k
		if at != "" {
			below = at + "." + k
		}
		c.values(below, recorded[k], answered[k])
	}
}

// lists compares entry by entry. What is left over on one side is one difference for each entry.
func (c *comparison) lists(at string, recorded, answered []any) {
	for i := range max(len(recorded), len(answered)) {
		switch below := at + "[]"; {
		case i >= len(answered):
			c.found = append(c.found, difference{below, recorded[i], nil})
		case i >= len(recorded):
			c.found = append(c.found, difference{below, nil, answered[i]})
		default:
			c.values(below, recorded[i], answered[i])
		}
	}
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		if err != nil {
			panic(fmt.Sprintf("pattern %q: %v", p, err))
		}
		return ok
	})
}

// A known difference has a reason to be there.
type known struct {
	// call and path are patterns of path.Match: of case and call, as in "sqluser-*/users.list", and of the field.
	// In a pattern "\\[]" stands for the entries of a list.
	call, path string
	why        string
	// newer: the field is shown since a time after the recording, so that it explains only what was not recorded.
	newer     bool
	explained int
}

// judge returns the differences that no entry explains, and counts for each entry what it explains.
func judge(entries []*known, call string, found []difference) []difference {
	var unexplained []difference
	for _, d := range found {
		i := slices.IndexFunc(entries, func(k *known) bool {
			return matches([]string{k.call}, call) && matches([]string{k.path}, d.path) && (!k.newer || d.recorded == nil)
		})
		if i < 0 {
			unexplained = append(unexplained, d)
			continue
		}
		entries[i].explained++
	}
	return unexplained
}

// stale returns the entries that explain nothing.
func stale(entries []*known) []string {
	var out []string
	for _, k := range entries {
		if k.explained == 0 {
			out = append(out, fmt.Sprintf("%s %s (%s)", k.call, k.path, k.why))
		}
	}
	return out
}

func wantNoStale(t *testing.T, entries []*known) {
	t.Helper()
	for _, entry := range stale(entries) {
		t.Errorf("an entry of the list explains nothing any more: %s", entry)
	}
}

func TestCompare(t *testing.T) {
	object := func(kv ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i].(string)] = kv[i+1]
		}
		return out
	}
	for _, test := range []struct {
		name               string
		recorded, answered any
		want               []string
	}{
		{"the same", object("a", 1.0, "b", []any{"x"}), object("a", 1.0, "b", []any{"x"}), nil},
		{"another value", object("a", "x"), object("a", "y"), []string{`a: recorded "x", answered "y"`}},
		{"another type", object("a", "1"), object("a", 1.0), []string{`a: recorded "1", answered 1`}},
		{"missing", object("a", object("b", true)), object("a", object()), []string{"a.b: recorded true, answered nothing"}},
		{"too much", object(), object("a", false), []string{"a: recorded nothing, answered false"}},
		{"longer list", object("l", []any{"x", "y"}), object("l", []any{"x"}), []string{`l[]: recorded "y", answered nothing`}},
		{"shorter list", object("l", []any{}), object("l", []any{"x"}), []string{`l[]: recorded nothing, answered "x"`}},
		{"a time", object("createTime", "2024"), object("createTime", "2026"), nil},
		{"a time of another type", object("createTime", "2024"), object("createTime", 1.0), []string{`createTime: recorded "2024", answered 1`}},
		{"all of it", nil, object(), []string{"(all): recorded nothing, answered map[string]interface {}{}"}},
	} {
		var got []string
		for _, d := range compare(test.recorded, test.answered, []string{"*Time"}) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestJudge(t *testing.T) {
	entries := []*known{
		{call: "case-*/instances.get", path: "settings.new*", why: "newer than the stand-in"},
		{call: "*/*", path: `ips\[]`, why: "one address is enough"},
		{call: "*/*", path: "gone", why: "was mended long ago"},
		{call: "*/*", path: "later", why: "shown since", newer: true},
	}
	found := []difference{{path: "settings.newThing"}, {path: "ips[]"}, {path: "settings.tier"}}
	if left := judge(entries, "case-1/instances.get", found); len(left) != 1 || left[0].path != "settings.tier" {
		t.Errorf("unexplained is %v", left)
	}
	if left := judge(entries, "case-1/instances.list", found[:1]); len(left) != 1 {
		t.Errorf("of another call unexplained is %v", left)
	}
	later := []difference{{path: "later", answered: true}, {path: "later", recorded: false, answered: true}}
	if left := judge(entries, "case-1/instances.get", later); len(left) != 1 || left[0].recorded != false {
		t.Errorf("of a newer field unexplained is %v", left)
	}
	if left := stale(entries); len(left) != 1 {
		t.Errorf("stale is %v", left)
	}
}
