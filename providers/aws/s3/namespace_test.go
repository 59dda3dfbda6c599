package s3_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A name of the account's own namespace is created in that, and one of another account's or region's is refused before any call. What exists is observed whatever its name.
func TestAccountRegionalNames(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	own := "shop-photos-" + awstest.Account + "-" + awstest.Region + "-an"
	if _, err := w.S3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &own}); err == nil {
		t.Fatal("S3 creates it without the header")
	}
	cloud := aws.New(aws.Options{}).Describe()
	described, _ := cloud.Resource("Bucket")
	if scope := described.Name.Scope; described.Name.Refuses(own) != nil || "shop-photos"+scope.In(awstest.Account, awstest.Region) != own {
		t.Errorf("Mooring does not make such names: %+v", scope)
	}
	req := awstest.BucketOf(own, v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	for _, name := range []string{"shop-photos-999999999999-" + awstest.Region + "-an", "shop-photos-" + awstest.Account + "-us-east-1-an"} {
		before := len(w.Operations())
		_, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf(name, v1alpha1.BucketParameters{}))
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "end the name with -"+awstest.Account+"-"+awstest.Region+"-an") {
			t.Errorf("%s: %v", name, err)
		}
		if made := w.Operations()[before:]; len(made) > 0 {
			t.Errorf("%s: %v", name, made)
		}
	}
}
