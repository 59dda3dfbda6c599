package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// thingSpec, thing and call are the smallest spec, cloud object and parameters of a call that have a field of
// every sort.
type thingSpec struct {
	Place    *string           `json:"place,omitempty"`  // can't change
	Size     *int              `json:"size,omitempty"`   // a floor
	Class    *string           `json:"class,omitempty"`  // restarts
	Access   *string           `json:"access,omitempty"` // has a safe default
	Password *string           `json:"password,omitempty"`
	Inner    *inner            `json:"inner,omitempty"`
	Tags     map[string]string `json:"tags,omitempty"`
	Logs     []string          `json:"logs,omitzero"`
}

type inner struct {
	Days *int `json:"days,omitempty"`
}

type thing struct {
	Place, Class, Access, Password *string
	Size, Days                     *int
	ClassNow                       *string // while Class is asked for
	Tags                           map[string]string
	Logs                           []string
}

type call struct {
	Place, Class, Access, Password *string
	Size, Days                     *int
	Tags                           *table.Delta
	Logs                           []string
}

// away is what another class costs.
var away = driver.Cost{Text: "it is away for a minute", MultiZone: "it is away for a second"}

var things = table.Table[thingSpec, thing, call]{
	table.Field("place", func(s *thingSpec) *string { return s.Place }, func(h *thing) *string { return h.Place },
		func(p *call, v string) { p.Place = &v }).Immutable("make another"),
	table.Field("size", func(s *thingSpec) *int { return s.Size }, func(h *thing) *int { return h.Size },
		func(p *call, v int) { p.Size = &v }).Equal(func(want, have int) bool { return have >= want }, "larger is no drift"),
	table.Field("class", func(s *thingSpec) *string { return s.Class }, func(h *thing) *string { return h.Class },
		func(p *call, v string) { p.Class = &v }).Restarts(away).
		Reported(func(h *thing) *string {
			if h.ClassNow != nil {
				return h.ClassNow
			}
			return h.Class
		}),
	table.Field("access", func(s *thingSpec) *string { return s.Access }, func(h *thing) *string { return h.Access },
		func(p *call, v string) { p.Access = &v }).Safe("closed"),
	table.Field("password", func(s *thingSpec) *string { return s.Password }, func(h *thing) *string { return h.Password },
		func(p *call, v string) { p.Password = &v }).Secret(),
	table.Field("inner.days", func(s *thingSpec) *int {
		if s.Inner == nil {
			return nil
		}
		return s.Inner.Days
	}, func(h *thing) *int { return h.Days }, func(p *call, v int) { p.Days = &v }).
		EffectOf(func(from *int, to int, _ *thing) (driver.Effect, string) {
			if from != nil && to < *from {
				return driver.Irreversible, ""
			}
			return driver.Online, ""
		}, driver.PossibleEffect{Effect: driver.Online, When: "days get more"}, driver.PossibleEffect{Effect: driver.Irreversible, When: "days get fewer"}),
	table.Entries("tags", func(s *thingSpec) map[string]string { return s.Tags }, func(h *thing) map[string]string { return h.Tags },
		func(p *call, d table.Delta) { p.Tags = &d }),
	table.Set("logs", func(s *thingSpec) []string { return s.Logs }, func(h *thing) []string { return h.Logs },
		func(p *call, v []string) { p.Logs = v }),
}

func TestDiff(t *testing.T) {
	for _, tt := range []struct {
		name    string
		want    thingSpec
		have    thing
		applied driver.Applied
		skip    string
		changes []driver.Change
	}{
		{name: "nothing wanted, nothing there"},
		{name: "nothing wanted is unmanaged",
			have: thing{Class: new("a"), Access: new("open"), Tags: map[string]string{"k": "v"}}},
		{name: "equal",
			want: thingSpec{Class: new("a"), Inner: &inner{Days: new(3)}, Tags: map[string]string{"k": "v"}},
			have: thing{Class: new("a"), Days: new(3), Tags: map[string]string{"k": "v", "theirs": "x"}}},
		{name: "a zero value is a value",
			want: thingSpec{Inner: &inner{Days: new(0)}}, have: thing{Days: new(3)},
			changes: []driver.Change{{Field: "inner.days", From: "3", To: "0", Effect: driver.Irreversible}}},
		{name: "a parent without the leaf is unmanaged",
			want: thingSpec{Inner: &inner{}}, have: thing{Days: new(3)}},
		{name: "the cloud has none",
			want: thingSpec{Class: new("a"), Inner: &inner{Days: new(1)}},
			changes: []driver.Change{
				{Field: "class", To: "a", Effect: driver.Restarts, Why: away.Text},
				{Field: "inner.days", To: "1", Effect: driver.Online}}},
		{name: "what was asked for already counts, though it is not there yet",
			want: thingSpec{Class: new("new")}, have: thing{Class: new("new"), ClassNow: new("old")}},
		{name: "a floor that is reached",
			want: thingSpec{Size: new(10)}, have: thing{Size: new(11)}},
		{name: "a floor that is not",
			want: thingSpec{Size: new(10)}, have: thing{Size: new(9)},
			changes: []driver.Change{{Field: "size", From: "9", To: "10", Effect: driver.Online}}},
		{name: "what can't change says what to do",
			want: thingSpec{Place: new("b")}, have: thing{Place: new("a")},
			changes: []driver.Change{{Field: "place", From: "a", To: "b", Effect: driver.Impossible, Why: "make another"}}},
		{name: "a secret shows neither value",
			want: thingSpec{Password: new("canary-new")}, have: thing{Password: new("canary-old")},
			changes: []driver.Change{{Field: "password", From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}}},
		{name: "released, with a safe default",
			have: thing{Access: new("open")}, applied: driver.Applied{"access": {"open"}},
			changes: []driver.Change{{Field: "access", From: "open", To: "closed", Effect: driver.Online, Release: true}}},
		{name: "released, and the safe default is there",
			have: thing{Access: new("closed")}, applied: driver.Applied{"access": {"open"}}},
		{name: "released, when it is not known what was set",
			have: thing{Access: new("open")}, applied: driver.Applied{"access": {}},
			changes: []driver.Change{{Field: "access", From: "open", To: "closed", Effect: driver.Online, Release: true}}},
		{name: "released, without a safe default",
			have: thing{Class: new("a")}, applied: driver.Applied{"class": {"a"}}},
		{name: "a field that could not be read",
			want: thingSpec{Class: new("a"), Inner: &inner{Days: new(1)}}, skip: "class",
			changes: []driver.Change{{Field: "inner.days", To: "1", Effect: driver.Online}}},
		{name: "a set in another order", want: thingSpec{Logs: []string{"b", "a", "b"}}, have: thing{Logs: []string{"a", "b"}}},
		{name: "a set, and what others added to it",
			want: thingSpec{Logs: []string{"b", "a"}}, have: thing{Logs: []string{"c", "a"}},
			changes: []driver.Change{{Field: "logs", From: "a, c", To: "a, b", Effect: driver.Online}}},
		{name: "a set that the cloud does not report",
			want:    thingSpec{Logs: []string{"a"}},
			changes: []driver.Change{{Field: "logs", To: "a", Effect: driver.Online}}},
		{name: "no set, please",
			want: thingSpec{Logs: []string{}}, have: thing{Logs: []string{"a"}},
			changes: []driver.Change{{Field: "logs", From: "a", Effect: driver.Online}}},
		{name: "no set, please, and there is none", want: thingSpec{Logs: []string{}}},
		{name: "a set that nobody declares is unmanaged", have: thing{Logs: []string{"a"}}, applied: driver.Applied{"logs": {"a"}}},
		{name: "entries: missing, different, those of others",
			want:    thingSpec{Tags: map[string]string{"a": "1", "b": "2", "c": "3"}},
			have:    thing{Tags: map[string]string{"b": "x", "c": "3", "theirs": "y"}},
			changes: []driver.Change{{Field: "tags", From: "b=x", To: "a=1, b=2", Effect: driver.Online, Entries: true, Names: []string{"a", "b"}, Adds: []string{"a"}}}},
		{name: "entries: ours that the thingSpec no longer has",
			want: thingSpec{Tags: map[string]string{"a": "1"}}, have: thing{Tags: map[string]string{"a": "1", "b": "2", "theirs": "y"}},
			applied: driver.Applied{"tags": {"a", "b"}},
			changes: []driver.Change{{Field: "tags", From: "b=2", Effect: driver.Online, Entries: true, Names: []string{"b"}, Remove: []string{"b"}}}},
		{name: "entries: ours that somebody removed already",
			want: thingSpec{Tags: map[string]string{}}, have: thing{Tags: map[string]string{"theirs": "y"}}, applied: driver.Applied{"tags": {"b"}}},
		{name: "entries: none, please",
			want: thingSpec{Tags: map[string]string{}}, have: thing{Tags: map[string]string{"b": "2", "a": "1", "theirs": "y"}}, applied: driver.Applied{"tags": {"b", "a"}},
			changes: []driver.Change{{Field: "tags", From: "a=1, b=2", Effect: driver.Online, Entries: true, Names: []string{"a", "b"}, Remove: []string{"a", "b"}}}},
		{name: "entries: released, ours stay",
			have: thing{Tags: map[string]string{"a": "1"}}, applied: driver.Applied{"tags": {"a"}}},
		{name: "entries: an empty value is a value",
			want:    thingSpec{Tags: map[string]string{"a": ""}},
			changes: []driver.Change{{Field: "tags", To: "a=", Effect: driver.Online, Entries: true, Names: []string{"a"}, Adds: []string{"a"}}}},
		{name: "in the order of the table",
			want: thingSpec{Tags: map[string]string{"a": "1"}, Access: new("open"), Place: new("p")},
			changes: []driver.Change{
				{Field: "place", To: "p", Effect: driver.Impossible, Why: "make another"},
				{Field: "access", To: "open", Effect: driver.Online},
				{Field: "tags", To: "a=1", Effect: driver.Online, Entries: true, Names: []string{"a"}, Adds: []string{"a"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := things.Diff(&tt.want, &tt.have, tt.applied, func(name string) bool { return name == tt.skip })
			if diff := cmp.Diff(tt.changes, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPatch(t *testing.T) {
	want := thingSpec{Place: new("p"), Class: new("a"), Size: new(1), Access: new("open"), Tags: map[string]string{"a": "1", "b": "2"}}
	have := thing{Tags: map[string]string{"b": "2", "old": "x"}}
	for _, tt := range []struct {
		name    string
		want    thingSpec
		changes []driver.Change
		call    call
		err     string // a part of it; empty for none
	}{
		{name: "nothing", want: want},
		{name: "exactly the named fields", want: want, changes: []driver.Change{{Field: "size"}, {Field: "class"}}, call: call{Size: new(1), Class: new("a")}},
		{name: "a set as a whole", want: thingSpec{Logs: []string{"b", "a"}}, changes: []driver.Change{{Field: "logs"}}, call: call{Logs: []string{"a", "b"}}},
		{name: "no set", want: thingSpec{Logs: []string{}}, changes: []driver.Change{{Field: "logs"}}, call: call{Logs: []string{}}},
		{name: "a release", changes: []driver.Change{{Field: "access", Release: true}}, call: call{Access: new("closed")}},
		{name: "a release that the thingSpec took back", want: want, changes: []driver.Change{{Field: "access", Release: true}}, call: call{Access: new("open")}},
		{name: "only the entries that differ", want: want, changes: []driver.Change{{Field: "tags", Remove: []string{"old"}}},
			call: call{Tags: &table.Delta{Set: map[string]string{"a": "1"}, Remove: []string{"old"}}}},
		{name: "an entry to remove that is wanted again", want: want, changes: []driver.Change{{Field: "tags", Remove: []string{"b", "old"}}},
			call: call{Tags: &table.Delta{Set: map[string]string{"a": "1"}, Remove: []string{"old"}}}},
		{name: "a field without a row", want: want, changes: []driver.Change{{Field: "colour"}}, err: "colour"},
		{name: "what can't change", want: want, changes: []driver.Change{{Field: "place", Effect: driver.Impossible, Why: "make another"}}, err: "make another"},
		{name: "a field that the thingSpec does not have", changes: []driver.Change{{Field: "class"}}, err: "class"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got call
			err := things.Patch(&tt.want, &have, tt.changes, &got)
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("got error %v, want one about %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.call, got); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFill(t *testing.T) {
	want := thingSpec{Place: new("p"), Inner: &inner{Days: new(0)}, Tags: map[string]string{"a": "1"}, Password: new("x")}
	var got call
	if err := things.Fill(&want, &got); err != nil {
		t.Fatal(err)
	}
	all := call{Place: new("p"), Days: new(0), Password: new("x"), Tags: &table.Delta{Set: map[string]string{"a": "1"}}}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("everything declared, what can't change later too (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"place", "password", "inner.days", "tags"}, things.Declared(&want)); diff != "" {
		t.Errorf("Declared (-want +got):\n%s", diff)
	}
	got = call{}
	if err := things.Fill(&thingSpec{}, &got); err != nil || !cmp.Equal(call{}, got) {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
}

func TestMirror(t *testing.T) {
	for _, tt := range []struct {
		name string
		have thing
		want string
	}{
		{"nothing", thing{}, `{}`},
		{"everything but secrets", thing{Place: new("p"), Size: new(0), Class: new("a"), Access: new("open"), Password: new("canary"), Days: new(3), Tags: map[string]string{"b": "2", "a": "1"}},
			`{"access":"open","class":"a","inner":{"days":3},"place":"p","size":0,"tags":{"a":"1","b":"2"}}`},
		{"what is there, not what was asked for", thing{Class: new("new"), ClassNow: new("old")}, `{"class":"old"}`},
		{"no entries are no field", thing{Tags: map[string]string{}}, `{}`},
		{"a set is sorted", thing{Logs: []string{"b", "a"}}, `{"logs":["a","b"]}`},
		{"an empty set is no field", thing{Logs: []string{}}, `{}`},
	} {
		got, err := things.Mirror(&tt.have)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestApplied(t *testing.T) {
	changed := func(names ...string) (out []driver.Change) {
		for _, n := range names {
			out = append(out, driver.Change{Field: n})
		}
		return out
	}
	for _, tt := range []struct {
		name      string
		want      thingSpec
		before    driver.Applied
		differing []driver.Change
		unseen    []string
		applied   driver.Applied
	}{
		{name: "nothing", applied: driver.Applied{}},
		{name: "all that is declared", want: thingSpec{Class: new("a"), Size: new(5), Tags: map[string]string{"b": "", "a": ""}},
			applied: driver.Applied{"class": {"a"}, "size": {"5"}, "tags": {"a", "b"}}},
		{name: "no entries are something that was set", want: thingSpec{Tags: map[string]string{}}, applied: driver.Applied{"tags": {}}},
		{name: "a set, and none", want: thingSpec{Logs: []string{"b", "a"}}, applied: driver.Applied{"logs": {"a, b"}}},
		{name: "no set is something that was set", want: thingSpec{Logs: []string{}}, applied: driver.Applied{"logs": {""}}},
		{name: "a secret is not kept", want: thingSpec{Password: new("canary")}, applied: driver.Applied{"password": {driver.Redacted}}},
		{name: "what differs keeps its old value", want: thingSpec{Class: new("b")}, before: driver.Applied{"class": {"a"}}, differing: changed("class"),
			applied: driver.Applied{"class": {"a"}}},
		{name: "what is not declared was not set, safe or not", differing: changed("access"), applied: driver.Applied{}},
		{name: "what differs and was never set is not applied", want: thingSpec{Class: new("b")}, differing: changed("class"), applied: driver.Applied{}},
		{name: "with a safe default it may be set soon, and must return then", want: thingSpec{Access: new("open")}, differing: changed("access"),
			applied: driver.Applied{"access": {"", "open"}}},
		{name: "asked for again", want: thingSpec{Access: new("open")}, before: driver.Applied{"access": {"", "open"}}, differing: changed("access"),
			applied: driver.Applied{"access": {"", "open"}}},
		{name: "another value is asked for", want: thingSpec{Access: new("half")}, before: driver.Applied{"access": {"", "open"}}, differing: changed("access"),
			applied: driver.Applied{"access": {"", "open", "half"}}},
		{name: "the latest that were asked for", want: thingSpec{Access: new("e")}, before: driver.Applied{"access": {"", "a", "b", "c", "d"}}, differing: changed("access"),
			applied: driver.Applied{"access": {"", "b", "c", "d", "e"}}},
		{name: "asked for by an earlier release", want: thingSpec{Access: new("open")}, before: driver.Applied{"access": {}}, differing: changed("access"),
			applied: driver.Applied{"access": {}}},
		{name: "asked for and made", want: thingSpec{Access: new("open")}, before: driver.Applied{"access": {"", "open"}}, applied: driver.Applied{"access": {"open"}}},
		{name: "asked for and taken back", before: driver.Applied{"access": {"", "open"}}, applied: driver.Applied{}},
		{name: "entries that differ keep old and new names", want: thingSpec{Tags: map[string]string{"b": "", "c": ""}}, before: driver.Applied{"tags": {"a", "b"}}, differing: changed("tags"),
			applied: driver.Applied{"tags": {"a", "b", "c"}}},
		{name: "entries that do not differ forget old names", want: thingSpec{Tags: map[string]string{"b": ""}}, before: driver.Applied{"tags": {"a", "b"}},
			applied: driver.Applied{"tags": {"b"}}},
		{name: "released", before: driver.Applied{"class": {"a"}, "tags": {"a"}}, applied: driver.Applied{}},
		{name: "released and still to return", before: driver.Applied{"access": {"open"}}, differing: changed("access"), applied: driver.Applied{"access": {"open"}}},
		{name: "released and returned", before: driver.Applied{"access": {"open"}}, applied: driver.Applied{}},
		{name: "what was not seen stays", want: thingSpec{Class: new("b"), Tags: map[string]string{"b": ""}}, before: driver.Applied{"class": {"a"}, "tags": {"a"}}, unseen: []string{"class", "tags", "size"},
			applied: driver.Applied{"class": {"a"}, "tags": {"a"}}},
		{name: "fields that the table does not know are dropped", before: driver.Applied{"colour": {"red"}}, applied: driver.Applied{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.before.Clone()
			got := things.Applied(&tt.want, tt.before, tt.differing, tt.unseen...)
			if diff := cmp.Diff(tt.applied, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, values := range got { // to change what was returned must not change what was given
				for i := range values {
					values[i] = "overwritten"
				}
			}
			if diff := cmp.Diff(before, tt.before, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the argument was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocs(t *testing.T) {
	want := []driver.Field{
		{Field: "place", Effects: []driver.PossibleEffect{{Effect: driver.Impossible, Instead: "make another"}}},
		{Field: "size", Effects: table.Always(driver.Online), Equal: "larger is no drift"},
		{Field: "class", Effects: table.AlwaysRestarts(away)},
		{Field: "access", Effects: table.Always(driver.Online), Safe: "closed"},
		{Field: "password", Effects: table.Always(driver.Online), Secret: true},
		{Field: "inner.days", Effects: []driver.PossibleEffect{{Effect: driver.Online, When: "days get more"}, {Effect: driver.Irreversible, When: "days get fewer"}}},
		{Field: "tags", Effects: table.Always(driver.Online), Equal: "entries that others set are left alone"},
		{Field: "logs", Effects: table.Always(driver.Online), Equal: "another order"},
	}
	if diff := cmp.Diff(want, things.Docs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	secret := table.Field("key", func(s *thingSpec) *string { return nil }, func(*thing) *string { return nil }, func(*call, string) {}).Secret().Safe("canary")
	if got := secret.Doc().Safe; got != driver.Redacted {
		t.Errorf("the safe default of a secret is shown: %q", got)
	}
}

func TestNeverMirrorsWhatItCantMarshal(t *testing.T) {
	broken := table.Table[thingSpec, thing, call]{
		table.Field("a", func(*thingSpec) *float64 { return nil }, func(*thing) *float64 { zero := 0.0; v := 1 / zero; return &v }, func(*call, float64) {}),
	}
	if got, err := broken.Mirror(&thing{}); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

// What was asked for and is not there was refused, or never sent: to take it back changes nothing. What is there was sent, and its answer lost.
func TestTakenBack(t *testing.T) {
	for _, tt := range []struct {
		name, present string
		applied       []string
		returns       bool
	}{
		{"refused", "theirs", []string{"", "open"}, false},
		{"made, and the answer lost", "open", []string{"", "open"}, true},
		{"one of several that were asked for", "open", []string{"", "open", "half"}, true},
		{"made and seen", "theirs", []string{"open"}, true},
		{"asked for by an earlier release", "theirs", []string{}, true},
		{"never asked for", "theirs", nil, false},
	} {
		applied := driver.Applied{}
		if tt.applied != nil {
			applied["access"] = tt.applied
		}
		changes := things.Diff(&thingSpec{}, &thing{Access: &tt.present}, applied, func(string) bool { return false })
		if returns := len(changes) == 1 && changes[0].Release; returns != tt.returns {
			t.Errorf("%s: changes %+v, want it to return to the safe value: %v", tt.name, changes, tt.returns)
		}
	}
}

// What the cloud makes later of a value that decides something at the creation only is no difference, until the spec wants another one. Where it was
// never applied, as on an object that is taken over, it is.
func TestAtCreation(t *testing.T) {
	at := table.Table[thingSpec, thing, call]{
		table.Field("place", func(s *thingSpec) *string { return s.Place }, func(h *thing) *string { return h.Place },
			func(p *call, v string) { p.Place = &v }).Immutable("make another").AtCreation("another place that the cloud gives it later"),
	}
	moved := &thing{Place: new("there")}
	for name, tt := range map[string]struct {
		want    string
		applied driver.Applied
		differs bool
	}{
		"made there, moved since": {"here", driver.Applied{"place": {"here"}}, false},
		"another one is wanted":   {"elsewhere", driver.Applied{"place": {"here"}}, true},
		"where it was moved to":   {"there", driver.Applied{"place": {"here"}}, false},
		"taken over":              {"here", nil, true},
	} {
		want, from := &thingSpec{Place: &tt.want}, &thingSpec{Place: moved.Place}
		changes := at.Diff(want, moved, tt.applied, nil)
		if diff := cmp.Diff(changes, at.Preview(from, want, tt.applied, moved)); diff != "" || len(changes) > 0 != tt.differs {
			t.Errorf("%s: the changes are %v, and previewed (-changes +preview):\n%s", name, changes, diff)
		}
		before := tt.applied["place"]
		if got := at.Applied(want, tt.applied, changes)["place"]; tt.differs && cmp.Diff(before, got) != "" || !tt.differs && cmp.Diff([]string{tt.want}, got) != "" {
			t.Errorf("%s: applied is %v", name, got)
		}
	}
}

// A list of rules differs by what the rules mean and by their order, is shown as JSON, and "none, please" is not "nothing said".
func TestRules(t *testing.T) {
	type rule struct {
		Hosts []string `json:"hosts"`
		Age   *int     `json:"age,omitempty"`
	}
	type object struct{ rules *[]rule }
	sortedHosts := func(r rule) rule { return rule{slices.Sorted(slices.Values(r.Hosts)), r.Age} }
	row := table.Rules("rules", func(s *[]rule) []rule { return *s }, func(h *object) *[]rule { return h.rules },
		func(p *[]rule, v []rule) { *p = v }, sortedHosts, "")
	rows := table.Table[[]rule, object, []rule]{row}
	one, other := rule{Hosts: []string{"b", "a"}}, rule{Hosts: []string{"a"}, Age: new(7)}
	for name, tt := range map[string]struct {
		want []rule
		have *[]rule
		from string
		to   string // empty for none
		none bool
	}{
		"nothing said":        {nil, &[]rule{one}, "", "", true},
		"the same, reordered": {[]rule{one}, &[]rule{{Hosts: []string{"a", "b"}}}, "", "", true},
		"another rule":        {[]rule{other}, &[]rule{one}, `[{"hosts":["a","b"]}]`, `[{"age":7,"hosts":["a"]}]`, false},
		"another order":       {[]rule{one, other}, &[]rule{other, one}, `[{"age":7,"hosts":["a"]},{"hosts":["a","b"]}]`, `[{"hosts":["a","b"]},{"age":7,"hosts":["a"]}]`, false},
		"none, please":        {[]rule{}, &[]rule{one}, `[{"hosts":["a","b"]}]`, "", false},
		"none, and none":      {[]rule{}, &[]rule{}, "", "", true},
		"none, not read":      {[]rule{}, nil, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			changes := rows.Diff(&tt.want, &object{tt.have}, nil, nil)
			if tt.none != (len(changes) == 0) || !tt.none && (changes[0].From != tt.from || changes[0].To != tt.to) {
				t.Errorf("changes %+v", changes)
			}
		})
	}
	if mirror, err := rows.Mirror(&object{&[]rule{}}); err != nil || string(mirror) != "{}" {
		t.Errorf("the mirror shows %s, %v; and is to leave out what is empty", mirror, err)
	}
}
