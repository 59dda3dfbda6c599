package sql

import (
	"encoding/json"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

// A zone is where the server or its standby prefers to be, and where the other of the two does, if that is known. A failover makes them
// change places, so each of the two zones is as good as the other. A spec and its mirror have both: a preview compares as the plan does.
type zone struct{ name, other string }

// String returns the name of the zone.
func (z zone) String() string { return z.name }

// MarshalJSON returns the name of the zone: the mirror reads as the spec does.
func (z zone) MarshalJSON() ([]byte, error) { return json.Marshal(z.name) }

// wantZone and wantSecondaryZone return the zones of the server and of its standby that a spec or a mirror names.
func wantZone(p *databaseParameters) *zone {
	return zoneOf(gcpOf(p).Zone, gcpOf(p).SecondaryZone)
}

func wantSecondaryZone(p *databaseParameters) *zone {
	return zoneOf(gcpOf(p).SecondaryZone, gcpOf(p).Zone)
}

func zoneOf(name, other *string) *zone {
	if name == nil {
		return nil
	}
	z := &zone{name: *name}
	if other != nil {
		z.other = *other
	}
	return z
}

// haveZone returns the zone that the instance prefers, which Cloud SQL fills in where a creation names none.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
func haveZone(i *instance) *zone {
	return zoneOf(resource.Present(i.server()), resource.Present(i.standby()))
}

// haveSecondaryZone returns the zone of the standby; nil if there is none.
func haveSecondaryZone(i *instance) *zone {
	return zoneOf(resource.Present(i.standby()), resource.Present(i.server()))
}

// server returns the zone of the server: where it prefers to be, or else where it is.
func (i *instance) server() string {
	if p := i.settings().LocationPreference; p != nil && p.Zone != "" {
		return p.Zone
	}
	return i.GceZone
}

// standby returns the zone of the standby: where it prefers to be, or else where it is. An instance in one zone may have a wish for a
// standby, and has none.
func (i *instance) standby() string {
	p := i.settings().LocationPreference
	switch {
	case i.settings().AvailabilityType != regional:
		return ""
	case p != nil && p.SecondaryZone != "":
		return p.SecondaryZone
	case i.SecondaryGceZone == i.server(): // the server was moved there by a failover, and prefers its own zone still
		return i.GceZone
	default:
		return i.SecondaryGceZone
	}
}

// inZone reports whether a server or a standby is where a spec wants it. After a failover the two have changed places, and it stays so: that
// is no drift. https://cloud.google.com/sql/docs/postgres/high-availability
func inZone(want, have zone) bool {
	return want.name == have.name || want.name == have.other
}

func setZone(p *instanceParams, into *sqladmin.DatabaseInstance) {
	preferenceOf(into).Zone = *p.Zone
}

func setSecondaryZone(p *instanceParams, into *sqladmin.DatabaseInstance) {
	preferenceOf(into).SecondaryZone = *p.SecondaryZone
}

func preferenceOf(in *sqladmin.DatabaseInstance) *sqladmin.LocationPreference {
	if in.Settings.LocationPreference == nil {
		in.Settings.LocationPreference = &sqladmin.LocationPreference{}
	}
	return in.Settings.LocationPreference
}

// place adds to a change of zones what the spec says of both.
//
// If one of two zones changes after a failover, the other has to be named as well: the server may be in the zone that the spec wants for its
// standby. A change that takes the standby away names the zone of the server: beside a standby the other zone was as good, and the server alone
// would be moved by a second restart.
func (p *instanceParams) place(spec *databaseParameters, have *instance) {
	server, standby := wantZone(spec), wantSecondaryZone(spec)
	switch {
	case p.AvailabilityType != nil && *p.AvailabilityType == zonal:
		if server != nil && server.name != have.server() {
			p.Zone = &server.name
		}
	case server != nil && standby != nil && (p.Zone != nil || p.SecondaryZone != nil):
		p.Zone, p.SecondaryZone = &server.name, &standby.name
	case server == nil && p.SecondaryZone != nil && *p.SecondaryZone == have.server():
		p.SecondaryZone = nil // it is one of the two zones already
	}
}

// noSecondaryZone is what Cloud SQL takes for no zone of a standby.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
const noSecondaryZone = "no_secondary_zone"

// keepApart takes back the zone that was preferred for a standby where a patch puts the server there.
func keepApart(into *sqladmin.Settings, have *instance) {
	stored := have.settings().LocationPreference
	if to := into.LocationPreference; to != nil && to.SecondaryZone == "" && stored != nil && to.Zone == stored.SecondaryZone {
		to.SecondaryZone = noSecondaryZone
	}
}

// checkStandby refuses a zone for a standby where there is to be none.
func checkStandby(spec *databaseParameters, availability *v1alpha1.Availability) error {
	if gcpOf(spec).SecondaryZone == nil || availability != nil && *availability == v1alpha1.AvailabilityMultiZone {
		return nil
	}
	return table.Fields{"gcp.secondaryZone", "availability"}.Refuse("spec.gcp.secondaryZone is the zone of a standby, and a server has one with spec.availability MultiZone only: " +
		"set spec.availability to MultiZone, or remove spec.gcp.secondaryZone")
}

// standbyLater takes the zone of a standby out of a patch that does not make the standby, which the spec asks for, and says so: Cloud SQL may refuse that
// change.
func standbyLater(p *instanceParams, spec *databaseParameters, have *instance) (later table.FieldErrors) {
	multi := spec.Availability != nil && *spec.Availability == v1alpha1.AvailabilityMultiZone
	if p.SecondaryZone == nil || p.AvailabilityType != nil || !multi || have.settings().AvailabilityType == regional {
		return nil
	}
	p.SecondaryZone = nil
	return table.FieldErrors{{Field: "gcp.secondaryZone", Err: &driver.Error{Code: driver.Busy, Op: "instances.patch",
		Message: "spec.gcp.secondaryZone waits for spec.availability: there is no standby yet"}}}
}

// zoneEffect says what another zone does. https://cloud.google.com/sql/docs/postgres/instance-settings
func zoneEffect(*zone, zone, *instance) (driver.Effect, string) {
	return driver.Restarts, "Cloud SQL stops the server and starts it again in the other zone"
}

// secondaryZoneEffect says what another zone of the standby does. Google's reference does not say that the server goes on meanwhile, and a
// change of zones that interrupts nobody is no promise of it. https://cloud.google.com/sql/docs/postgres/configure-ha
func secondaryZoneEffect(*zone, zone, *instance) (driver.Effect, string) {
	return driver.Restarts, "Cloud SQL makes a new standby, and may restart the server for that"
}
