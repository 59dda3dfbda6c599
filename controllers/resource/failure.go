package resource

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// failedBefore reports whether an operation that was to create the object failed, which the conditions say. That it is tried
// again is no news: why it failed stays until a person acted, or the object is seen to work.
func (t *turn) failedBefore() bool {
	return t.mem.failure != "" && t.status.FirstReadyTime == nil && !t.deleting && outcome.Stalled(t.obj) != nil
}

// whyFailed returns what to say of an object that the cloud shows as failed. Why its creation failed is said by the operation
// alone, and once; known says that the conditions tell it already, also if another process was told.
func (t *turn) whyFailed(shown string) (message string, known bool) {
	if t.status.FirstReadyTime != nil || t.deleting {
		return shown, false
	}
	if before := outcome.Stalled(t.obj); before != nil && !t.wanted {
		switch v1alpha1.Reason(before.Reason) {
		case v1alpha1.ReasonFailed, v1alpha1.ReasonInvalid, v1alpha1.ReasonDenied, v1alpha1.ReasonQuotaExceeded, v1alpha1.ReasonNoCapacity,
			v1alpha1.ReasonConflict:
			return shown, true
		default: // it has nothing to do with the cloud
		}
	}
	if t.mem.failure != "" {
		return "it failed in the cloud: " + t.mem.failure, false
	}
	return shown, false
}

// troubled reports whether the last turn failed, or the object stalls, at this generation of the spec.
func (t *turn) troubled() bool { return t.mem.report.Failures > 0 || outcome.Stalled(t.obj) != nil }
