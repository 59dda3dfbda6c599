package plan

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// StillPending returns the changes that are pending once some were applied.
func StillPending(pending []v1alpha1.PendingChange, applied []driver.Change) []v1alpha1.PendingChange {
	return slices.DeleteFunc(slices.Clone(pending), func(p v1alpha1.PendingChange) bool {
		return slices.ContainsFunc(applied, func(c driver.Change) bool { return c.Field == p.Field })
	})
}
