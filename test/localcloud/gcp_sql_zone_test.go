package localcloud

import (
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"
)

// TestSQLZones moves an instance from zone to zone.
func TestSQLZones(t *testing.T) {
	prefers := func(zone string) *sqladmin.Settings {
		return &sqladmin.Settings{LocationPreference: &sqladmin.LocationPreference{Zone: zone}}
	}
	for _, test := range []struct {
		name, created string
		patched       *sqladmin.Settings // nil: not at all
		want          string             // empty: refused
		during        string
	}{
		{"nothing said", "", nil, "europe-west1-a", ""},
		{"created there", "europe-west1-d", nil, "europe-west1-d", ""},
		{"created in another region", "europe-west3-a", nil, "", ""},
		{"created in no zone", "europe-west1", nil, "", ""},
		{"moved", "", prefers("europe-west1-c"), "europe-west1-c", "MAINTENANCE"},
		{"moved to another region", "", prefers("us-central1-a"), "", ""},
		{"the same again", "europe-west1-c", prefers("europe-west1-c"), "europe-west1-c", "RUNNABLE"},
		{"something else changes", "europe-west1-c", &sqladmin.Settings{DataDiskSizeGb: 30}, "europe-west1-c", "RUNNABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := startGCP(t, Options{Durations: Durations{Modify: time.Minute}})
			in := orders()
			in.Settings.LocationPreference = prefers(test.created).LocationPreference
			if g.makeAndPatch(t, in, test.patched, test.during, test.want == "") {
				return
			}
			if now := g.orders(t); now.GceZone != test.want || now.Settings.LocationPreference.Zone != test.want {
				t.Errorf("the instance is in %s and prefers %s, want %s", now.GceZone, now.Settings.LocationPreference.Zone, test.want)
			}
		})
	}
}

// makeAndPatch makes the instance orders and, unless they are nil, patches its settings. During that it has a state, if one is named. The last
// of the two calls is refused where that is wanted, and makeAndPatch returns that.
func (g *gcpTest) makeAndPatch(t *testing.T, in *sqladmin.DatabaseInstance, patched *sqladmin.Settings, during string, refused bool) bool {
	t.Helper()
	_, err := g.sql.Instances.Insert("acme", in).Do()
	if patched != nil {
		wantGCP(t, err, 0, "")
		g.clock.advance(time.Minute)
		_, err = g.sql.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: patched}).Do()
	}
	if refused {
		wantGCP(t, err, 400, "invalid")
		return true
	}
	wantGCP(t, err, 0, "")
	if state := g.orders(t).State; during != "" && state != during {
		t.Errorf("during the change the instance is %s, want %s", state, during)
	}
	g.clock.advance(time.Minute)
	return false
}
