package field_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/providers/field"
)

// spec, thing and call are the smallest spec, cloud object and parameters of a call that have a field of
// every sort.
type spec struct {
	Place    *string           `json:"place,omitempty"`  // can't change
	Size     *int              `json:"size,omitempty"`   // a floor
	Class    *string           `json:"class,omitempty"`  // restarts
	Access   *string           `json:"access,omitempty"` // has a safe default
	Password *string           `json:"password,omitempty"`
	Inner    *inner            `json:"inner,omitempty"`
	Tags     map[string]string `json:"tags,omitempty"`
}

type inner struct {
	Days *int `json:"days,omitempty"`
}

type thing struct {
	Place, Class, Access, Password *string
	Size, Days                     *int
	ClassNow                       *string // while Class is asked for
	Tags                           map[string]string
}

type call struct {
	Place, Class, Access, Password *string
	Size, Days                     *int
	Tags                           *field.Delta
}

var table = field.Table[spec, thing, call]{
	field.Of("place", func(s *spec) *string { return s.Place }, func(h *thing) *string { return h.Place },
		func(p *call, v string) { p.Place = &v }).Immutable("make another"),
	field.Of("size", func(s *spec) *int { return s.Size }, func(h *thing) *int { return h.Size },
		func(p *call, v int) { p.Size = &v }).Equal(func(want, have int) bool { return have >= want }, "larger is no drift"),
	field.Of("class", func(s *spec) *string { return s.Class }, func(h *thing) *string { return h.Class },
		func(p *call, v string) { p.Class = &v }).Effect(field.Restarts).
		Reported(func(h *thing) *string {
			if h.ClassNow != nil {
				return h.ClassNow
			}
			return h.Class
		}),
	field.Of("access", func(s *spec) *string { return s.Access }, func(h *thing) *string { return h.Access },
		func(p *call, v string) { p.Access = &v }).Safe("closed"),
	field.Of("password", func(s *spec) *string { return s.Password }, func(h *thing) *string { return h.Password },
		func(p *call, v string) { p.Password = &v }).Secret(),
	field.Of("inner.days", func(s *spec) *int {
		if s.Inner == nil {
			return nil
		}
		return s.Inner.Days
	}, func(h *thing) *int { return h.Days }, func(p *call, v int) { p.Days = &v }).
		EffectOf(func(from *int, to int, _ *thing) (field.Effect, string) {
			if from != nil && to < *from {
				return field.Irreversible, ""
			}
			return field.Online, ""
		}, field.PossibleEffect{Effect: field.Online, When: "days get more"}, field.PossibleEffect{Effect: field.Irreversible, When: "days get fewer"}),
	field.Entries("tags", func(s *spec) map[string]string { return s.Tags }, func(h *thing) map[string]string { return h.Tags },
		func(p *call, d field.Delta) { p.Tags = &d }),
}

func TestDiff(t *testing.T) {
	for _, tt := range []struct {
		name    string
		want    spec
		have    thing
		applied field.Applied
		skip    string
		changes []field.Change
	}{
		{name: "nothing wanted, nothing there"},
		{name: "nothing wanted is unmanaged",
			have: thing{Class: new("a"), Access: new("open"), Tags: map[string]string{"k": "v"}}},
		{name: "equal",
			want: spec{Class: new("a"), Inner: &inner{Days: new(3)}, Tags: map[string]string{"k": "v"}},
			have: thing{Class: new("a"), Days: new(3), Tags: map[string]string{"k": "v", "theirs": "x"}}},
		{name: "a zero value is a value",
			want: spec{Inner: &inner{Days: new(0)}}, have: thing{Days: new(3)},
			changes: []field.Change{{Field: "inner.days", From: "3", To: "0", Effect: field.Irreversible}}},
		{name: "a parent without the leaf is unmanaged",
			want: spec{Inner: &inner{}}, have: thing{Days: new(3)}},
		{name: "the cloud has none",
			want: spec{Class: new("a"), Inner: &inner{Days: new(1)}},
			changes: []field.Change{
				{Field: "class", To: "a", Effect: field.Restarts},
				{Field: "inner.days", To: "1", Effect: field.Online}}},
		{name: "what was asked for already counts, though it is not there yet",
			want: spec{Class: new("new")}, have: thing{Class: new("new"), ClassNow: new("old")}},
		{name: "a floor that is reached",
			want: spec{Size: new(10)}, have: thing{Size: new(11)}},
		{name: "a floor that is not",
			want: spec{Size: new(10)}, have: thing{Size: new(9)},
			changes: []field.Change{{Field: "size", From: "9", To: "10", Effect: field.Online}}},
		{name: "what can't change says what to do",
			want: spec{Place: new("b")}, have: thing{Place: new("a")},
			changes: []field.Change{{Field: "place", From: "a", To: "b", Effect: field.Impossible, Why: "make another"}}},
		{name: "a secret shows neither value",
			want: spec{Password: new("canary-new")}, have: thing{Password: new("canary-old")},
			changes: []field.Change{{Field: "password", From: field.Redacted, To: field.Redacted, Effect: field.Online}}},
		{name: "released, with a safe default",
			have: thing{Access: new("open")}, applied: field.Applied{"access": {"open"}},
			changes: []field.Change{{Field: "access", From: "open", To: "closed", Effect: field.Online, Release: true}}},
		{name: "released, and the safe default is there",
			have: thing{Access: new("closed")}, applied: field.Applied{"access": {"open"}}},
		{name: "released, when it is not known what was set",
			have: thing{Access: new("open")}, applied: field.Applied{"access": {}},
			changes: []field.Change{{Field: "access", From: "open", To: "closed", Effect: field.Online, Release: true}}},
		{name: "released, without a safe default",
			have: thing{Class: new("a")}, applied: field.Applied{"class": {"a"}}},
		{name: "a field that could not be read",
			want: spec{Class: new("a"), Inner: &inner{Days: new(1)}}, skip: "class",
			changes: []field.Change{{Field: "inner.days", To: "1", Effect: field.Online}}},
		{name: "entries: missing, different, those of others",
			want:    spec{Tags: map[string]string{"a": "1", "b": "2", "c": "3"}},
			have:    thing{Tags: map[string]string{"b": "x", "c": "3", "theirs": "y"}},
			changes: []field.Change{{Field: "tags", From: "b=x", To: "a=1, b=2", Effect: field.Online, Entries: true}}},
		{name: "entries: ours that the spec no longer has",
			want: spec{Tags: map[string]string{"a": "1"}}, have: thing{Tags: map[string]string{"a": "1", "b": "2", "theirs": "y"}},
			applied: field.Applied{"tags": {"a", "b"}},
			changes: []field.Change{{Field: "tags", From: "b=2", Effect: field.Online, Entries: true, Remove: []string{"b"}}}},
		{name: "entries: ours that somebody removed already",
			want: spec{Tags: map[string]string{}}, have: thing{Tags: map[string]string{"theirs": "y"}}, applied: field.Applied{"tags": {"b"}}},
		{name: "entries: none, please",
			want: spec{Tags: map[string]string{}}, have: thing{Tags: map[string]string{"b": "2", "a": "1", "theirs": "y"}}, applied: field.Applied{"tags": {"b", "a"}},
			changes: []field.Change{{Field: "tags", From: "a=1, b=2", Effect: field.Online, Entries: true, Remove: []string{"a", "b"}}}},
		{name: "entries: released, ours stay",
			have: thing{Tags: map[string]string{"a": "1"}}, applied: field.Applied{"tags": {"a"}}},
		{name: "entries: an empty value is a value",
			want:    spec{Tags: map[string]string{"a": ""}},
			changes: []field.Change{{Field: "tags", To: "a=", Effect: field.Online, Entries: true}}},
		{name: "in the order of the table",
			want: spec{Tags: map[string]string{"a": "1"}, Access: new("open"), Place: new("p")},
			changes: []field.Change{
				{Field: "place", To: "p", Effect: field.Impossible, Why: "make another"},
				{Field: "access", To: "open", Effect: field.Online},
				{Field: "tags", To: "a=1", Effect: field.Online, Entries: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := table.Diff(&tt.want, &tt.have, tt.applied, func(name string) bool { return name == tt.skip })
			if diff := cmp.Diff(tt.changes, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPatch(t *testing.T) {
	want := spec{Place: new("p"), Class: new("a"), Size: new(1), Access: new("open"), Tags: map[string]string{"a": "1", "b": "2"}}
	have := thing{Tags: map[string]string{"b": "2", "old": "x"}}
	for _, tt := range []struct {
		name    string
		want    spec
		changes []field.Change
		call    call
		err     string // a part of it; empty for none
	}{
		{name: "nothing", want: want},
		{name: "exactly the named fields", want: want, changes: []field.Change{{Field: "size"}, {Field: "class"}}, call: call{Size: new(1), Class: new("a")}},
		{name: "a release", changes: []field.Change{{Field: "access", Release: true}}, call: call{Access: new("closed")}},
		{name: "a release that the spec took back", want: want, changes: []field.Change{{Field: "access", Release: true}}, call: call{Access: new("open")}},
		{name: "only the entries that differ", want: want, changes: []field.Change{{Field: "tags", Remove: []string{"old"}}},
			call: call{Tags: &field.Delta{Set: map[string]string{"a": "1"}, Remove: []string{"old"}}}},
		{name: "an entry to remove that is wanted again", want: want, changes: []field.Change{{Field: "tags", Remove: []string{"b", "old"}}},
			call: call{Tags: &field.Delta{Set: map[string]string{"a": "1"}, Remove: []string{"old"}}}},
		{name: "a field without a row", want: want, changes: []field.Change{{Field: "colour"}}, err: "colour"},
		{name: "what can't change", want: want, changes: []field.Change{{Field: "place", Effect: field.Impossible, Why: "make another"}}, err: "make another"},
		{name: "a field that the spec does not have", changes: []field.Change{{Field: "class"}}, err: "class"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got call
			err := table.Patch(&tt.want, &have, tt.changes, &got)
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
	want := spec{Place: new("p"), Inner: &inner{Days: new(0)}, Tags: map[string]string{"a": "1"}, Password: new("x")}
	var got call
	if err := table.Fill(&want, &got); err != nil {
		t.Fatal(err)
	}
	all := call{Place: new("p"), Days: new(0), Password: new("x"), Tags: &field.Delta{Set: map[string]string{"a": "1"}}}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("everything declared, what can't change later too (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"place", "password", "inner.days", "tags"}, table.Declared(&want)); diff != "" {
		t.Errorf("Declared (-want +got):\n%s", diff)
	}
	got = call{}
	if err := table.Fill(&spec{}, &got); err != nil || !cmp.Equal(call{}, got) {
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
	} {
		got, err := table.Mirror(&tt.have)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestApplied(t *testing.T) {
	changed := func(names ...string) (out []field.Change) {
		for _, n := range names {
			out = append(out, field.Change{Field: n})
		}
		return out
	}
	for _, tt := range []struct {
		name      string
		want      spec
		before    field.Applied
		differing []field.Change
		unseen    []string
		applied   field.Applied
	}{
		{name: "nothing", applied: field.Applied{}},
		{name: "all that is declared", want: spec{Class: new("a"), Size: new(5), Tags: map[string]string{"b": "", "a": ""}},
			applied: field.Applied{"class": {"a"}, "size": {"5"}, "tags": {"a", "b"}}},
		{name: "no entries are something that was set", want: spec{Tags: map[string]string{}}, applied: field.Applied{"tags": {}}},
		{name: "a secret is not kept", want: spec{Password: new("canary")}, applied: field.Applied{"password": {field.Redacted}}},
		{name: "what differs keeps its old value", want: spec{Class: new("b")}, before: field.Applied{"class": {"a"}}, differing: changed("class"),
			applied: field.Applied{"class": {"a"}}},
		{name: "what is not declared was not set, safe or not", differing: changed("access"), applied: field.Applied{}},
		{name: "what differs and was never set is not applied", want: spec{Class: new("b")}, differing: changed("class"), applied: field.Applied{}},
		{name: "with a safe default it may be set soon, and must return then", want: spec{Access: new("open")}, differing: changed("access"),
			applied: field.Applied{"access": {}}},
		{name: "entries that differ keep old and new names", want: spec{Tags: map[string]string{"b": "", "c": ""}}, before: field.Applied{"tags": {"a", "b"}}, differing: changed("tags"),
			applied: field.Applied{"tags": {"a", "b", "c"}}},
		{name: "entries that do not differ forget old names", want: spec{Tags: map[string]string{"b": ""}}, before: field.Applied{"tags": {"a", "b"}},
			applied: field.Applied{"tags": {"b"}}},
		{name: "released", before: field.Applied{"class": {"a"}, "tags": {"a"}}, applied: field.Applied{}},
		{name: "released and still to return", before: field.Applied{"access": {"open"}}, differing: changed("access"), applied: field.Applied{"access": {"open"}}},
		{name: "released and returned", before: field.Applied{"access": {"open"}}, applied: field.Applied{}},
		{name: "what was not seen stays", want: spec{Class: new("b"), Tags: map[string]string{"b": ""}}, before: field.Applied{"class": {"a"}, "tags": {"a"}}, unseen: []string{"class", "tags", "size"},
			applied: field.Applied{"class": {"a"}, "tags": {"a"}}},
		{name: "fields that the table does not know are dropped", before: field.Applied{"colour": {"red"}}, applied: field.Applied{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.before.Clone()
			got := table.Applied(&tt.want, tt.before, tt.differing, tt.unseen...)
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
	want := []field.Doc{
		{Field: "place", Effects: []field.PossibleEffect{{Effect: field.Impossible, Instead: "make another"}}},
		{Field: "size", Effects: field.Always(field.Online), Equal: "larger is no drift"},
		{Field: "class", Effects: field.Always(field.Restarts)},
		{Field: "access", Effects: field.Always(field.Online), Safe: "closed"},
		{Field: "password", Effects: field.Always(field.Online), Secret: true},
		{Field: "inner.days", Effects: []field.PossibleEffect{{Effect: field.Online, When: "days get more"}, {Effect: field.Irreversible, When: "days get fewer"}}},
		{Field: "tags", Effects: field.Always(field.Online), Equal: "entries that others set are left alone"},
	}
	if diff := cmp.Diff(want, table.Docs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	secret := field.Of("key", func(s *spec) *string { return nil }, func(*thing) *string { return nil }, func(*call, string) {}).Secret().Safe("canary")
	if got := secret.Doc().Safe; got != field.Redacted {
		t.Errorf("the safe default of a secret is shown: %q", got)
	}
}

func TestNeverMirrorsWhatItCantMarshal(t *testing.T) {
	broken := field.Table[spec, thing, call]{
		field.Of("a", func(*spec) *float64 { return nil }, func(*thing) *float64 { zero := 0.0; v := 1 / zero; return &v }, func(*call, float64) {}),
	}
	if got, err := broken.Mirror(&thing{}); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}
