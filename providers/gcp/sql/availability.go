package sql

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The availability types of Cloud SQL: with a standby in a second zone, and without. The zones themselves are gceZone and secondaryGceZone,
// which change places in a failover. https://cloud.google.com/sql/docs/postgres/high-availability
const (
	regional = "REGIONAL"
	zonal    = "ZONAL"
)

func availabilityType(a v1alpha1.Availability) *string {
	if a == v1alpha1.AvailabilityMultiZone {
		return new(regional)
	}
	return new(zonal)
}

// haveAvailability returns the availability; nil if it is none that a spec can ask for.
func haveAvailability(i *instance) *v1alpha1.Availability {
	switch i.settings().AvailabilityType {
	case regional:
		return new(v1alpha1.AvailabilityMultiZone)
	case zonal:
		return new(v1alpha1.AvailabilitySingleZone)
	}
	return nil
}
