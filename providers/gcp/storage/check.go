package storage

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// checkDraft refuses a key of another region than the bucket's, and what checkPlacement, checkBindings, checkRetention and checkNotifications do. Which key the
// bucket of a multi-region or dual-region takes, Cloud Storage knows.
// https://cloud.google.com/storage/docs/encryption/customer-managed-keys
func checkDraft(draft driver.Draft) ([]driver.Refusal, error) {
	return table.CheckOf(draft, func(spec, observed *v1alpha1.BucketParameters, location string) []driver.Refusal {
		refused := table.Refused(slices.Concat(checkPlacement(spec, location), checkBindings(spec, observed), checkFilter(spec), []error{checkRetention(spec), checkNotifications(spec), checkLifecycle(spec)})...)
		key := portable.WantedBucketKey(spec)
		if key == nil || !resource.IsRegion(location) {
			return refused
		}
		if !resource.IsRegion(resource.KeyLocation(*key)) {
			return refused
		}
		return append(refused, table.Refused(resource.CheckKey(key, location))...)
	})
}
