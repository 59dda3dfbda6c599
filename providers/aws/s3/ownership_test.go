package s3_test

import (
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

// owned is a bucket whose objects have owners as said.
func owned(name, by string) request {
	return awstest.BucketOf(name, v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectOwnership: &by}})
}

// A bucket without ownership controls leaves each object to its writer.
func TestBucketWithoutOwnershipControls(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := owned("shop-owners", "ObjectWriter")
	w.settleBucket(req)
	awstest.Do(t, w.S3.DeleteBucketOwnershipControls, &s3.DeleteBucketOwnershipControlsInput{Bucket: &req.Name})
	if seen := w.bucket(req); len(seen.Changes) != 0 {
		t.Errorf("changes %v, want none", seen.Changes)
	}
	*req.Spec.AWS.ObjectOwnership = "BucketOwnerEnforced"
	if seen := w.bucket(req); len(seen.Changes) != 1 || seen.Changes[0].From != "ObjectWriter" || seen.Changes[0].Effect != driver.Interrupts {
		t.Errorf("changes %+v, want one from ObjectWriter that interrupts", seen.Changes)
	}
	w.settleBucket(req)
	*req.Spec.AWS.ObjectOwnership = "ObjectWriter"
	if seen := w.bucket(req); len(seen.Changes) != 1 || !strings.Contains(seen.Changes[0].Why, "ACLs count again") {
		t.Errorf("changes %+v, want one that says that ACLs count again", seen.Changes)
	}
}

// S3 does not switch access control lists off while the bucket's own gives something to others. The refusal says what to do, and other
// changes are made.
func TestBucketOwnershipIsRefusedForItsACL(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := owned("shop-lists", "BucketOwnerPreferred")
	w.settleBucket(req)
	awstest.Do(t, w.S3.PutBucketAcl, &s3.PutBucketAclInput{Bucket: &req.Name, ACL: s3types.BucketCannedACLAuthenticatedRead})
	*req.Spec.AWS.ObjectOwnership = "BucketOwnerEnforced"
	req.Spec.Versioning = new(v1alpha1.VersioningEnabled)
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.objectOwnership" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Fatalf("update: %v, failed %v; want aws.objectOwnership alone, Invalid", err, result.Failed)
	}
	if message := result.Failed[0].Err.Error(); !strings.Contains(message, "reset that ACL to private") {
		t.Errorf("the refusal says %q, and not what to do", message)
	}
	if got := awstest.Do(t, w.S3.GetBucketVersioning, &s3.GetBucketVersioningInput{Bucket: &req.Name}).Status; got != s3types.BucketVersioningStatusEnabled {
		t.Errorf("versioning is %q", got)
	}
}

// A spec that says nothing of owners leaves the safe setting that S3 gives a new bucket, and reads nothing.
func TestBucketOwnershipUnset(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-default", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	out := awstest.Do(t, w.S3.GetBucketOwnershipControls, &s3.GetBucketOwnershipControlsInput{Bucket: &req.Name})
	if got := out.OwnershipControls.Rules[0].ObjectOwnership; got != s3types.ObjectOwnershipBucketOwnerEnforced {
		t.Errorf("the bucket has %q", got)
	}
}
