package s3_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// What the identity lacks for tags of a bucket with attribute-based access control is told; of another bucket, why its tags were refused.
func TestTagsThatAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		abac  bool
		fault localcloud.Fault
		code  driver.Code
		says  string
	}{
		"shop-no-rights": {true, localcloud.Fault{Filter: localcloud.Filter{Operation: "TagResource"}, Kind: localcloud.Denied}, driver.Denied, "allow both to this identity"},
		"shop-plain":     {false, localcloud.Fault{Filter: localcloud.Filter{Write: localcloud.Writes}, Kind: localcloud.Denied}, driver.Denied, "PutBucketTagging: "},
		"shop-invalid": {false, localcloud.Fault{Filter: localcloud.Filter{Write: localcloud.Writes}, Kind: localcloud.Refused, Status: 400, Code: "SomethingNew", Message: "not like this"},
			driver.Invalid, "not like this"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := awstest.BucketOf(name, v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}})
			w.settleBucket(req)
			if tt.abac {
				awstest.Do(t, w.S3.PutBucketAbac, &s3.PutBucketAbacInput{Bucket: &name, AbacStatus: &s3types.AbacStatus{Status: "Enabled"}})
			}
			w.Faults.Add(tt.fault)
			req.Spec.Tags["team"] = "pay"
			result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
			if err == nil && len(result.Failed) == 1 {
				err = result.Failed[0].Err
			}
			if driver.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v: %v", driver.CodeOf(err), err)
			}
		})
	}
}

// A bucket that is full of tags has room for new ones once others are gone. Where the right to take some away is missing, what was set is known as set.
func TestTagsOfAFullBucket(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-full", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{}})
	labels := func() map[string]string {
		have := map[string]string{}
		for _, tag := range awstest.Do(t, w.S3.GetBucketTagging, &s3.GetBucketTaggingInput{Bucket: &req.Name}).TagSet {
			have[*tag.Key] = *tag.Value
		}
		return have
	}
	w.settleBucket(req)
	for i := range 50 - len(labels()) {
		req.Spec.Tags[fmt.Sprintf("t-%02d", i)] = "1"
	}
	req.Applied = w.settleBucket(req).Applied
	awstest.Do(t, w.S3.PutBucketAbac, &s3.PutBucketAbacInput{Bucket: &req.Name, AbacStatus: &s3types.AbacStatus{Status: "Enabled"}})
	delete(req.Spec.Tags, "t-00")
	req.Spec.Tags["u-00"] = "1"
	req.Applied = w.settleBucket(req).Applied
	if have := labels(); len(have) != 50 || have["u-00"] != "1" {
		t.Errorf("%d tags: %v", len(have), have)
	}

	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "TagResource"}, Kind: localcloud.Denied})
	delete(req.Spec.Tags, "t-01")
	req.Spec.Tags["u-01"] = "1"
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || !slices.Contains(result.Failed[0].Unset, "u-01") {
		t.Errorf("with room made and nothing set: %v, %+v", err, result.Failed)
	}
	lift()
	w.settleBucket(req)
}
