package s3_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func acceleration(status string) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{TransferAcceleration: &status}}
}

// S3 accelerates no bucket with a dot in its name, and refuses to say so of one: the driver makes no call, and names the field.
func TestAccelerationOfABucketWithADot(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("photos.example.com", acceleration("Suspended"))
	if seen := w.settleBucket(req); len(seen.Unreadable) > 0 {
		t.Errorf("unreadable: %v", seen.Unreadable)
	}
	req.Spec = acceleration("Enabled")
	changes := w.bucket(req).Changes
	w.Ledger.Reset()
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.transferAcceleration" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("%v, failed %v; want aws.transferAcceleration alone, Invalid", err, result.Failed)
	}
	if calls := w.Operations(); len(calls) != 0 {
		t.Errorf("calls %v, want none", calls)
	}
}

// A bucket that never was accelerated has no status: it counts as suspended, and costs no write.
func TestBucketThatNeverWasAccelerated(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-slow", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = acceleration("Suspended")
	w.Ledger.Reset()
	seen := w.bucket(req)
	if len(seen.Changes) != 0 {
		t.Errorf("changes %v", seen.Changes)
	}
	if diff := cmp.Diff([]string{"GetBucketTagging", "GetBucketAccelerateConfiguration"}, w.Operations()); diff != "" {
		t.Errorf("the calls (-want +got):\n%s", diff)
	}
}
