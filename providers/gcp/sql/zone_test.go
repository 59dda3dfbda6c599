package sql

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
)

// A server is where it is wanted in the zone that it prefers, and with a standby in that one's zone too, however Cloud SQL shows a failover.
func TestZones(t *testing.T) {
	const a, b, c = "europe-west3-a", "europe-west3-b", "europe-west3-c"
	made := func(availability, gce, standby string, preference *sqladmin.LocationPreference) instance {
		return instance{DatabaseInstance: &sqladmin.DatabaseInstance{GceZone: gce, SecondaryGceZone: standby,
			Settings: &sqladmin.Settings{AvailabilityType: availability, LocationPreference: preference}}}
	}
	prefers := func(zone, standby string) *sqladmin.LocationPreference {
		return &sqladmin.LocationPreference{Zone: zone, SecondaryZone: standby}
	}
	for _, test := range []struct {
		name            string
		have            instance
		mirror, standby string
		same            []string // the zones that a spec can name without a difference
	}{
		{"one zone", made("ZONAL", a, "", prefers(a, "")), a, "", []string{a}},
		{"one zone, where the cloud could not do as preferred", made("ZONAL", b, "", prefers(a, "")), a, "", []string{a}},
		{"one zone, and a wish for a standby", made("ZONAL", a, "", prefers(a, b)), a, "", []string{a}},
		{"one zone, nothing preferred", made("ZONAL", a, "", nil), a, "", []string{a}},
		{"two zones", made("REGIONAL", a, b, prefers(a, b)), a, b, []string{a, b}},
		{"two zones, after a failover", made("REGIONAL", b, a, prefers(a, b)), a, b, []string{a, b}},
		{"two zones, after a failover that changed the preference", made("REGIONAL", b, a, prefers(b, a)), b, a, []string{a, b}},
		{"two zones, the second chosen by the cloud", made("REGIONAL", a, c, prefers(a, "")), a, c, []string{a, c}},
		{"two zones, the second chosen by the cloud, after a failover", made("REGIONAL", c, a, prefers(a, "")), a, c, []string{a, c}},
		{"nothing is known", made("ZONAL", "", "", nil), "", "", nil},
	} {
		raw, err := fields.Mirror(&test.have)
		if err != nil {
			t.Fatal(err)
		}
		var mirror databaseParameters
		if err := json.Unmarshal(raw, &mirror); err != nil {
			t.Fatal(err)
		}
		for _, zone := range []string{a, b, c} {
			want := databaseParameters{GCP: &v1alpha1.DatabaseGCP{Zone: &zone}}
			differs := fields.Diff(&want, &test.have, nil, nil)
			if len(differs) > 0 == slices.Contains(test.same, zone) {
				t.Errorf("%s, and a spec that says %s: %v", test.name, zone, differs)
			}
			if diff := cmp.Diff(differs, fields.Preview(&mirror, &want, nil, &test.have)); diff != "" {
				t.Errorf("%s, and a spec that says %s (-observed +previewed):\n%s", test.name, zone, diff)
			}
			want.GCP = &v1alpha1.DatabaseGCP{SecondaryZone: &zone}
			differs = fields.Diff(&want, &test.have, nil, nil)
			if same := test.standby != "" && slices.Contains(test.same, zone); len(differs) > 0 == same {
				t.Errorf("%s, and a spec that wants the standby in %s: %v", test.name, zone, differs)
			}
			if diff := cmp.Diff(differs, fields.Preview(&mirror, &want, nil, &test.have)); diff != "" {
				t.Errorf("%s, and a spec that wants the standby in %s (-observed +previewed):\n%s", test.name, zone, diff)
			}
		}
		got := []*string{gcpOf(&mirror).Zone, gcpOf(&mirror).SecondaryZone}
		if diff := cmp.Diff([]*string{resource.Present(test.mirror), resource.Present(test.standby)}, got); diff != "" {
			t.Errorf("%s: the mirror is %s (-want +got):\n%s", test.name, raw, diff)
		}
	}
}
