package gcp

import (
	"encoding/json"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// zones are where an instance prefers to be. A spec names the zone of the server alone; an instance with a standby may also be in the
// standby's zone.
type zones struct{ server, standby string }

// String returns the zone of the server.
func (z zones) String() string { return z.server }

// MarshalJSON returns the zone of the server: the mirror reads as the spec does.
func (z zones) MarshalJSON() ([]byte, error) { return json.Marshal(z.server) }

func wantZone(p *databaseParameters) *zones {
	if zone := gcpOf(p).Zone; zone != nil {
		return &zones{server: *zone}
	}
	return nil
}

// haveZones returns the zone that the instance prefers, which Cloud SQL fills in where a creation names none, and the zone of its standby.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
func haveZones(i *instance) *zones {
	z := zones{server: i.GceZone}
	if p := i.settings().LocationPreference; p != nil && p.Zone != "" {
		z = zones{server: p.Zone, standby: p.SecondaryZone}
	}
	if z.server == "" {
		return nil
	}
	if i.settings().AvailabilityType != regional {
		z.standby = ""
	} else if z.standby == "" {
		z.standby = i.SecondaryGceZone
	}
	return &z
}

// inZone reports whether an instance is where a spec wants it. After a failover the server and its standby have changed places, and it stays
// so: that is no drift. https://cloud.google.com/sql/docs/postgres/high-availability
func inZone(want, have zones) bool {
	return want.server == have.server || want.server == have.standby
}

func setZone(p *instanceParams, into *sqladmin.DatabaseInstance) {
	into.Settings.LocationPreference = &sqladmin.LocationPreference{Zone: *p.Zone}
}

// leaveStandby adds the zone that a spec names to a change that takes the standby away. Beside a standby its zone was as good; alone, the
// server would be moved by a second restart.
func (p *instanceParams) leaveStandby(spec *databaseParameters, have *instance) {
	want, present := wantZone(spec), haveZones(have)
	if want == nil || p.AvailabilityType == nil || *p.AvailabilityType != zonal || present != nil && present.server == want.server {
		return
	}
	p.Zone = &want.server
}

// noSecondaryZone is what Cloud SQL takes for no zone of a standby.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
const noSecondaryZone = "no_secondary_zone"

// keepApart takes back the zone that was preferred for a standby where a patch puts the server there.
func keepApart(into *sqladmin.Settings, have *instance) {
	stored := have.settings().LocationPreference
	if to := into.LocationPreference; to != nil && stored != nil && to.Zone == stored.SecondaryZone {
		to.SecondaryZone = noSecondaryZone
	}
}

// zoneEffect says what another zone does. https://cloud.google.com/sql/docs/postgres/instance-settings
func zoneEffect(*zones, zones, *instance) (driver.Effect, string) {
	return driver.Restarts, "Cloud SQL stops the server and starts it again in the other zone"
}
