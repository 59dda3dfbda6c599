package driver_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestLacking(t *testing.T) {
	lacks := []driver.Lack{
		{Field: "network.allowedCIDRs"},
		{Field: "upgrades.minor", Match: "^Manual$", Values: "Manual"},
		{Field: "recovery", Match: "^false$", Values: "false", Unless: map[string]string{"backup.days": "^0$"}},
		{Field: "edition", Match: "^PLUS$", Values: "PLUS", With: map[string]string{"gcp.tier": "^small$", "engine": "."}},
		{Field: "sizes", Match: `^\[.+\]$`, Values: "a list with entries"},
		{Field: "tags", Each: driver.EntryKey, Match: "[A-Z]", Values: "a key in upper case"},
		{Field: "tags", Each: driver.EntryValue, Match: " ", Values: "a value with a space", Unless: map[string]string{"engine": "^spacious$"}},
	}
	for spec, want := range map[string][]string{
		`{}`: nil,
		`{"network":{"allowedCIDRs":["10.0.0.0/8"]}}`:                            {"network.allowedCIDRs"},
		`{"network":{"allowedCIDRs":[]}}`:                                        {"network.allowedCIDRs"},
		`{"network":{"allowedCIDRs":null},"upgrades":null}`:                      nil,
		`{"network":{"publicAccess":"Blocked"}}`:                                 nil,
		`{"network":"allowedCIDRs"}`:                                             nil,
		`{"upgrades":{"minor":"Automatic"}}`:                                     nil,
		`{"upgrades":{"minor":"Manual"}}`:                                        {"upgrades.minor"},
		`{"recovery":true}`:                                                      nil,
		`{"recovery":false}`:                                                     {"recovery"},
		`{"recovery":false,"backup":{"days":7}}`:                                 {"recovery"},
		`{"recovery":false,"backup":{"days":0}}`:                                 nil,
		`{"recovery":false,"upgrades":{"minor":"Manual"},"sizes":[1],"other":1}`: {"upgrades.minor", "recovery", "sizes"},
		`{"edition":"PLUS"}`:                                                     nil,
		`{"edition":"PLUS","gcp":{"tier":"small"}}`:                              nil,
		`{"edition":"PLUS","gcp":{"tier":"large"},"engine":"mysql"}`:             nil,
		`{"edition":"PLUS","gcp":{"tier":"small"},"engine":"mysql"}`:             {"edition"},
		`{"sizes":[]}`:                                     nil,
		`{"tags":{"a":"B","b":"c"}}`:                       nil,
		`{"tags":{"B":"a b","A":"c"}}`:                     {"tags", "tags", "tags"},
		`{"tags":{"a":"b c","b":"c"},"engine":"spacious"}`: nil,
		`{"tags":"A a"}`:                                   nil,
	} {
		var tree map[string]any
		if err := json.Unmarshal([]byte(spec), &tree); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range driver.Lacking(lacks, tree) {
			got = append(got, l.Field)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
	}
}

// Each entry is named, so that a spec is mended at once.
func TestLackNamesEachEntry(t *testing.T) {
	spec := map[string]any{"tags": map[string]any{"team": "Team Shop", "CostCenter": "a", "Owner": "b C"}}
	var got []string
	for _, l := range driver.Lacking([]driver.Lack{
		{Field: "tags", Each: driver.EntryKey, Match: "[A-Z]", Values: "a key in upper case", Why: "it has labels", Instead: "use others"},
		{Field: "tags", Each: driver.EntryValue, Match: "[A-Z ]", Values: "a value with a space", Why: "it has labels", Instead: "use others"},
	}, spec) {
		got = append(got, l.String())
	}
	want := []string{
		`the key "CostCenter" is not supported, because it has labels: use others`, `the key "Owner" is not supported, because it has labels: use others`,
		`the value "b C" of the key "Owner" is not supported, because it has labels: use others`,
		`the value "Team Shop" of the key "team" is not supported, because it has labels: use others`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLackSaysWhatToDo(t *testing.T) {
	for want, l := range map[string]driver.Lack{
		"this field is not supported, because it has groups: set spec.aws.vpcSecurityGroupIDs": {Why: "it has groups", Instead: "set spec.aws.vpcSecurityGroupIDs"},
		"Blocked is refused, because it has no other address: set spec.gcp.privateNetwork":     {Values: "Blocked", Invalid: true, Why: "it has no other address", Instead: "set spec.gcp.privateNetwork"},

		"Manual is not supported, because it upgrades: set Automatic": {Values: "Manual", Why: "it upgrades", Instead: "set Automatic"},
	} {
		if got := l.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
