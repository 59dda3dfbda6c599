package table_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What an observation read is not read again for the update that follows, if its write carries the version of what was read. If the cloud refuses that, what is
// there by then decides. All other writes follow a read of their own.
func TestUpdateOfWhatWasObserved(t *testing.T) {
	const busyOnce = "busy once"
	for _, tc := range []struct {
		name      string
		changes   []string
		unguarded bool   // the adapter
		versioned bool   // the call that changes size and class
		read      string // in place of what the observation says
		refuse    string
		calls     []string
		failed    map[string]driver.Code
	}{
		{name: "its write carries the version", changes: []string{"size"}, versioned: true, calls: []string{"ModifyObject size"}},
		{name: "another part writes without", changes: []string{"tags"}, versioned: true, calls: []string{"GetObject", "PutTags map[team:shop] []"}},
		{name: "another part writes first, without", changes: []string{"tags", "size"}, versioned: true,
			calls: []string{"GetObject", "PutTags map[team:shop] []", "GetObject", "ModifyObject size"}},
		{name: "a call that needs nothing of what is there", changes: []string{"size", "key"}, versioned: true, calls: []string{"ModifyObject size", "PutKey hush-hush"}},
		{name: "a call that needs nothing of what is there, and that the cloud is too busy for", changes: []string{"size", "key"}, versioned: true, refuse: "PutKey",
			calls: []string{"ModifyObject size", "PutKey hush-hush"}, failed: map[string]driver.Code{"key": driver.Busy}},
		{name: "its write carries no version", changes: []string{"size"}, calls: []string{"GetObject", "ModifyObject size"}},
		{name: "somebody changed it since", changes: []string{"size"}, versioned: true, refuse: busyOnce,
			calls: []string{"ModifyObject size", "GetObject", "ModifyObject size"}},
		{name: "the cloud is busy", changes: []string{"size"}, versioned: true, refuse: "ModifyObject",
			calls: []string{"ModifyObject size", "GetObject", "ModifyObject size"}, failed: map[string]driver.Code{"size": driver.Busy}},
		{name: "the read is of nobody", changes: []string{"size"}, versioned: true, read: "77", calls: []string{"GetObject", "ModifyObject size"}},
		{name: "an adapter without guards", changes: []string{"size"}, unguarded: true, versioned: true, calls: []string{"GetObject", "ModifyObject size"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{there: &object{location: "here", class: "small", size: 4, key: "hush-hush"}}
			a := f.adapter()
			a.Guarded, a.Parts[1].Versioned = !tc.unguarded, tc.versioned
			seen, err := a.Observe(t.Context(), request())
			if err != nil {
				t.Fatal(err)
			}
			refused := 0
			f.calls, f.refuse = nil, failing(driver.Busy, tc.refuse)
			switch tc.refuse {
			case busyOnce:
				f.refuse = func(call string) error {
					if refused++; refused == 1 {
						return &driver.Error{Code: driver.Busy, Op: call}
					}
					return nil
				}
			case "":
				f.refuse = nil
			}
			req := request()
			if req.Read = seen.Read; tc.read != "" {
				req.Read = tc.read
			}
			var changes []driver.Change
			for _, name := range tc.changes {
				changes = append(changes, driver.Change{Field: name, Effect: driver.Online})
			}
			done, err := a.Update(t.Context(), req, driver.Edit{Changes: changes})
			if err != nil {
				t.Fatal(err)
			}
			want := []any{tc.calls, names(nil)}
			if tc.failed != nil {
				want[1] = tc.failed
			}
			if diff := cmp.Diff(want, []any{f.calls, names(done.Failed)}); diff != "" {
				t.Errorf("calls, failed (-want +got):\n%s", diff)
			}
			if tc.versioned && !tc.unguarded && tc.read == "" && tc.refuse == "" { // it was used, and is known no more
				f.calls = nil
				if _, err := a.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "size", Effect: driver.Online}}}); err != nil || len(f.calls) != 2 && len(tc.changes) == 1 && tc.changes[0] == "size" {
					t.Errorf("the same read again: %v, calls %v", err, f.calls)
				}
			}
		})
	}
}
