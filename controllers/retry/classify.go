package retry

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Classification is what the code of an error means for the object.
type Classification struct {
	Reason v1alpha1.Reason
	// Stalled: a person has to act. The object is still observed once per sync period, so it recovers without a further
	// edit.
	Stalled bool
	// Advice is the next step for the user, where the cloud's own message names none.
	Advice string
	// RetrySoon: the cloud is busy with the object. Retry at the intervals of polling, not at those after an error.
	RetrySoon bool
}

var classifications = map[driver.Code]Classification{
	driver.Internal:    {Reason: v1alpha1.ReasonRetrying},
	driver.Invalid:     {Reason: v1alpha1.ReasonInvalid, Stalled: true},
	driver.Denied:      {Reason: v1alpha1.ReasonDenied, Stalled: true},
	driver.NotFound:    {Reason: v1alpha1.ReasonInvalid, Stalled: true},
	driver.Conflict:    {Reason: v1alpha1.ReasonConflict, Stalled: true},
	driver.NotEmpty:    {Reason: v1alpha1.ReasonNotEmpty, Stalled: true},
	driver.Protected:   {Reason: v1alpha1.ReasonDeletionProtected, Stalled: true},
	driver.Busy:        {Reason: v1alpha1.ReasonCloudBusy, RetrySoon: true},
	driver.Quota:       {Reason: v1alpha1.ReasonQuotaExceeded, Stalled: true, Advice: "request a higher quota from the cloud, or delete what is not needed"},
	driver.Throttled:   {Reason: v1alpha1.ReasonRetrying},
	driver.Unavailable: {Reason: v1alpha1.ReasonRetrying},
	driver.Capacity:    {Reason: v1alpha1.ReasonNoCapacity, Stalled: true},
	driver.PageExpired: {Reason: v1alpha1.ReasonRetrying}, // of a list: no call about one object has it
	driver.Unsupported: {Reason: v1alpha1.ReasonNotSupported, Stalled: true},
}

// Classify returns the classification of an error that a driver returned.
func Classify(err error) Classification { return classifications[driver.CodeOf(err)] }
