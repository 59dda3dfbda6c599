package s3_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A change of one document keeps the other one, and the routing rules, which are not in the spec. `website: {}` ends all.
func TestBucketWebsiteKeepsWhatIsNotInTheSpec(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-site", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("index.html")}})
	w.settleBucket(req)
	awstest.Do(t, w.S3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &req.Name, WebsiteConfiguration: &s3types.WebsiteConfiguration{
		IndexDocument: &s3types.IndexDocument{Suffix: new("index.html")}, ErrorDocument: &s3types.ErrorDocument{Key: new("theirs.html")},
		RoutingRules: []s3types.RoutingRule{{Redirect: &s3types.Redirect{ReplaceKeyWith: new("home.html")}}},
	}})
	req.Spec.Website.IndexDocument = new("home.html")
	w.settleBucket(req)
	site := awstest.Do(t, w.S3.GetBucketWebsite, &s3.GetBucketWebsiteInput{Bucket: &req.Name})
	if *site.IndexDocument.Suffix != "home.html" || site.ErrorDocument == nil || *site.ErrorDocument.Key != "theirs.html" || len(site.RoutingRules) != 1 {
		t.Errorf("the bucket has %+v", site)
	}
	req.Spec.Website = &v1alpha1.BucketWebsite{}
	w.settleBucket(req)
	if _, err := w.S3.GetBucketWebsite(t.Context(), &s3.GetBucketWebsiteInput{Bucket: &req.Name}); err == nil {
		t.Error("there still is a web site")
	}
}

// A bucket that redirects all requests differs from a web site and from none, and its mirror shows where to and no document.
func TestBucketWebsiteThatRedirects(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	for name, site := range map[string]*v1alpha1.BucketWebsite{"shop-none": {}, "shop-some": {IndexDocument: new("index.html")}} {
		req := awstest.BucketOf(name, v1alpha1.BucketParameters{Website: site})
		w.settleBucket(req)
		awstest.Do(t, w.S3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &req.Name, WebsiteConfiguration: &s3types.WebsiteConfiguration{
			RedirectAllRequestsTo: &s3types.RedirectAllRequestsTo{HostName: new("a.example.com")}}})
		seen := w.bucket(req)
		if len(seen.Changes) != 1 || seen.Changes[0].From != "(all requests are redirected to a.example.com)" {
			t.Errorf("%s: changes %+v", name, seen.Changes)
		}
		if mirror := string(seen.Mirror); mirror != `{"location":"eu-central-1","website":{"redirectAllRequestsTo":"a.example.com"}}` {
			t.Errorf("%s: the mirror shows %s", name, mirror)
		}
		w.settleBucket(req)
	}
}

// A redirect replaces the documents, an index replaces the redirect, and both at once are refused by their fields, before any call.
func TestBucketWebsiteRedirectsAll(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-moved", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("index.html"), ErrorDocument: new("error.html")}})
	w.settleBucket(req)
	for _, to := range []string{"https://a.example.com", "b.example.com"} {
		req.Spec.Website = &v1alpha1.BucketWebsite{RedirectAllRequestsTo: &to}
		seen := w.settleBucket(req)
		site := awstest.Do(t, w.S3.GetBucketWebsite, &s3.GetBucketWebsiteInput{Bucket: &req.Name})
		if got := site.RedirectAllRequestsTo; site.IndexDocument != nil || site.ErrorDocument != nil || !strings.HasSuffix(to, *got.HostName) || (got.Protocol == "https") != strings.HasPrefix(to, "https://") {
			t.Errorf("%s: the bucket has %+v", to, got)
		}
		if want := `{"location":"eu-central-1","website":{"redirectAllRequestsTo":"` + to + `"}}`; string(seen.Mirror) != want {
			t.Errorf("the mirror shows %s, want %s", seen.Mirror, want)
		}
	}
	req.Spec.Website.IndexDocument = new("index.html")
	w.Ledger.Reset()
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "website.indexDocument"}, {Field: "website.redirectAllRequestsTo"}}})
	if err != nil || len(result.Failed) != 2 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || w.Writes() != 0 {
		t.Errorf("%v, failed %v, %d writes; want both, Invalid, and no write", err, result.Failed, w.Writes())
	}
	for _, one := range []string{"website.indexDocument", "website.redirectAllRequestsTo"} { // or each would end the other, in turns
		if result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: one}}}); err != nil || len(result.Failed) != 1 || w.Writes() != 0 {
			t.Errorf("%s alone: %v, failed %v, %d writes; want it refused, and no write", one, err, result.Failed, w.Writes())
		}
	}
	req.Spec.Website.RedirectAllRequestsTo = nil
	w.settleBucket(req)
	if site := awstest.Do(t, w.S3.GetBucketWebsite, &s3.GetBucketWebsiteInput{Bucket: &req.Name}); site.RedirectAllRequestsTo != nil || *site.IndexDocument.Suffix != "index.html" {
		t.Errorf("the bucket has %+v", site)
	}
	req.Spec.Website = &v1alpha1.BucketWebsite{}
	w.settleBucket(req)
}

// A class may give the documents and the object the redirect: the rules of the CRD do not see that, and admission asks the driver.
func TestBucketDraftWithDocumentsAndRedirect(t *testing.T) {
	spec := v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("index.html"), RedirectAllRequestsTo: new("a.example.com")}}
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	refusals, err := aws.New(aws.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: awstest.Region})
	if err != nil || len(refusals) != 1 || len(refusals[0].Fields) != 2 || refusals[0].Fields[0] != "website.redirectAllRequestsTo" {
		t.Errorf("refusals %+v, %v", refusals, err)
	}
}
