package s3_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func logsIn(bucket string) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Bucket: &bucket}}
}

// A change of the bucket keeps the prefix and what else others set, which is not in the spec. `logging: {}` ends all.
func TestBucketLoggingKeepsWhatIsNotInTheSpec(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-logged", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	format := &s3types.TargetObjectKeyFormat{SimplePrefix: &s3types.SimplePrefix{}}
	awstest.Do(t, w.S3.PutBucketLogging, &s3.PutBucketLoggingInput{Bucket: &req.Name, BucketLoggingStatus: &s3types.BucketLoggingStatus{LoggingEnabled: &s3types.LoggingEnabled{
		TargetBucket: new("audit-logs-" + awstest.Region), TargetPrefix: new("theirs/"), TargetObjectKeyFormat: format,
		TargetGrants: []s3types.TargetGrant{{Permission: s3types.BucketLogsPermissionRead, Grantee: &s3types.Grantee{Type: s3types.TypeCanonicalUser, ID: new(strings.Repeat("a", 64))}}},
	}}})
	req.Spec = logsIn("access-logs-" + awstest.Region)
	w.settleBucket(req)
	got := awstest.Do(t, w.S3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &req.Name}).LoggingEnabled
	if *got.TargetBucket != "access-logs-"+awstest.Region || *got.TargetPrefix != "theirs/" || len(got.TargetGrants) != 1 || got.TargetObjectKeyFormat == nil || got.TargetObjectKeyFormat.SimplePrefix == nil {
		t.Errorf("the bucket has %+v", got)
	}
	req.Spec.Logging = &v1alpha1.BucketLogging{}
	w.settleBucket(req)
	if got := awstest.Do(t, w.S3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &req.Name}).LoggingEnabled; got != nil {
		t.Errorf("the bucket still has %+v", got)
	}
}

// A new bucket is known to have no logs: it costs one write, and none for `{}`.
func TestLoggingOfANewBucket(t *testing.T) {
	for name, tt := range map[string]struct {
		spec v1alpha1.BucketParameters
		want []string
	}{
		"shop-some": {logsIn("access-logs-" + awstest.Region), []string{"CreateBucket", "PutBucketLogging"}},
		"shop-none": {v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{}}, []string{"CreateBucket"}},
	} {
		w := newEnvironment(t, localcloud.Options{})
		if _, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf(name, tt.spec)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.Operations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What S3 refuses as a target is refused by its field, with advice.
func TestLoggingThatIsRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-refused", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	for target, advice := range map[string]string{"access-logs-us-west-2": "in the same region", "no-such-bucket-for-logs": "logging.s3.amazonaws.com"} {
		req.Spec = logsIn(target)
		result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "logging.bucket" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%s: %v, failed %v; want logging.bucket, Invalid", target, err, result.Failed)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, advice) || !strings.Contains(message, "spec.logging.bucket") {
			t.Errorf("%s: %q says nothing of %q", target, message, advice)
		}
	}
}
