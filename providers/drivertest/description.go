package drivertest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// description returns the obligations about what a driver says of itself.
func description(h Harness) []Check {
	return slices.Concat(describedData(h), describedConfig(h))
}

// describedData returns the obligations of a description as data.
func describedData(h Harness) []Check {
	return []Check{
		{"Describe/is valid", func(t testing.TB) {
			d := h.Driver.Describe()
			if err := d.Validate(h.API...); err != nil {
				t.Error(err)
			}
		}},
		{"Describe/is for this version of the contract", func(t testing.TB) {
			d := h.Driver.Describe()
			if err := d.CheckContract(); err != nil {
				t.Error(err)
			}
		}},
		{"Describe/survives JSON", func(t testing.TB) {
			d := h.Driver.Describe()
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var decoded driver.Description
			if err := json.Unmarshal(text, &decoded); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(d, decoded); diff != "" {
				t.Errorf("what was decoded differs (-described +decoded):\n%s", diff)
			}
			if err := decoded.Validate(h.API...); err != nil {
				t.Errorf("what was decoded is no longer valid: %v", err)
			}
		}},
		{"Describe/does not call the cloud, and always says the same", func(t testing.TB) {
			before := h.Calls()
			if diff := cmp.Diff(h.Driver.Describe(), h.Driver.Describe()); diff != "" {
				t.Errorf("it says something else the second time:\n%s", diff)
			}
			if cost := h.Calls().minus(before); cost != (Calls{}) {
				t.Errorf("Describe made calls: %+v", cost)
			}
		}},
	}
}

// describedConfig returns the obligations of a description towards the configs that the driver opens.
func describedConfig(h Harness) []Check {
	return []Check{
		{"Describe/names the cloud and the keys of the config that it opens", func(t testing.TB) {
			d := h.Driver.Describe()
			if cloud := h.Config.Account.Cloud(); cloud != d.Name {
				t.Errorf("it describes %q, and the harness opens an account of %q", d.Name, cloud)
			}
			for _, key := range d.Secret.Required {
				if h.Config.Credentials == nil {
					t.Skip("not shown: the harness opens its account without a Secret")
				}
				cfg := h.Config
				cfg.Credentials = maps.Clone(cfg.Credentials)
				delete(cfg.Credentials, key)
				if _, err := h.Driver.Open(t.Context(), cfg); driver.CodeOf(err) != driver.Invalid || err == nil {
					t.Errorf("without the key %q, which it describes as required: got error %v, want code Invalid", key, err)
				}
			}
		}},
		{"Describe/has exactly the kinds of the harness", func(t testing.TB) {
			d := h.Driver.Describe()
			for _, r := range d.Resources {
				if !h.has(r.Kind) && !slices.Contains(h.Lacking, r.Kind) {
					t.Errorf("the driver describes a %s, and the harness has none: add it to Kinds", r.Kind)
				}
			}
			for _, kind := range h.Kinds {
				if _, described := d.Resource(kind.kind()); !described {
					t.Errorf("the harness has a %s, and the driver describes none", kind.kind())
				}
			}
		}},
		{"Check/refuses a kind that the cloud lacks", func(t testing.TB) {
			if _, err := h.Driver.Check("Nothing", driver.Draft{Spec: json.RawMessage("{}")}); err == nil || driver.CodeOf(err) != driver.Invalid {
				t.Errorf("got error %v, want code Invalid", err)
			}
		}},
		{"Preview/refuses a kind that the cloud lacks", func(t testing.TB) {
			if _, err := h.Driver.Preview("Nothing", json.RawMessage("{}"), json.RawMessage("{}"), nil); err == nil || driver.CodeOf(err) != driver.Invalid {
				t.Errorf("got error %v, want code Invalid", err)
			}
		}},
	}
}

// capabilities checks that a driver describes what the harness tries.
func capabilities[S any](t testing.TB, b *bench[S]) {
	want := driver.Capabilities{
		Login: b.kind.Login.Password != "", ManagedPassword: b.kind.ManagedPassword, Snapshots: b.kind.Snapshots, Contents: b.kind.Contents, Stop: b.kind.Cloud.Stop != nil,
		List: b.kind.Lists, Restores: b.kind.Restores, PointInTime: b.kind.PointInTime, RestoresDeleted: b.kind.RestoresDeleted, Copies: b.kind.Copies, Replicas: b.kind.Replicas, Beside: b.kind.Upgrades, Actions: b.kind.Actions,
	}
	if diff := cmp.Diff(want, b.described(t).Capabilities); diff != "" {
		t.Errorf("capabilities (-harness +described):\n%s", diff)
	}
}
