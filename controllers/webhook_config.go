package controllers

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// configWarnings warns of what a provider config says, where nobody was warned of that before: not again with every edit
// of something else.
func configWarnings(drivers map[string]driver.Driver, r admission.Review, config v1alpha1.ProviderConfigObject) []string {
	if r.OnlyAnnotations {
		return nil
	}
	warnings := unknownRegion(drivers, config.GetAccount())
	if old, is := r.Old.(v1alpha1.ProviderConfigObject); is && slices.Equal(warnings, unknownRegion(drivers, old.GetAccount())) {
		return nil
	}
	return warnings
}

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
	if says := portable.UnknownLocation(known, region, described.Title); says != "" {
		return []string{fmt.Sprintf("spec.%s.%s %s %s", described.Name, described.Account.Region, region, says)}
	}
	return nil
}
