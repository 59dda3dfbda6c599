package s3_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A change of rules keeps the size from which objects move, which is not in the spec. A rule of others that a spec can't say is shown as a
// difference and in the mirror, and goes with the next write.
func TestBucketLifecycleOfOthers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	week := []v1alpha1.LifecycleRule{{Name: "week", AbortUploadsAfterDays: new(int32(7))}}
	req := awstest.BucketOf("shop-rules", v1alpha1.BucketParameters{Lifecycle: week})
	w.settleBucket(req)
	awstest.Do(t, w.S3.PutBucketLifecycleConfiguration, &s3.PutBucketLifecycleConfigurationInput{Bucket: &req.Name, TransitionDefaultMinimumObjectSize: "varies_by_storage_class",
		LifecycleConfiguration: &s3types.BucketLifecycleConfiguration{Rules: []s3types.LifecycleRule{
			{ID: new("mine"), Status: "Enabled", Filter: &s3types.LifecycleRuleFilter{}, AbortIncompleteMultipartUpload: &s3types.AbortIncompleteMultipartUpload{DaysAfterInitiation: new(int32(7))}},
			{ID: new("off"), Status: "Disabled", Filter: &s3types.LifecycleRuleFilter{}, Expiration: &s3types.LifecycleExpiration{Days: new(int32(1))}},
		}}})
	seen := w.bucket(req)
	if len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Online || !strings.Contains(seen.Changes[0].From, `(rule \"off\": it is disabled)`) {
		t.Errorf("changes %+v", seen.Changes)
	}
	if mirror := string(seen.Mirror); !strings.Contains(mirror, "it is disabled") || !strings.Contains(mirror, `"name":"mine"`) {
		t.Errorf("the mirror shows %s", mirror)
	}
	w.settleBucket(req)
	have := awstest.Do(t, w.S3.GetBucketLifecycleConfiguration, &s3.GetBucketLifecycleConfigurationInput{Bucket: &req.Name})
	if len(have.Rules) != 1 || *have.Rules[0].ID != "week" || have.TransitionDefaultMinimumObjectSize != "varies_by_storage_class" {
		t.Errorf("the bucket has %+v", have)
	}
	req.Spec.Lifecycle = nil
	if seen := w.bucket(req); len(seen.Changes) != 0 {
		t.Errorf("rules that are not in the spec are changed: %+v", seen.Changes)
	}
	req.Spec.Lifecycle = []v1alpha1.LifecycleRule{}
	w.settleBucket(req)
	if _, err := w.S3.GetBucketLifecycleConfiguration(t.Context(), &s3.GetBucketLifecycleConfigurationInput{Bucket: &req.Name}); err == nil {
		t.Error("there still are rules")
	}
}
