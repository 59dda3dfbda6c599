package table_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/table"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func TestCopier(t *testing.T) {
	var create createCall
	creation.Copy(&params{Size: new(int32(7)), Class: new("a"), Key: new("b"), Tags: table.Delta{Set: map[string]string{"c": "d"}}}, &create)
	if diff := cmp.Diff(createCall{Size: 7, Class: new("a"), Labels: map[string]string{"c": "d"}}, create); diff != "" {
		t.Errorf("a creation (-want +got):\n%s", diff)
	}
	for _, tc := range []struct {
		name   string
		params params
		want   modifyCall
	}{
		{"nothing filled", params{}, modifyCall{}},
		{"a value", params{Size: new(int32(7))}, modifyCall{Size: 7}},
		{"zero is sent all the same", params{Size: new(int32(0))}, modifyCall{ForceSendFields: []string{"Size"}}},
		{"an empty text", params{Class: new("")}, modifyCall{Class: new("")}},
		{"what the call lacks", params{Key: new("a")}, modifyCall{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got modifyCall
			modification.Copy(&tc.params, &got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Some calls have most of their parameters in a struct within, and some parameters take more than a copy.
func TestCopierIntoAStructWithin(t *testing.T) {
	type settings struct {
		Size            int32
		ForceSendFields []string
	}
	type call struct {
		Class    string
		Settings *settings
	}
	c := table.Copier[params, call]{
		Call: "PatchObject", Inner: "Settings", Lacks: map[string]string{"Key": "PutKey takes it"}, ByHand: map[string]string{"Tags": "those that stay are sent too"},
	}
	if problems := c.Problems(); len(problems) > 0 {
		t.Errorf("problems %q, want none", problems)
	}
	got := call{Settings: &settings{}}
	c.Copy(&params{Size: new(int32(0)), Class: new("a"), Key: new("b"), Tags: table.Delta{Remove: []string{"c"}}}, &got)
	if diff := cmp.Diff(call{Class: "a", Settings: &settings{ForceSendFields: []string{"Size"}}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, want := range map[string]bool{"Size": true, "Class": true, "Tags": true, "Key": false, "Speed": false} {
		if c.Takes(name) != want {
			t.Errorf("takes %s: %v, want %v", name, !want, want)
		}
	}
}

// Each way to forget a parameter is found.
func TestProblems(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*adapter)
		want  string // a part of the one problem; empty for none
	}{
		{"none", func(*adapter) {}, ""},
		{"a row that fills nothing", func(a *adapter) { a.Unsent = nil }, "location: the row fills no parameter"},
		{"an exemption that has no reason", func(a *adapter) { a.Unsent = map[string]string{"location": ""} }, "location: Unsent names it"},
		{"an exemption that is not needed", func(a *adapter) { a.Unsent["size"] = "why not" }, "size: Unsent names it"},
		{"an exemption for no row", func(a *adapter) { a.Unsent["sise"] = "why not" }, "Unsent names sise"},
		{"no row for a parameter", func(a *adapter) { a.Table = a.Table[1:2]; a.Unsent = nil }, "no row fills the parameter Class"},
		{"the change's call does not take it", func(a *adapter) { a.Parts[1].Taken = table.Names{"Size"} }, "class: the row fills Class, and the call that changes the field does not take it"},
		{"the creation does not take it", func(a *adapter) { a.Taken = table.Names{"Size", "Tags"} }, "class: the row fills Class, and the creation does not take it"},
		{"nothing follows the creation", func(a *adapter) { a.New = nil }, "key: the row fills Key, and the creation does not take it"},
		{"nothing but the read of the object reads it", func(a *adapter) { a.Parts[2].Read = nil }, "key: the row fills Key, and the creation does not take it"},
		{"which is enough for what follows", func(a *adapter) { a.Parts[2].Read, a.Parts[2].Follows = nil, true }, ""},
		{"a call has no field for it", func(a *adapter) {
			a.Taken = table.Copier[params, createCall]{Call: "CreateObject", Lacks: map[string]string{"Key": "it follows"}}
		}, "CreateObject has no field for the parameter Tags"},
		{"a call lacks what is no parameter", func(a *adapter) {
			lacks := map[string]string{"Key": "it follows", "Tags": "they follow", "Kay": "it follows"}
			a.Parts[1].Taken = table.Copier[params, modifyCall]{Call: "ModifyObject", Lacks: lacks}
		}, "ModifyObject: Lacks names Kay"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a := (&fake{}).adapter()
			tc.spoil(a)
			got := a.Problems()
			if tc.want == "" && len(got) > 0 || tc.want != "" && !slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, tc.want) }) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
