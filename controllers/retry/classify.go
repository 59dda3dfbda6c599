package retry

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Classification is what an error's code means for the object.
type Classification struct {
	Reason v1alpha1.Reason
	// Stalled: a person has to act; the object is still looked at, slowly, and heals by itself.
	Stalled bool
	// Advice says what to do where the cloud's own words don't.
	Advice string
	// Soon: the cloud is merely busy; come back as if polling.
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

// Classify returns what an error means that a driver returned.
func Classify(err error) Classification { return classifications[driver.CodeOf(err)] }
