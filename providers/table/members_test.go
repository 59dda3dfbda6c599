package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type member struct {
	Name  string   `json:"name"`
	Words []string `json:"words,omitempty"`
}

type memberSpec struct {
	Members []member `json:"members,omitzero"`
}

type memberThere struct{ members *[]member }

type memberCall struct{ members table.Members[member] }

var membered = table.Table[memberSpec, memberThere, memberCall]{
	table.MembersOf("members", func(s *memberSpec) []member { return s.Members }, func(h *memberThere) *[]member { return h.members },
		func(p *memberCall, m table.Members[member]) { p.members = m },
		func(m member) string { return m.Name },
		func(m member) member { m.Words = slices.Sorted(slices.Values(m.Words)); return m },
	).RefersIn("name", driver.ReferenceTopic).AndIn("words", driver.ReferenceKey),
}

// Members of others stay, ours are told by what was applied, and people see those that differ.
func TestMembers(t *testing.T) {
	theirs, one, two := member{Name: "theirs"}, member{"one", []string{"b", "a"}}, member{"two", nil}
	changed := member{"one", []string{"c"}}
	for name, tt := range map[string]struct {
		want, have []member
		ours       []string
		from, to   string
		foreign    []string
		change     table.Members[member]
	}{
		"as declared":                 {want: []member{one}, have: []member{theirs, {"one", []string{"a", "b"}}}},
		"unset":                       {have: []member{one}, ours: []string{"one"}},
		"none":                        {want: []member{}, have: []member{theirs, one}, ours: []string{"one"}, from: table.TextOf([]member{one}), change: table.Members[member]{Set: []member{}, Remove: []string{"one"}}},
		"none, and nothing is ours":   {want: []member{}, have: []member{theirs}},
		"one more":                    {want: []member{one, two}, have: []member{theirs, one}, ours: []string{"one"}, to: table.TextOf([]member{two}), change: table.Members[member]{Set: []member{two}}},
		"another, and one is removed": {want: []member{changed}, have: []member{one, two}, ours: []string{"one", "two"}, from: table.TextOf([]member{one, two}), to: table.TextOf([]member{changed}), change: table.Members[member]{Set: []member{changed}, Remove: []string{"two"}}},
		"another, and one of others has the name": {want: []member{changed, two}, have: []member{one}, ours: []string{"two"}, to: table.TextOf([]member{two}),
			foreign: []string{"one"}, change: table.Members[member]{Set: []member{two}}},
		"the first ones, and one of others has the name": {want: []member{changed, two}, have: []member{one}, to: table.TextOf([]member{two}),
			foreign: []string{"one"}, change: table.Members[member]{Set: []member{two}}},
		"one of others says the same": {want: []member{one}, have: []member{one}, ours: []string{"two"}},
	} {
		spec, have := memberSpec{tt.want}, memberThere{&tt.have}
		applied := driver.Applied{"members": tt.ours}
		changes := membered.Diff(&spec, &have, applied, nil)
		if tt.from == "" && tt.to == "" {
			if len(changes) != 0 {
				t.Errorf("%s: got %+v", name, changes)
			}
			continue
		}
		if now := membered.Applied(&spec, applied, changes)["members"]; slices.ContainsFunc(tt.foreign, func(key string) bool { return slices.Contains(now, key) }) {
			t.Errorf("%s: %q are applied, and %q are not ours", name, now, tt.foreign)
		}
		if len(changes) != 1 || changes[0].From != tt.from || changes[0].To != tt.to || !slices.Equal(changes[0].Foreign, tt.foreign) {
			t.Errorf("%s: got %+v, want from %s to %s", name, changes, tt.from, tt.to)
			continue
		}
		mirror := memberSpec{tt.have}
		if diff := cmp.Diff(changes, membered.Preview(&mirror, &spec, applied, nil)); diff != "" {
			t.Errorf("%s: the preview (-change +preview):\n%s", name, diff)
		}
		var call memberCall
		if err := membered.Patch(&spec, &memberThere{}, changes, &call); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.change, call.members); diff != "" {
			t.Errorf("%s: the call (-want +got):\n%s", name, diff)
		}
	}
}

// The effect of a change depends on the members that differ alone, in a preview as well; of what was not read, on all that are wanted.
func TestEffectOfMembers(t *testing.T) {
	cost := driver.Cost{Text: "readers wait", Source: "https://example.com"}
	rows := table.Table[memberSpec, memberThere, memberCall]{
		table.MembersOf("members", func(s *memberSpec) []member { return s.Members }, func(h *memberThere) *[]member { return h.members },
			func(*memberCall, table.Members[member]) {}, func(m member) string { return m.Name }, func(m member) member { return m },
		).EffectOf(func(present, wanted []member) (driver.Effect, string) {
			if len(wanted) > len(present) {
				return driver.Interrupts, fmt.Sprintf("%d and %d", len(present), len(wanted))
			}
			return driver.Online, ""
		}, driver.PossibleEffect{Effect: driver.Online, When: "fewer"}, driver.PossibleEffect{Effect: driver.Interrupts, When: "more", Cost: cost}),
	}
	one, two := member{Name: "one"}, member{Name: "two"}
	for name, tt := range map[string]struct {
		there  *[]member
		want   []member
		effect driver.Effect
		why    string
	}{
		"one more":   {&[]member{one}, []member{one, two}, driver.Interrupts, "0 and 1"},
		"one less":   {&[]member{one, two}, []member{one}, driver.Online, ""},
		"never read": {nil, []member{one}, driver.Interrupts, "0 and 1"},
	} {
		spec, applied := memberSpec{tt.want}, driver.Applied{"members": {"one", "two"}}
		changes := rows.Diff(&spec, &memberThere{tt.there}, applied, nil)
		if len(changes) != 1 || changes[0].Effect != tt.effect || !strings.HasPrefix(changes[0].Why, tt.why) || strings.Contains(changes[0].Why, cost.Text) != (tt.why != "") {
			t.Errorf("%s: got %+v", name, changes)
		}
		if tt.there == nil {
			continue
		}
		if previewed := rows.Preview(&memberSpec{*tt.there}, &spec, applied, nil); !cmp.Equal(changes, previewed) {
			t.Errorf("%s: the preview is %+v", name, previewed)
		}
	}
}

// What a change does is the matter of the members that it sets: one of others that it leaves alone makes nobody wait for approval.
func TestEffectWithoutMembersOfOthers(t *testing.T) {
	rows := table.Table[memberSpec, memberThere, memberCall]{
		table.MembersOf("members", func(s *memberSpec) []member { return s.Members }, func(h *memberThere) *[]member { return h.members },
			func(*memberCall, table.Members[member]) {}, func(m member) string { return m.Name }, func(m member) member { return m },
		).EffectOf(func(present, _ []member) (driver.Effect, string) {
			if len(present) > 0 {
				return driver.Interrupts, "it was there"
			}
			return driver.Online, "new"
		}, driver.PossibleEffect{Effect: driver.Online, When: "new"}, driver.PossibleEffect{Effect: driver.Interrupts, When: "it was there"}),
	}
	for name, tt := range map[string]struct {
		want    []member
		to, why string
	}{
		"and one more": {[]member{{"theirs", []string{"a"}}, {Name: "ours"}}, table.TextOf([]member{{Name: "ours"}}), "new"},
		"alone":        {[]member{{"theirs", []string{"a"}}}, "", "theirs"},
	} {
		changes := rows.Diff(&memberSpec{tt.want}, &memberThere{&[]member{{Name: "theirs"}}}, driver.Applied{"members": {}}, nil)
		if len(changes) != 1 || changes[0].Effect != driver.Online || changes[0].From != "" || changes[0].To != tt.to || !strings.Contains(changes[0].Why, tt.why) ||
			!slices.Equal(changes[0].Foreign, []string{"theirs"}) {
			t.Errorf("%s: got %+v", name, changes)
		}
	}
}

// What was not read differs, an empty list too: or nothing that is ours would ever be taken away.
func TestMembersThatWereNotRead(t *testing.T) {
	for name, tt := range map[string]struct {
		spec    memberSpec
		differs bool
	}{"unset": {memberSpec{}, false}, "none": {memberSpec{[]member{}}, true}, "one": {memberSpec{[]member{{Name: "one"}}}, true}} {
		changes := membered.Diff(&tt.spec, &memberThere{}, driver.Applied{"members": {"one"}}, nil)
		if len(changes) == 1 != tt.differs || len(changes) == 1 && changes[0].From != "" {
			t.Errorf("%s: got %+v, want a difference %v", name, changes, tt.differs)
		}
	}
	if d := membered.Docs()[0]; d.Refers != driver.ReferenceTopic || d.ReferredIn != "name" || !cmp.Equal(d.Further, []driver.Referrer{{In: "words", Sort: driver.ReferenceKey}}) {
		t.Errorf("the row says %+v", d)
	}
}
