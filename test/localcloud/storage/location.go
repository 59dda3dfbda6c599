package storage

import (
	"slices"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// gcsMultiRegions maps a multi-region of Cloud Storage to the location of its KMS keys; a dual-region to itself.
var (
	gcsMultiRegions = map[string]string{"US": "us", "EU": "europe", "ASIA": "asia"}
	gcsDualRegions  = map[string]string{"ASIA1": "asia1", "EUR4": "eur4", "EUR5": "eur5", "EUR7": "eur7", "EUR8": "eur8", "NAM4": "nam4"}
)

// settleLocation writes a location in capitals, and says of which type it is.
func settleLocation(c *change) error {
	location, _ := c.resource["location"].(string)
	location = strings.ToUpper(location)
	c.resource["location"] = location
	switch {
	case slices.Contains(google.Regions, strings.ToLower(location)):
		c.resource["locationType"] = "region"
	case gcsMultiRegions[location] != "":
		c.resource["locationType"] = "multi-region"
	case gcsDualRegions[location] != "":
		c.resource["locationType"] = "dual-region"
	default:
		return google.Invalid("The specified location constraint is not valid.")
	}
	return nil
}

// settlePlacement makes a dual-region of two regions in a multi-region. No recording shows one, nor the refusals, nor
// their words. Which regions are in which multi-region the stand-in does not know.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (customPlacementConfig)
func settlePlacement(c *change) error {
	resource := c.resource
	if _, said := resource["customPlacementConfig"].(google.Object); !said {
		return nil
	}
	regions := google.Typed[storage.Bucket](resource).CustomPlacementConfig.DataLocations
	if resource["locationType"] != "multi-region" || len(regions) != 2 || strings.EqualFold(regions[0], regions[1]) {
		return google.Invalid("The custom placement config is not valid: it names two regions of the bucket's multi-region.")
	}
	upper := make([]any, 0, len(regions))
	for _, r := range regions {
		if !slices.Contains(google.Regions, strings.ToLower(r)) {
			return google.Invalid("The custom placement config names an unknown region: " + r)
		}
		upper = append(upper, strings.ToUpper(r))
	}
	google.Member(resource, "customPlacementConfig")["dataLocations"] = upper
	resource["locationType"] = "dual-region"
	return nil
}

// settleRPO gives a bucket in several regions an objective.
func settleRPO(c *change) error {
	if c.resource["locationType"] != "region" && c.resource["rpo"] == nil {
		c.resource["rpo"] = "DEFAULT"
	}
	return nil
}

// validRPO has turbo replication in two regions alone.
func validRPO(c *change) error {
	if c.now.Rpo == "ASYNC_TURBO" && c.now.LocationType != "dual-region" {
		return google.Invalid("Invalid recovery point objective: " + c.now.Rpo)
	}
	return nil
}
