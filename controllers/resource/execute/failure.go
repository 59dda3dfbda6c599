package execute

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// failedBefore reports whether an operation that was to create the object failed, which the conditions say. That it is tried
// again is no news: why it failed stays until a person acted, or the object is seen to work.
func failedBefore(t reconciliation.State) bool {
	return t.Memory.Failure != "" && t.Object.GetResourceStatus().FirstReadyTime == nil && !t.Deleting && outcome.Stalled(t.Object) != nil
}

// whyFailed returns what to say of an object that the cloud shows as failed. Why its creation failed is said by the operation
// alone, and once; known says that the conditions tell it already, also if another process was told.
func whyFailed(t reconciliation.State, shown string) (message string, known bool) {
	if t.Object.GetResourceStatus().FirstReadyTime != nil || t.Deleting {
		return shown, false
	}
	if before := outcome.Stalled(t.Object); before != nil && !t.News.Wanted {
		switch v1alpha1.Reason(before.Reason) {
		case v1alpha1.ReasonFailed, v1alpha1.ReasonInvalid, v1alpha1.ReasonDenied, v1alpha1.ReasonQuotaExceeded, v1alpha1.ReasonNoCapacity,
			v1alpha1.ReasonConflict:
			return shown, true
		default: // it has nothing to do with the cloud
		}
	}
	if t.Memory.Failure != "" {
		return "it failed in the cloud: " + t.Memory.Failure, false
	}
	return shown, false
}

// troubled reports whether the last reconciliation failed, or the object stalls, at this generation of the spec.
func troubled(t reconciliation.State) bool { return t.Failures > 0 || outcome.Stalled(t.Object) != nil }
