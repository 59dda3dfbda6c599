package sql_test

import (
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
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
			g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Modify: time.Minute}})
			in := sdk.Orders()
			in.Settings.LocationPreference = prefers(test.created).LocationPreference
			if makeAndPatch(t, g, in, test.patched, test.during, test.want == "") {
				return
			}
			if now := g.Orders(t); now.GceZone != test.want || now.Settings.LocationPreference.Zone != test.want {
				t.Errorf("the instance is in %s and prefers %s, want %s", now.GceZone, now.Settings.LocationPreference.Zone, test.want)
			}
		})
	}
}

// TestSQLStandby puts a standby into a second zone, and moves it.
func TestSQLStandby(t *testing.T) {
	const a, b, c, d = "europe-west1-a", "europe-west1-b", "europe-west1-c", "europe-west1-d"
	two := func(zone, secondary string) *sqladmin.Settings {
		return &sqladmin.Settings{AvailabilityType: "REGIONAL", LocationPreference: &sqladmin.LocationPreference{Zone: zone, SecondaryZone: secondary},
			BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true}}
	}
	one := func(secondary string) *sqladmin.Settings {
		return &sqladmin.Settings{AvailabilityType: "ZONAL", LocationPreference: &sqladmin.LocationPreference{SecondaryZone: secondary}}
	}
	for _, test := range []struct {
		name    string
		created *sqladmin.Settings
		patched *sqladmin.Settings // nil: not at all
		want    string             // the zones of server and standby; empty: refused
		during  string
	}{
		{"the cloud chooses", two("", ""), nil, a + " " + b, ""},
		{"the cloud chooses the second", two(b, ""), nil, b + " " + a, ""},
		{"both named", two(c, d), nil, c + " " + d, ""},
		{"a wish without a standby", one(c), nil, a + " ", ""},
		{"the same zone twice", two(c, c), nil, "", ""},
		{"another region", two(c, "us-central1-a"), nil, "", ""},
		{"a second zone later", one(""), two("", c), a + " " + c, "MAINTENANCE"},
		{"the standby moves", two(a, b), two("", c), a + " " + c, "MAINTENANCE"},
		{"the server moves", two(a, b), two(c, ""), c + " " + b, "MAINTENANCE"},
		{"they change places", two(a, b), two(b, a), b + " " + a, "MAINTENANCE"},
		{"the server moves to the standby", two(a, b), two(b, ""), "", ""},
		{"the server moves to the standby, which may go anywhere", two(a, b), two(b, "no_secondary_zone"), b + " " + a, "MAINTENANCE"},
		{"no standby any more", two(a, b), one(""), a + " ", "MAINTENANCE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Modify: time.Minute}})
			in := sdk.Orders()
			test.created.Tier, test.created.Edition = in.Settings.Tier, in.Settings.Edition
			in.Settings = test.created
			if makeAndPatch(t, g, in, test.patched, test.during, test.want == "") {
				return
			}
			if now := g.Orders(t); now.GceZone+" "+now.SecondaryGceZone != test.want {
				t.Errorf("the instance is in %s, its standby in %q; want %s", now.GceZone, now.SecondaryGceZone, test.want)
			}
		})
	}
}

// makeAndPatch makes the instance orders and, unless they are nil, patches its settings. During that it has a state, if one is named. The last
// of the two calls is refused where that is wanted, and makeAndPatch returns that.
func makeAndPatch(t *testing.T, g *sdk.GCP, in *sqladmin.DatabaseInstance, patched *sqladmin.Settings, during string, refused bool) bool {
	t.Helper()
	_, err := g.SQL.Instances.Insert("acme", in).Do()
	if patched != nil {
		sdk.WantGCP(t, err, 0, "")
		g.Clock.Advance(time.Minute)
		_, err = g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: patched}).Do()
	}
	if refused {
		sdk.WantGCP(t, err, 400, "invalid")
		return true
	}
	sdk.WantGCP(t, err, 0, "")
	if state := g.Orders(t).State; during != "" && state != during {
		t.Errorf("during the change the instance is %s, want %s", state, during)
	}
	g.Clock.Advance(time.Minute)
	return false
}
