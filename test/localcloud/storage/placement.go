package storage

import (
	"slices"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settlePlacement makes a dual-region of two regions in a multi-region. No recording shows one, nor the refusals, nor their words. Which regions are in
// which multi-region the stand-in does not know.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (customPlacementConfig)
func settlePlacement(resource google.Object) error {
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
