package driver_test

import (
	"encoding/json"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Nobody is warned of a field that is set, or that another field makes good.
func TestUnsetFieldMatters(t *testing.T) {
	u := driver.UnsetField{Field: "network.name", Unless: map[string]string{"network.public": "^Allowed$"}}
	for spec, want := range map[string]bool{
		`{}`:                               true,
		`{"network":{"public":"Blocked"}}`: true,
		`{"network":{"name":null}}`:        true,
		`{"network":{"name":"shop"}}`:      false,
		`{"network":{"public":"Allowed"}}`: false,
	} {
		var tree map[string]any
		if err := json.Unmarshal([]byte(spec), &tree); err != nil {
			t.Fatal(err)
		}
		if got := u.Matters(tree); got != want {
			t.Errorf("%s: %t, want %t", spec, got, want)
		}
	}
}
