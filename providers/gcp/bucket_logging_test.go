package gcp_test

import (
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// Cloud Storage names the logs after the bucket where nobody chose another prefix, and that is no difference. `logging: {}` ends them.
func TestLogsWithoutAPrefix(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "logged")
	settle := func(want *storage.BucketLogging) {
		t.Helper()
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
			t.Fatal(err)
		}
		if obs, err = x.Observe(t.Context(), req); err != nil || len(obs.Changes) != 0 {
			t.Errorf("changes %v, %v", obs.Changes, err)
		}
		got := c.bucket(t, "logged").Logging
		if (got == nil) != (want == nil) || got != nil && (got.LogBucket != want.LogBucket || got.LogObjectPrefix != want.LogObjectPrefix) {
			t.Errorf("the bucket has %+v, want %+v", got, want)
		}
	}
	req.Spec.Logging = &v1alpha1.BucketLogging{Bucket: new("access-logs")}
	settle(&storage.BucketLogging{LogBucket: "access-logs", LogObjectPrefix: "logged"})
	req.Spec.Logging.Prefix = new("photos/")
	settle(&storage.BucketLogging{LogBucket: "access-logs", LogObjectPrefix: "photos/"})
	req.Spec.Logging = nil
	settle(&storage.BucketLogging{LogBucket: "access-logs", LogObjectPrefix: "photos/"})
	req.Spec.Logging = &v1alpha1.BucketLogging{}
	settle(nil)
}
