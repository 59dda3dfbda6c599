package resource

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// stillPending returns the changes that are pending once some were applied.
func stillPending(pending []v1alpha1.PendingChange, applied []field.Change) []v1alpha1.PendingChange {
	return slices.DeleteFunc(slices.Clone(pending), func(p v1alpha1.PendingChange) bool {
		return slices.ContainsFunc(applied, func(c field.Change) bool { return c.Field == p.Field })
	})
}

// stillPending returns the changes that are not applied while the cloud is at work on an object. It shows as done what it has
// accepted, so what was recorded of this generation of the spec stays until it is at rest.
func (t *turn) stillPending(a Action) (pending []v1alpha1.PendingChange, known bool) {
	atWork := t.seen.State == driver.Pending && t.view.WasReady && !t.deleting && !a.Quiet
	sameSpec := t.status.ObservedGeneration == t.obj.GetGeneration()
	if !atWork || sameSpec && len(t.status.PendingChanges) > 0 {
		return nil, false
	}
	return a.Pending, true
}
