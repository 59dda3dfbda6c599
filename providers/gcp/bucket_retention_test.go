package gcp_test

import (
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// lockBucket is how somebody else locks the retention of a bucket.
func (c *cloud) lockBucket(t testing.TB, name string) {
	t.Helper()
	if _, err := c.storage.Buckets.LockRetentionPolicy(name, c.bucket(t, name).Metageneration).Do(); err != nil {
		t.Fatal(err)
	}
}

// A retention and its lock come with the creation, in two calls. A locked period grows, and nothing else: that is refused by its field without a call.
func TestRetentionIsLocked(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "other")
	req.Name, req.Spec.Retention = "locked", &v1alpha1.BucketRetention{Days: new(int32(7)), Locked: new(true)}
	if _, err := x.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if policy := c.bucket(t, "locked").RetentionPolicy; policy == nil || policy.RetentionPeriod != 7*day || !policy.IsLocked {
		t.Errorf("the bucket has %+v", policy)
	}
	changes := func() []driver.Change {
		seen, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return seen.Changes
	}
	req.Spec.Retention.Days = new(int32(30))
	grows := changes()
	if len(grows) != 1 || grows[0].Effect != driver.Irreversible {
		t.Errorf("grows: %+v", grows)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: grows}); err != nil || len(result.Failed) > 0 {
		t.Errorf("grows: %v, %+v", err, result.Failed)
	}
	before := c.Ledger.Count(localcloud.Filter{Operation: "buckets.patch"})
	for text, less := range map[string]*v1alpha1.BucketRetention{
		"shorter": {Days: new(int32(29)), Locked: new(true)}, "unlocked": {Days: new(int32(30)), Locked: new(false)}, "none": {},
	} {
		req.Spec.Retention = less
		refused := changes()
		for _, change := range refused {
			if change.Effect != driver.Impossible {
				t.Errorf("%s: %+v", text, change)
			}
		}
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: refused})
		if err != nil || len(refused) == 0 || len(result.Failed) != len(refused) || !strings.Contains(result.Failed[0].Err.Message, "create another Bucket") {
			t.Errorf("%s: %v, %+v", text, err, result.Failed)
		}
	}
	if n := c.Ledger.Count(localcloud.Filter{Operation: "buckets.patch"}); n != before {
		t.Errorf("%d calls asked the cloud", n-before)
	}
}

// An update locks after it changed what else there is, at the metageneration that this left.
func TestRetentionIsSetAndLocked(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "later")
	for _, spec := range []v1alpha1.BucketRetention{{Days: new(int32(7)), Locked: new(false)}, {Days: new(int32(8)), Locked: new(true)}} {
		req.Spec.Retention = &spec
		seen, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := x.Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil || len(result.Failed) > 0 {
			t.Fatalf("%v, %+v", err, result.Failed)
		}
		if seen, err := x.Observe(t.Context(), req); err != nil || len(seen.Changes) > 0 {
			t.Errorf("it differs: %+v, %v", seen.Changes, err)
		}
	}
	if policy := c.bucket(t, "later").RetentionPolicy; policy == nil || policy.RetentionPeriod != 8*day || !policy.IsLocked {
		t.Errorf("the bucket has %+v", policy)
	}
}

// Cloud Storage has either versions or a retention: both in a spec are refused before a call, and one beside the other in the bucket by its field.
func TestRetentionExcludesVersioning(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "versions")
	c.patchBucket(t, req.Name, &storage.Bucket{Versioning: &storage.BucketVersioning{Enabled: true}})
	before := c.Ledger.Count(localcloud.Filter{})
	both := req
	both.Name = "both"
	both.Spec = v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), Retention: &v1alpha1.BucketRetention{Days: new(int32(7))}}
	if _, err := x.Create(t.Context(), both); driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "either retention or versioning") {
		t.Errorf("both: %v", err)
	}
	if n := c.Ledger.Count(localcloud.Filter{}); n != before {
		t.Errorf("%d calls asked the cloud", n-before)
	}
	req.Spec.Retention = &v1alpha1.BucketRetention{Days: new(int32(7))}
	seen, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "retention.days" || !strings.Contains(result.Failed[0].Err.Message, "set spec.versioning to Suspended") {
		t.Errorf("beside versions: %v, %+v", err, result.Failed)
	}
}
