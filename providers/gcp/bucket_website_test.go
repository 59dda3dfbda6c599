package gcp_test

import (
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A bucket of Cloud Storage can have an error document and no index. `website: {}` ends that, too.
func TestNoWebsiteEndsALoneErrorDocument(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "lone")
	c.patchBucket(t, "lone", &storage.Bucket{Website: &storage.BucketWebsite{NotFoundPage: "lost.html"}})
	req.Spec.Website = &v1alpha1.BucketWebsite{}
	for range 2 {
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
			t.Fatal(err)
		}
	}
	if site := c.bucket(t, "lone").Website; site != nil {
		t.Errorf("the bucket still has %+v", site)
	}
}
