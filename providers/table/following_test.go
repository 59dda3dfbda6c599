package table_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// following makes the object of a fake follow another one, of which it has the class.
func following(f *fake, follows *bool) *adapter {
	a := f.adapter()
	state := a.State
	a.State = func(req *table.Request[spec], have *object, o *driver.Observation) {
		if state(req, have, o); *follows {
			o.Replication = &driver.Replication{Follows: &driver.Following{Primary: "first"}}
		}
	}
	a.Login = func(_ context.Context, _ *table.Request[spec], _ *object, o *driver.Observation) error {
		o.Changes = append(o.Changes, driver.Change{Field: driver.FieldUsername})
		return nil
	}
	a.Following = &table.Following[spec, object]{
		Withheld: func(_ *table.Request[spec], _ *object, c driver.Change) bool {
			return slices.Contains([]string{"class", driver.FieldUsername}, c.Field)
		},
		Promote: func(_ context.Context, req *table.Request[spec], _ *object) (string, error) {
			return "promotes-" + req.Operation, f.call("Promote")
		},
	}
	return a
}

// What is withheld from an object that follows another one is no change, and stays applied as before, until it follows none.
func TestWithheldWhileFollowing(t *testing.T) {
	f, follows := &fake{there: &object{location: "here", class: "small", size: 1}}, true
	a := following(f, &follows)
	req := table.Request[spec]{Request: driver.Request{Applied: driver.Applied{"class": {"medium"}}}, Spec: spec{Class: new("large"), Size: new(int32(2))}}
	for _, want := range [][]string{{"size"}, {"size", "class", driver.FieldUsername}} {
		o, err := a.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, driver.Names(o.Changes)); diff != "" {
			t.Errorf("follows %t: the changes (-want +got):\n%s", follows, diff)
		}
		if diff := cmp.Diff([]string{"medium"}, o.Applied["class"]); diff != "" {
			t.Errorf("follows %t: what is applied (-want +got):\n%s", follows, diff)
		}
		follows = false
	}
}

func TestPromotion(t *testing.T) {
	for name, tt := range map[string]struct {
		alone bool // it follows none
		gone  bool
		code  driver.Code
		calls []string
	}{
		"it follows another one":          {calls: []string{"GetObject", "Promote"}},
		"it follows none any more":        {alone: true, calls: []string{"GetObject"}},
		"of what is not there any longer": {gone: true, code: driver.NotFound, calls: []string{"GetObject"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, follows := &fake{there: &object{location: "here"}}, !tt.alone
			a := following(f, &follows)
			if tt.gone {
				f.there = nil
			}
			result, err := a.Do(t.Context(), table.Request[spec]{Request: driver.Request{Operation: "before"}}, driver.Command{Verb: driver.Promote})
			if tt.code == 0 && err != nil || tt.code != 0 && driver.CodeOf(err) != tt.code {
				t.Errorf("got error %v, want code %v", err, tt.code)
			}
			if diff := cmp.Diff(tt.calls, f.calls); diff != "" {
				t.Errorf("the calls (-want +got):\n%s", diff)
			}
			if promoted := slices.Contains(tt.calls, "Promote"); promoted != (result.Operation == "promotes-before") {
				t.Errorf("the operation is %q", result.Operation)
			}
		})
	}
}

func TestCreationThatFollows(t *testing.T) {
	f := &fake{}
	_, err := f.adapter().Create(t.Context(), table.Request[spec]{Request: driver.Request{Restore: &driver.Restore{Follows: true}}})
	if driver.CodeOf(err) != driver.Unsupported || len(f.calls) > 0 {
		t.Errorf("got %v and the calls %v, want Unsupported without a call", err, f.calls)
	}
}

// A call after which another one sets what it lacks leaves out the parameters that it has no field for, and no other.
func TestCopierLeavesOutTheRest(t *testing.T) {
	type call struct{ Class *string }
	c := table.Copier[params, call]{Call: "FollowObject", Lacks: map[string]string{"Tags": "it has none"}}
	if problems := c.Problems(); len(problems) != 2 {
		t.Errorf("without a reason for the rest: %q, want problems of Size and Key", problems)
	}
	c.Rest = "ModifyObject sets it later"
	if problems := c.Problems(); len(problems) != 0 || c.Takes("Size") || !c.Takes("Class") {
		t.Errorf("with a reason for the rest: %q; it takes Size: %t, Class: %t", problems, c.Takes("Size"), c.Takes("Class"))
	}
	var into call
	c.Copy(&params{Size: new(int32(1)), Class: new("small"), Key: new("k")}, &into)
	if into.Class == nil || *into.Class != "small" {
		t.Errorf("got %+v, want the class", into)
	}
}
