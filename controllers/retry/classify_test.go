package retry

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What every code means. Stalled is what a person has to mend; Soon what ends by itself before long.
var want = map[driver.Code]Classification{
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
	driver.PageExpired: {Reason: v1alpha1.ReasonRetrying},
	driver.Unsupported: {Reason: v1alpha1.ReasonNotSupported, Stalled: true},
}

func TestClassifyKnowsEveryCode(t *testing.T) {
	got := map[driver.Code]Classification{}
	for c := driver.Internal; c == driver.Internal || c.String() != driver.Internal.String(); c++ { // past the last, names are Internal's
		got[c] = Classify(fmt.Errorf("observe: %w", &driver.Error{Code: c, Op: "Get"}))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What no driver wrapped is retried, and is nobody's to mend.
func TestClassifyErrorsOfOthers(t *testing.T) {
	for _, err := range []error{errors.New("connection reset"), fmt.Errorf("wrapped: %w", errors.ErrUnsupported)} {
		if diff := cmp.Diff(want[driver.Internal], Classify(err)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}
