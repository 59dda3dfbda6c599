package localcloud

import "strings"

// settleZone puts an instance into the zone that it prefers, and fills the preference in where there is none, as the recordings show. A
// change of the preference moves the instance. old is the instance as it was, nil for a new one.
func settleZone(resource, old jsonObject) error {
	region, _ := resource["region"].(string)
	preference := member(resource, "settings", "locationPreference")
	if resource["gceZone"] == nil {
		resource["gceZone"] = region + "-a"
	}
	if preference["zone"] == nil {
		preference["zone"] = resource["gceZone"]
	}
	// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference; no recording shows it.
	if preference["secondaryZone"] == "no_secondary_zone" {
		delete(preference, "secondaryZone")
	}
	zone, _ := preference["zone"].(string)
	letter, ok := strings.CutPrefix(zone, region+"-")
	if !ok || len(letter) != 1 || letter < "a" || letter > "z" {
		return sqlInvalid("Invalid value for zone: " + zone + ". It must be a zone of the region " + region + ".")
	}
	if old == nil || member(cloned(old), "settings", "locationPreference")["zone"] != zone {
		resource["gceZone"] = zone
	}
	return nil
}
