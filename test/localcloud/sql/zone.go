package sql

import (
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleZone puts an instance into the zone that it prefers, and fills the preference in where there is none, as the recordings show. A
// change of the preference moves the instance. A regional instance has a standby in another zone, where the standby prefers to be: the
// reference has secondaryGceZone for it, which the recordings leave out.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DatabaseInstance
func settleZone(c *change) {
	resource := c.resource
	region, _ := resource["region"].(string)
	preference := google.Member(resource, "settings", "locationPreference")
	if resource["gceZone"] == nil {
		resource["gceZone"] = region + "-a"
	}
	if preference["zone"] == nil {
		preference["zone"] = resource["gceZone"]
	}
	// No recording shows no_secondary_zone: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
	if preference["secondaryZone"] == "no_secondary_zone" {
		delete(preference, "secondaryZone")
	}
	zone, _ := preference["zone"].(string)
	secondary, _ := preference["secondaryZone"].(string)
	before := google.Object{}
	if c.old != nil {
		before = google.Member(google.Cloned(c.old), "settings", "locationPreference")
	}
	if before["zone"] != zone {
		resource["gceZone"] = zone
	}
	settleStandby(resource, secondary, before["secondaryZone"] != preference["secondaryZone"])
}

// validZone demands two zones of the instance's region.
func validZone(in, _ *sqladmin.DatabaseInstance) error {
	region, zone, secondary := in.Region, in.Settings.LocationPreference.Zone, in.Settings.LocationPreference.SecondaryZone
	switch {
	case !isZoneOf(region, zone):
		return sqlInvalid("Invalid value for zone: " + zone + ". It must be a zone of the region " + region + ".")
	case secondary != "" && !isZoneOf(region, secondary):
		return sqlInvalid("Invalid value for secondaryZone: " + secondary + ". It must be a zone of the region " + region + ".")
	// No recording shows that the standby can't be in the server's zone: https://cloud.google.com/sql/docs/postgres/configure-ha
	case secondary == zone:
		return sqlInvalid("The secondary zone must differ from the primary zone: " + zone + ".")
	}
	return nil
}

// settleStandby gives a regional instance a standby in the zone that it prefers, and keeps it apart from the server.
func settleStandby(resource google.Object, prefers string, changed bool) {
	server, _ := resource["gceZone"].(string)
	standby, _ := resource["secondaryGceZone"].(string)
	switch {
	case google.Member(resource, "settings")["availabilityType"] != "REGIONAL":
		delete(resource, "secondaryGceZone")
	case prefers != "" && (changed || standby == "" || standby == server):
		resource["secondaryGceZone"] = prefers
	case standby == "" || standby == server:
		resource["secondaryGceZone"] = otherZone(server)
	}
}

func isZoneOf(region, zone string) bool {
	letter, ok := strings.CutPrefix(zone, region+"-")
	return ok && len(letter) == 1 && letter >= "a" && letter <= "z"
}

// otherZone returns another zone of the same region.
func otherZone(zone string) string {
	if region, first := strings.CutSuffix(zone, "-a"); first {
		return region + "-b"
	}
	return zone[:max(0, strings.LastIndex(zone, "-"))] + "-a"
}
