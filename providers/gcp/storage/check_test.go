package storage

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Which key the bucket of a multi-region takes, only Cloud Storage knows.
func TestCheckOfBuckets(t *testing.T) {
	for _, tt := range []struct {
		location, key string
		refused       bool
	}{
		{"europe-west3", "us-east1", true}, {"europe-west3", "europe-west3", false}, {"europe-west3", "europe", false}, {"eu", "us-east1", false}, {"eur4", "europe-west3", false}, {"", "us-east1", false},
	} {
		got, err := Kind.Check(driver.Draft{Spec: jsonOf(t, `{encryption: {key: projects/p/locations/`+tt.key+`/keyRings/r/cryptoKeys/k}}`), Location: tt.location})
		if err != nil || (len(got) == 1) != tt.refused {
			t.Errorf("%+v: %+v, %v", tt, got, err)
		}
	}
}

// The API limits the bindings and the members of each, and not all members together.
func TestCheckOfMembers(t *testing.T) {
	members := func(from, to int) string {
		var all []string
		for i := from; i < to; i++ {
			all = append(all, fmt.Sprintf("user:u%d@example.com", i))
		}
		return strings.Join(all, ", ")
	}
	bindings := func(of ...string) string {
		text := ""
		for i, m := range of {
			text += fmt.Sprintf("{role: roles/storage.r%d, members: [%s]}, ", i, m)
		}
		return "{gcp: {iamBindings: [" + text + "]}}"
	}
	for name, tt := range map[string]struct {
		spec    string
		refused bool
	}{
		"as many as one bucket takes":  {bindings(members(0, 750), members(750, 1500)), false},
		"one more":                     {bindings(members(0, 750), members(750, 1501)), true},
		"the same ones for many roles": {bindings(members(0, 750), members(0, 750), members(0, 750)), false},
	} {
		got, err := Kind.Check(driver.Draft{Spec: jsonOf(t, tt.spec)})
		if err != nil || (len(got) == 1 && got[0].Fields[0] == "gcp.iamBindings") != tt.refused {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Two regions of one's own need a multi-region, and turbo replication a dual-region.
func TestCheckOfPlacements(t *testing.T) {
	const regions = `customPlacementConfig: {dataLocations: [europe-west1, europe-west4]}`
	for _, tt := range []struct{ location, spec, fields string }{
		{"europe-west3", `{gcp: {` + regions + `}}`, "gcp.customPlacementConfig.dataLocations location"},
		{"europe-west3", `{location: eur4, gcp: {` + regions + `}}`, "gcp.customPlacementConfig.dataLocations location"},
		{"europe-west3", `{location: eu, gcp: {` + regions + `, rpo: ASYNC_TURBO}}`, ""},
		{"europe-west3", `{gcp: {rpo: ASYNC_TURBO}}`, "gcp.rpo gcp.customPlacementConfig.dataLocations location"},
		{"europe-west3", `{location: eu, gcp: {rpo: ASYNC_TURBO}}`, "gcp.rpo gcp.customPlacementConfig.dataLocations location"},
		{"eur4", `{gcp: {rpo: ASYNC_TURBO}}`, ""},
		{"", `{gcp: {rpo: ASYNC_TURBO}}`, ""},
		{"europe-west3", `{gcp: {rpo: DEFAULT, customPlacementConfig: {dataLocations: []}}}`, ""},
	} {
		got, err := Kind.Check(driver.Draft{Spec: jsonOf(t, tt.spec), Location: tt.location})
		var fields string
		if len(got) == 1 {
			fields = strings.Join(got[0].Fields, " ")
		}
		if err != nil || len(got) > 1 || fields != tt.fields {
			t.Errorf("%+v: %+v, %v", tt, got, err)
		}
	}
}

func jsonOf(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
