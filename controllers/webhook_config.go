package controllers

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// unknownRegion warns of the region of an account, if this release knows no such for any kind: objects that name no
// location are to be made there.
func unknownRegion(drivers map[string]driver.Driver, account v1alpha1.Account) []string {
	drv := drivers[account.Cloud()]
	if drv == nil {
		return nil
	}
	described, known := drv.Describe(), driver.Known{}
	for _, r := range described.Resources {
		known.Locations = append(known.Locations, r.Known.Locations...)
	}
	slices.Sort(known.Locations)
	known.Locations = slices.Compact(known.Locations)
	region := account.Field(described.Account.Region)
	if region == "" || account.Has(described.Account.OwnRegions) {
		return nil
	}
	if says := known.LacksLocation(region, described.Title); says != "" {
		return []string{fmt.Sprintf("spec.%s.%s %s", described.Name, described.Account.Region, says)}
	}
	return nil
}
