package table_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// An update says which entries it certainly did not set, where the cloud's answer proves that: what may have been set is none of them.
func TestUnset(t *testing.T) {
	change := []driver.Change{{Field: "tags", Entries: true, Names: []string{"a", "b", "team"}, Adds: []string{"a", "b"}, Effect: driver.Online}}
	refusal := func(code driver.Code) error { return &driver.Error{Code: code, Message: "no"} }
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"refused":                 {refusal(driver.Invalid), []string{"a", "b"}},
		"denied":                  {refusal(driver.Denied), []string{"a", "b"}},
		"the answer was lost":     {refusal(driver.Unavailable), nil},
		"too many calls":          {refusal(driver.Throttled), nil},
		"something is in the way": {refusal(driver.Conflict), nil},
		"nobody knows":            {errors.New("no"), nil},
		"one of several":          {&table.Unset{Err: refusal(driver.Invalid), Names: []string{"b", "team"}}, []string{"b"}},
		"none of several":         {&table.Unset{Err: refusal(driver.Invalid)}, nil},
		"by the call itself":      {table.FieldErrors{{Field: "tags", Err: driver.ErrorOf(refusal(driver.Quota))}}, []string{"a", "b"}},
		"by the call, and known":  {table.FieldErrors{{Field: "tags", Err: driver.ErrorOf(refusal(driver.Invalid)), Unset: []string{"a"}}}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{there: &object{location: "here"}}
			a := f.adapter()
			a.Parts[0].Write = func(context.Context, *table.Request[spec], *object, *params, []driver.Change) (string, error) {
				return "", tt.err
			}
			result, err := a.Update(t.Context(), request(), driver.Edit{Changes: change})
			if err != nil || len(result.Failed) != 1 {
				t.Fatalf("got %+v, %v", result, err)
			}
			if got := result.Failed[0]; !slices.Equal(got.Unset, tt.want) || got.Err.Message != "no" || got.Err.Code != driver.CodeOf(tt.err) && name[:2] != "by" {
				t.Errorf("got %+v, want that %q are not set", got, tt.want)
			}
		})
	}
}

// A change names the entries of which there is none, and not those that change, or that go.
func TestAdds(t *testing.T) {
	spec, have := thingSpec{Tags: map[string]string{"new": "1", "other": "1", "same": "1"}}, thing{Tags: map[string]string{"other": "2", "same": "1", "old": "1"}}
	changes := things.Diff(&spec, &have, driver.Applied{"tags": {"new", "old"}}, nil)
	if len(changes) != 1 || !slices.Equal(changes[0].Names, []string{"new", "old", "other"}) || !slices.Equal(changes[0].Adds, []string{"new"}) {
		t.Errorf("got %+v", changes)
	}
}

// The joined error has the code of the last one that is about no value. No errors are none.
func TestJoined(t *testing.T) {
	of := func(code driver.Code, message string) *driver.Error {
		return &driver.Error{Code: code, Message: message}
	}
	for name, tt := range map[string]struct {
		failed []*driver.Error
		want   driver.Code
	}{
		"values":          {[]*driver.Error{of(driver.Invalid, "a"), of(driver.Invalid, "b")}, driver.Invalid},
		"and no value":    {[]*driver.Error{of(driver.Invalid, "a"), of(driver.Denied, "b"), of(driver.Invalid, "c")}, driver.Denied},
		"no value at all": {[]*driver.Error{of(driver.Denied, "a"), of(driver.Busy, "b")}, driver.Busy},
	} {
		if err := table.Joined(tt.failed); err == nil || driver.CodeOf(err) != tt.want {
			t.Errorf("%s: got %v, want the code %v", name, err, tt.want)
		}
	}
	if err := table.Joined(nil); err != nil {
		t.Errorf("of no errors: got %v", err)
	}
}
