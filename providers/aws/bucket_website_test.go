package aws_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A change of one document keeps the other one, and the routing rules, which are not in the spec. `website: {}` ends all.
func TestBucketWebsiteKeepsWhatIsNotInTheSpec(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := bucketOf("shop-site", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("index.html")}})
	w.settleBucket(req)
	do(t, w.s3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &req.Name, WebsiteConfiguration: &s3types.WebsiteConfiguration{
		IndexDocument: &s3types.IndexDocument{Suffix: new("index.html")}, ErrorDocument: &s3types.ErrorDocument{Key: new("theirs.html")},
		RoutingRules: []s3types.RoutingRule{{Redirect: &s3types.Redirect{ReplaceKeyWith: new("home.html")}}},
	}})
	req.Spec.Website.IndexDocument = new("home.html")
	w.settleBucket(req)
	site := do(t, w.s3.GetBucketWebsite, &s3.GetBucketWebsiteInput{Bucket: &req.Name})
	if *site.IndexDocument.Suffix != "home.html" || site.ErrorDocument == nil || *site.ErrorDocument.Key != "theirs.html" || len(site.RoutingRules) != 1 {
		t.Errorf("the bucket has %+v", site)
	}
	req.Spec.Website = &v1alpha1.BucketWebsite{}
	w.settleBucket(req)
	if _, err := w.s3.GetBucketWebsite(t.Context(), &s3.GetBucketWebsiteInput{Bucket: &req.Name}); err == nil {
		t.Error("there still is a web site")
	}
}

// A bucket that redirects all requests differs from a web site and from none, and its mirror shows no document.
func TestBucketWebsiteThatRedirects(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	for name, site := range map[string]*v1alpha1.BucketWebsite{"shop-none": {}, "shop-some": {IndexDocument: new("index.html")}} {
		req := bucketOf(name, v1alpha1.BucketParameters{Website: site})
		w.settleBucket(req)
		do(t, w.s3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &req.Name, WebsiteConfiguration: &s3types.WebsiteConfiguration{
			RedirectAllRequestsTo: &s3types.RedirectAllRequestsTo{HostName: new("a.example.com")}}})
		seen := w.bucket(req)
		if len(seen.Changes) != 1 || seen.Changes[0].From != "(all requests are redirected to a.example.com)" {
			t.Errorf("%s: changes %+v", name, seen.Changes)
		}
		if mirror := string(seen.Mirror); mirror != `{"location":"eu-central-1"}` {
			t.Errorf("%s: the mirror shows %s", name, mirror)
		}
		w.settleBucket(req)
	}
}
