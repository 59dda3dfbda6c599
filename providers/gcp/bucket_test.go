package gcp_test

import (
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type bucketRequest = table.Request[v1alpha1.BucketParameters]

func (c *cloud) madeBucket(t testing.TB, name string) (table.External[v1alpha1.BucketParameters], bucketRequest) {
	t.Helper()
	x := drivertest.Buckets(c.open(t))
	req := bucketRequest{
		Request: driver.Request{
			Name:     name,
			Location: location,
			Mark:     driver.Mark{Cluster: "c", Namespace: "shop", Name: name, UID: "u"},
		},
		Spec: v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}},
	}
	if _, err := x.Create(t.Context(), req); err != nil {
		t.Fatalf("Create: %v", err)
	}
	return x, req
}

func TestNewBucketsAreClosed(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	c.madeBucket(t, "closed")
	iam := c.bucket(t, "closed").IamConfiguration
	if iam.PublicAccessPrevention != "enforced" || !iam.UniformBucketLevelAccess.Enabled {
		t.Errorf("got %+v", iam)
	}
}

func TestLostRaceOfLabels(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "raced")
	req.Spec.Tags["team"] = "pay"
	obs, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "buckets.get", Resource: req.Name}, Kind: localcloud.Latency, Times: 1,
		Hook: func(localcloud.Call) {
			c.patchBucket(t, req.Name, &storage.Bucket{Labels: map[string]string{"owner": "them"}})
		},
	})
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); driver.CodeOf(err) != driver.Busy {
		t.Errorf("got %v, want Busy", err)
	}
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
		t.Errorf("the next Update: %v", err)
	}
	if labels := c.bucket(t, req.Name).Labels; labels["owner"] != "them" || labels["team"] != "pay" {
		t.Errorf("labels are %v", labels)
	}
}

// One bad value must not hold up the others.
func TestRefusedValueIsAlone(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "refused")
	req.Spec.Tags["team"] = "pay"
	req.Spec.Encryption = &v1alpha1.Encryption{Key: new("no-such-key")}
	obs, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "encryption.key" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("got %v, Failed %v, want encryption.key alone, Invalid", err, result.Failed)
	}
	if got := c.bucket(t, req.Name).Labels["team"]; got != "pay" {
		t.Errorf("the label is %q", got)
	}
}

// A forced deletion goes by parts, and takes old versions too.
func TestForcedDeletionIsBounded(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "full")
	c.patchBucket(t, req.Name, &storage.Bucket{Versioning: &storage.BucketVersioning{Enabled: true}})
	c.fill(t, req.Name, 600)
	req.Deletion = &driver.Deletion{Force: true}
	for calls := 1; ; calls++ {
		c.forget()
		if _, err := x.Delete(t.Context(), req); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		if deleted := c.Ledger.Count(localcloud.Filter{Operation: "objects.delete"}); deleted > 500 {
			t.Errorf("one call deleted %d objects", deleted)
		}
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if obs.State == driver.Absent {
			if calls != 2 {
				t.Errorf("it took %d calls, want 2", calls)
			}
			return
		}
	}
}

// Cloud Storage has one reason for a bucket that is not empty and for one that somebody changes meanwhile.
func TestConflictOfDeletionIsNotEmptyOnlyIfItIsNot(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "busy")
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.delete"}, Kind: localcloud.Conflict, Times: 1})
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Busy {
		t.Errorf("got %v, want Busy", err)
	}
	if _, err := x.Delete(t.Context(), req); err != nil {
		t.Errorf("the next Delete: %v", err)
	}
}
