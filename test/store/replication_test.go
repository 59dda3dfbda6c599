package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/store"
)

// A store lacks role and rules together, and says so of both. All else of the bucket is set.
func TestReplicationInAStore(t *testing.T) {
	w := newAltered(t, store.Options{})
	req := asked("photos", v1alpha1.BucketParameters{
		Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "shop"},
		AWS: &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{
			Role: new("arn:aws:iam::111111111111:role/shop-replication"), Rules: []v1alpha1.ReplicationRuleAWS{{Name: "all", Priority: new(int32(1)), Bucket: "shop-copies"}},
		}},
	})
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		seen, err := w.buckets.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		result, err := w.buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
		if err != nil {
			t.Fatal(err)
		}
		var lacked []string
		for _, failed := range append(seen.Unreadable, result.Failed...) {
			if driver.CodeOf(failed.Err) != driver.Unsupported {
				t.Errorf("%s: %v", failed.Field, failed.Err)
			}
			lacked = append(lacked, failed.Field)
		}
		slices.Sort(lacked)
		if diff := cmp.Diff([]string{"aws.replication.role", "aws.replication.rules"}, lacked); diff != "" {
			t.Errorf("lacked (-want +got):\n%s", diff)
		}
	}
}
