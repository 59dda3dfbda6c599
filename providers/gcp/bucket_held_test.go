package gcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// hold places holds on objects that fill made.
func (c *cloud) hold(t testing.TB, bucket string, hold *storage.Object, objects ...int) {
	t.Helper()
	for _, i := range objects {
		if _, err := c.storage.Objects.Patch(bucket, fmt.Sprintf("object-%04d", i), hold).Do(); err != nil {
			t.Fatal(err)
		}
	}
}

// A forced deletion releases holds of both kinds, also those that the bucket gives to each new object; any other leaves them.
func TestForcedDeletionReleasesHolds(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "held")
	c.fill(t, req.Name, 4)
	c.hold(t, req.Name, &storage.Object{TemporaryHold: true}, 0)
	c.hold(t, req.Name, &storage.Object{EventBasedHold: true}, 1)
	c.hold(t, req.Name, &storage.Object{EventBasedHold: true, TemporaryHold: true}, 2)
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.NotEmpty {
		t.Errorf("without force: %v, want NotEmpty", err)
	}
	if n := c.Ledger.Count(localcloud.Filter{Operation: "objects.patch"}); n != 3 {
		t.Errorf("without force %d holds were changed beside the 3 of the test", n-3)
	}
	req.Deletion = &driver.Deletion{Force: true}
	if _, err := x.Delete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if obs, err := x.Observe(t.Context(), req); err != nil || obs.State != driver.Absent {
		t.Errorf("got %v, %v, want Absent", obs.State, err)
	}
	if n := c.Ledger.Count(localcloud.Filter{Operation: "objects.patch"}); n != 6 {
		t.Errorf("%d calls released holds, want one for each of the 3 objects that had any", n-3)
	}
}

// Without the permission to release holds all else is deleted, and the message says how many objects are held, and what to do.
func TestHoldsThatMayNotBeReleased(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "held")
	c.fill(t, req.Name, 5)
	c.hold(t, req.Name, &storage.Object{TemporaryHold: true}, 1, 3)
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "objects.patch"}, Kind: localcloud.Denied})
	req.Deletion = &driver.Deletion{Force: true}
	if result, err := x.Delete(t.Context(), req); err != nil || !result.Unfinished || result.Removed != 3 {
		t.Fatalf("got %+v, %v, want 3 removed", result, err)
	}
	_, err := x.Delete(t.Context(), req)
	if driver.CodeOf(err) != driver.Denied || !strings.Contains(fmt.Sprint(err), ": 2 objects are under a hold") || !strings.Contains(fmt.Sprint(err), "storage.objects.update") {
		t.Errorf("got %v, want Denied, how many, and what to grant", err)
	}
	lift()
	if _, err := x.Delete(t.Context(), req); err != nil {
		t.Errorf("with the permission: %v", err)
	}
}

// What a retention policy keeps is left, all else is deleted, also behind many that are kept, and the message says until when.
func TestForcedDeletionWaitsForRetention(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "retained")
	c.fill(t, req.Name, 3)
	c.hold(t, req.Name, &storage.Object{EventBasedHold: true}, 2) // the time of its policy begins when that is released
	c.patchBucket(t, req.Name, &storage.Bucket{RetentionPolicy: &storage.BucketRetentionPolicy{RetentionPeriod: 10 * day}})
	c.clock.advance(9 * 24 * time.Hour)
	req.Deletion = &driver.Deletion{Force: true}
	until := c.clock.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	_, err := x.Delete(t.Context(), req)
	if driver.CodeOf(err) != driver.Protected || !strings.Contains(fmt.Sprint(err), "3 objects are") || !strings.Contains(fmt.Sprint(err), until) {
		t.Errorf("got %v, want Protected, 3 objects, and %s", err, until)
	}
	c.clock.advance(24 * time.Hour)
	if result, err := x.Delete(t.Context(), req); err != nil || !result.Unfinished || result.Removed != 2 {
		t.Errorf("once two may be deleted: %+v, %v", result, err)
	}
	until = c.clock.Now().Add(9 * 24 * time.Hour).UTC().Format(time.RFC3339)
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Protected || !strings.Contains(fmt.Sprint(err), "1 object is") || !strings.Contains(fmt.Sprint(err), until) {
		t.Errorf("got %v, want Protected, 1 object, and %s", err, until)
	}
	c.clock.advance(9 * 24 * time.Hour)
	if _, err := x.Delete(t.Context(), req); err != nil {
		t.Errorf("once all may be deleted: %v", err)
	}
}

// Objects that can't be deleted do not hide those behind them.
func TestForcedDeletionLooksPastWhatIsKept(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "many")
	c.patchBucket(t, req.Name, &storage.Bucket{RetentionPolicy: &storage.BucketRetentionPolicy{RetentionPeriod: 10 * day}})
	if _, err := c.storage.Objects.Insert(req.Name, &storage.Object{Name: "z-old"}).Media(strings.NewReader("content")).Do(); err != nil {
		t.Fatal(err)
	}
	c.clock.advance(9 * 24 * time.Hour)
	for i := range 510 {
		if _, err := c.storage.Objects.Insert(req.Name, &storage.Object{Name: fmt.Sprintf("new-%03d", i)}).Media(strings.NewReader("content")).Do(); err != nil {
			t.Fatal(err)
		}
	}
	c.clock.advance(24 * time.Hour)
	req.Deletion = &driver.Deletion{Force: true}
	if result, err := x.Delete(t.Context(), req); err != nil || result.Removed != 1 || !result.Unfinished {
		t.Errorf("got %+v, %v, want the one behind the others removed", result, err)
	}
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Protected || !strings.Contains(fmt.Sprint(err), "510 objects are") {
		t.Errorf("got %v, want Protected and 510 objects", err)
	}
}

// Held objects whose holds Mooring may not release do not hide those behind them, and one call tells that it may not.
func TestForcedDeletionLooksPastHolds(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "holds")
	c.patchBucket(t, req.Name, &storage.Bucket{DefaultEventBasedHold: true})
	for i := range 510 {
		if _, err := c.storage.Objects.Insert(req.Name, &storage.Object{Name: fmt.Sprintf("held-%03d", i)}).Media(strings.NewReader("content")).Do(); err != nil {
			t.Fatal(err)
		}
	}
	c.patchBucket(t, req.Name, &storage.Bucket{DefaultEventBasedHold: false, ForceSendFields: []string{"DefaultEventBasedHold"}})
	if _, err := c.storage.Objects.Insert(req.Name, &storage.Object{Name: "z-free"}).Media(strings.NewReader("content")).Do(); err != nil {
		t.Fatal(err)
	}
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "objects.patch"}, Kind: localcloud.Denied})
	req.Deletion = &driver.Deletion{Force: true}
	if result, err := x.Delete(t.Context(), req); err != nil || result.Removed != 1 || !result.Unfinished {
		t.Errorf("got %+v, %v, want the one behind the others removed", result, err)
	}
	c.forget()
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Denied || !strings.Contains(fmt.Sprint(err), "510 objects are under a hold") {
		t.Errorf("got %v, want Denied and 510 objects", err)
	}
	if n := c.Ledger.Count(localcloud.Filter{Operation: "objects.patch"}); n != 1 {
		t.Errorf("%d calls tried to release holds, want 1", n)
	}
}
