package resource

import (
	"regexp"
	"strings"
)

// Regions are those of Google Cloud, of which Cloud Storage has all, and Cloud SQL as good as all. No module of the
// SDK has a list; this one is of November 2026.
// https://cloud.google.com/storage/docs/locations#location-r
// https://cloud.google.com/sql/docs/postgres/locations
var Regions = strings.Fields(`
	africa-south1
	asia-east1 asia-east2 asia-northeast1 asia-northeast2 asia-northeast3 asia-south1 asia-south2 asia-southeast1 asia-southeast2 asia-southeast3
	australia-southeast1 australia-southeast2
	europe-central2 europe-north1 europe-north2 europe-southwest1
	europe-west1 europe-west2 europe-west3 europe-west4 europe-west6 europe-west8 europe-west9 europe-west10 europe-west12
	me-central1 me-central2 me-west1
	northamerica-northeast1 northamerica-northeast2 northamerica-south1 southamerica-east1 southamerica-west1
	us-central1 us-east1 us-east4 us-east5 us-south1 us-west1 us-west2 us-west3 us-west4
`)

// IsRegion reports whether a location is a region, and no multi-region or dual-region. https://cloud.google.com/storage/docs/locations
func IsRegion(location string) bool { return regionName.MatchString(location) }

var regionName = regexp.MustCompile(`^[a-z]+-[a-z]+[0-9]+$`)
