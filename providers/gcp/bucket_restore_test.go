package gcp_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A bucket that somebody deleted and restored is the same one, with its mark. It can be restored only while nobody has its name, and only for as
// long as soft delete keeps it: that is why none is made in its place.
func TestRestoredBucketIsTheSame(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "restored")
	before, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	generation := c.bucket(t, req.Name).Generation
	drop := func() {
		t.Helper()
		if err := c.storage.Buckets.Delete(req.Name).Do(); err != nil {
			t.Fatal(err)
		}
	}
	restored := func() int {
		_, err := c.storage.Buckets.Restore(req.Name, generation).Do()
		if refusal, ok := errors.AsType[*googleapi.Error](err); ok {
			return refusal.Code
		}
		return http.StatusOK
	}
	drop()
	if obs, err := x.Observe(t.Context(), req); err != nil || obs.State != driver.Absent {
		t.Fatalf("got %v, %v, want Absent", obs.State, err)
	}
	c.clock.advance(7*24*time.Hour - time.Minute)
	if code := restored(); code != http.StatusOK {
		t.Fatalf("restoring it: %d", code)
	}
	after, err := x.Observe(t.Context(), req)
	if err != nil || after.State != driver.Ready || after.ID != before.ID || after.Mark != req.Mark {
		t.Errorf("restored it is %v, id %q, mark %+v, %v; want what it was: %q", after.State, after.ID, after.Mark, err, before.ID)
	}
	drop()
	if _, err := x.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if code := restored(); code != http.StatusConflict {
		t.Errorf("restoring it beside a new one: %d", code)
	}
	drop()
	c.clock.advance(7 * 24 * time.Hour)
	if code := restored(); code != http.StatusNotFound {
		t.Errorf("restoring it too late: %d", code)
	}
}
