package s3_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func retains(days int32) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: &days}}
}

// A new bucket has Object Lock, and with it versions, from its creation on, so that a spec needs to say nothing of versioning. {} costs no write.
func TestRetentionOfANewBucket(t *testing.T) {
	for name, tt := range map[string]struct {
		spec v1alpha1.BucketParameters
		want []string
	}{
		"shop-kept":    {retains(7), []string{"CreateBucket", "PutObjectLockConfiguration"}},
		"shop-nothing": {v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{}}, []string{"CreateBucket"}},
	} {
		w := newEnvironment(t, localcloud.Options{})
		req := awstest.BucketOf(name, tt.spec)
		if _, err := drivertest.Buckets(w.Session).Create(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.Operations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if seen := w.bucket(req); len(seen.Changes) > 0 {
			t.Errorf("%s: it differs: %+v", name, seen.Changes)
		}
	}
}

// The first retention of a bucket is Irreversible, because Object Lock stays: {} ends the rule, and the bucket keeps Object Lock. The mode of an
// existing rule stays where the spec does not say.
func TestRetentionOfAnExistingBucket(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-old", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	req.Spec.Retention = &v1alpha1.BucketRetention{Days: new(int32(7)), Locked: new(true)}
	seen := w.bucket(req)
	if len(seen.Changes) != 2 || seen.Changes[0].Effect != driver.Irreversible || !strings.Contains(seen.Changes[0].Why, "Object Lock stays") || seen.Changes[1].Effect != driver.Irreversible {
		t.Errorf("changes %+v", seen.Changes)
	}
	w.settleBucket(req)
	req.Spec.Retention = &v1alpha1.BucketRetention{Days: new(int32(30))}
	if seen := w.bucket(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Irreversible || !strings.Contains(seen.Changes[0].Why, "root user") {
		t.Errorf("a longer COMPLIANCE: %+v", seen.Changes)
	}
	w.settleBucket(req)
	if rule := awstest.LockRule(t, w.S3, req.Name); rule == nil || *rule.Days != 30 || rule.Mode != "COMPLIANCE" {
		t.Errorf("the rule is %+v", rule)
	}
	req.Spec.Retention = &v1alpha1.BucketRetention{}
	w.settleBucket(req)
	if rule := awstest.LockRule(t, w.S3, req.Name); rule != nil {
		t.Errorf("the rule is %+v, want none", rule)
	}
	req.Spec = retains(1)
	if seen := w.bucket(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Online {
		t.Errorf("a bucket with Object Lock: %+v", seen.Changes)
	}
	req.Spec = v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningSuspended)}
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "versioning" || !strings.Contains(result.Failed[0].Err.Message, "set spec.versioning to Enabled; Amazon S3 says") {
		t.Errorf("suspended: %v, %+v", err, result.Failed)
	}
}

// An event hold is the protection of somebody else: alone it is no period, a period comes beside it, and it stays when the period goes.
func TestEventHoldOfOthersStays(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	hold := func(name string, rule s3types.DefaultRetention) {
		rule.DefaultEventHold = &s3types.EventHoldDuration{Days: new(int32(90))}
		awstest.Do(t, w.S3.PutObjectLockConfiguration, &s3.PutObjectLockConfigurationInput{Bucket: &name, ObjectLockConfiguration: &s3types.ObjectLockConfiguration{
			ObjectLockEnabled: "Enabled", Rule: &s3types.ObjectLockRule{DefaultRetention: &rule},
		}})
	}
	for _, tt := range []struct {
		name  string
		there s3types.DefaultRetention
		spec  v1alpha1.BucketRetention
		days  int32
		mode  s3types.ObjectLockRetentionMode
	}{
		{"shop-first", s3types.DefaultRetention{}, v1alpha1.BucketRetention{Days: new(int32(30))}, 30, "GOVERNANCE"},
		{"shop-locked", s3types.DefaultRetention{}, v1alpha1.BucketRetention{Days: new(int32(30)), Locked: new(true)}, 30, "COMPLIANCE"},
		{"shop-none", s3types.DefaultRetention{}, v1alpha1.BucketRetention{}, 0, ""},
		{"shop-zero", s3types.DefaultRetention{}, v1alpha1.BucketRetention{Days: new(int32(0))}, 0, ""},
		{"shop-ends", s3types.DefaultRetention{Mode: "GOVERNANCE", Days: new(int32(30))}, v1alpha1.BucketRetention{Days: new(int32(0))}, 0, ""},
		{"shop-grows", s3types.DefaultRetention{Mode: "COMPLIANCE", Years: new(int32(1))}, v1alpha1.BucketRetention{Days: new(int32(400))}, 400, "COMPLIANCE"},
	} {
		req := awstest.BucketOf(tt.name, v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectLock: new(true)}})
		w.settleBucket(req)
		hold(tt.name, tt.there)
		before := len(w.Operations())
		req.Spec.Retention = &tt.spec
		w.settleBucket(req)
		rule := awstest.LockRule(t, w.S3, tt.name)
		if rule == nil || rule.DefaultEventHold == nil || *rule.DefaultEventHold.Days != 90 {
			t.Fatalf("%s: the hold is gone: %+v", tt.name, rule)
		}
		if days := awssdk.ToInt32(rule.Days); days != tt.days || rule.Mode != tt.mode {
			t.Errorf("%s: %d days in mode %q, want %d and %q", tt.name, days, rule.Mode, tt.days, tt.mode)
		}
		if same := tt.days == 0 && tt.there.Mode == ""; same && slices.Contains(w.Operations()[before:], "PutObjectLockConfiguration") {
			t.Errorf("%s: it is written for nothing", tt.name)
		}
	}
	req := awstest.BucketOf("shop-first", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectLock: new(true)}})
	hold(req.Name, s3types.DefaultRetention{})
	req.Spec.Retention = &v1alpha1.BucketRetention{Locked: new(true)}
	if seen := w.bucket(req); len(seen.Changes) > 0 {
		result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
		if rule := awstest.LockRule(t, w.S3, req.Name); rule.Mode != "" || rule.DefaultEventHold == nil {
			t.Errorf("a hold was locked: %+v (%v, %+v)", rule, err, result.Failed)
		}
	}
}

// What needs no call to be known is refused before one, and what S3 alone knows by its field, with advice first.
func TestRetentionThatIsRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	both := retains(7)
	both.Versioning = new(v1alpha1.VersioningSuspended)
	_, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-both", both))
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "set versioning to Enabled") || len(w.Operations()) > 0 {
		t.Errorf("both: %v after %v", err, w.Operations())
	}
	req := awstest.BucketOf("shop-plain", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = retains(7)
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "retention.days" || !strings.Contains(result.Failed[0].Err.Message, "set spec.versioning to Enabled; Amazon S3 says") {
		t.Errorf("without versions: %v, %+v", err, result.Failed)
	}
}

// A forced deletion deletes all but what Object Lock keeps, bypasses nothing, and says how much is kept and why.
func TestForcedDeletionLeavesWhatObjectLockKeeps(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-locked", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), Retention: &v1alpha1.BucketRetention{Days: new(int32(1))}})
	w.settleBucket(req)
	held := awstest.Do(t, w.S3.PutObject, &s3.PutObjectInput{Bucket: &req.Name, Key: new("held"), Body: strings.NewReader("x"), ObjectLockLegalHoldStatus: "ON"})
	awstest.Do(t, w.S3.PutObject, &s3.PutObjectInput{Bucket: &req.Name, Key: new("kept"), Body: strings.NewReader("x")})
	for _, key := range []string{"held", "kept"} { // leaves a marker, which nothing keeps
		awstest.Do(t, w.S3.DeleteObject, &s3.DeleteObjectInput{Bucket: &req.Name, Key: &key})
	}
	req.Deletion = &driver.Deletion{Force: true}
	x := drivertest.Buckets(w.Session)
	if result, err := x.Delete(t.Context(), req); err != nil || !result.Unfinished || result.Removed != 2 {
		t.Errorf("the markers: %+v, %v", result, err)
	}
	_, err := x.Delete(t.Context(), req)
	if driver.CodeOf(err) != driver.Protected || !strings.Contains(err.Error(), "2 object versions are kept by Object Lock") {
		t.Errorf("got %v, want Protected and 2 versions", err)
	}
	w.Clock.Advance(25 * time.Hour)
	if result, err := x.Delete(t.Context(), req); err != nil || !result.Unfinished || result.Removed != 1 {
		t.Errorf("once one may be deleted: %+v, %v", result, err)
	}
	_, err = x.Delete(t.Context(), req)
	if driver.CodeOf(err) != driver.Protected || !strings.Contains(err.Error(), "1 object version is kept") {
		t.Errorf("got %v, want Protected and 1 version", err)
	}
	awstest.Do(t, w.S3.PutObjectLegalHold, &s3.PutObjectLegalHoldInput{Bucket: &req.Name, Key: new("held"), VersionId: held.VersionId, LegalHold: &s3types.ObjectLockLegalHold{Status: "OFF"}})
	if _, err := x.Delete(t.Context(), req); err != nil {
		t.Errorf("once all may be deleted: %v", err)
	}
	if seen := w.bucket(req); seen.State != driver.Absent {
		t.Errorf("the bucket is %v", seen.State)
	}
}
