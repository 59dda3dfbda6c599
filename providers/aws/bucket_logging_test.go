package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func logsIn(bucket string) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Bucket: &bucket}}
}

// editLogging edits one field of where the logs go, and keeps the other.
func (b *backdoor) editLogging(t testing.TB, name, f, value string) {
	logs := &s3types.LoggingEnabled{TargetBucket: new("access-logs-" + region), TargetPrefix: new("")}
	if was := do(t, b.s3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &name}).LoggingEnabled; was != nil {
		logs = was
	}
	if f == "logging.bucket" {
		logs.TargetBucket = &value
	} else {
		logs.TargetPrefix = &value
	}
	do(t, b.s3.PutBucketLogging, &s3.PutBucketLoggingInput{Bucket: &name, BucketLoggingStatus: &s3types.BucketLoggingStatus{LoggingEnabled: logs}})
}

// A change of the bucket keeps the prefix and what else others set, which is not in the spec. `logging: {}` ends all.
func TestBucketLoggingKeepsWhatIsNotInTheSpec(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := bucketOf("shop-logged", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	format := &s3types.TargetObjectKeyFormat{SimplePrefix: &s3types.SimplePrefix{}}
	do(t, w.s3.PutBucketLogging, &s3.PutBucketLoggingInput{Bucket: &req.Name, BucketLoggingStatus: &s3types.BucketLoggingStatus{LoggingEnabled: &s3types.LoggingEnabled{
		TargetBucket: new("audit-logs-" + region), TargetPrefix: new("theirs/"), TargetObjectKeyFormat: format,
		TargetGrants: []s3types.TargetGrant{{Permission: s3types.BucketLogsPermissionRead, Grantee: &s3types.Grantee{Type: s3types.TypeCanonicalUser, ID: new(strings.Repeat("a", 64))}}},
	}}})
	req.Spec = logsIn("access-logs-" + region)
	w.settleBucket(req)
	got := do(t, w.s3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &req.Name}).LoggingEnabled
	if *got.TargetBucket != "access-logs-"+region || *got.TargetPrefix != "theirs/" || len(got.TargetGrants) != 1 || got.TargetObjectKeyFormat == nil || got.TargetObjectKeyFormat.SimplePrefix == nil {
		t.Errorf("the bucket has %+v", got)
	}
	req.Spec.Logging = &v1alpha1.BucketLogging{}
	w.settleBucket(req)
	if got := do(t, w.s3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &req.Name}).LoggingEnabled; got != nil {
		t.Errorf("the bucket still has %+v", got)
	}
}

// A new bucket is known to have no logs: it costs one write, and none for `{}`.
func TestLoggingOfANewBucket(t *testing.T) {
	for name, tt := range map[string]struct {
		spec v1alpha1.BucketParameters
		want []string
	}{
		"shop-some": {logsIn("access-logs-" + region), []string{"CreateBucket", "PutBucketLogging"}},
		"shop-none": {v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{}}, []string{"CreateBucket"}},
	} {
		w := newEnvironment(t, localcloud.Options{})
		if _, err := drivertest.Buckets(w.conn).Create(t.Context(), bucketOf(name, tt.spec)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.operations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What S3 refuses as a target is refused by its field, with advice.
func TestLoggingThatIsRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := bucketOf("shop-refused", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	for target, advice := range map[string]string{"access-logs-us-west-2": "in the same region", "no-such-bucket-for-logs": "logging.s3.amazonaws.com"} {
		req.Spec = logsIn(target)
		result, err := drivertest.Buckets(w.conn).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "logging.bucket" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%s: %v, failed %v; want logging.bucket, Invalid", target, err, result.Failed)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, advice) || !strings.Contains(message, "spec.logging.bucket") {
			t.Errorf("%s: %q says nothing of %q", target, message, advice)
		}
	}
}
