package gcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A bucket may be made without uniform access, and it can be switched off for 90 days. Then the change is Impossible, and no call is made.
func TestUniformAccessIsLockedAfterAWhile(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "uniform")
	req.Spec.GCP = &v1alpha1.BucketGCP{UniformAccess: new(false)}
	effect := func() (driver.Effect, string) {
		t.Helper()
		obs, err := x.Observe(t.Context(), req)
		if err != nil || len(obs.Changes) != 1 {
			t.Fatalf("got %v, changes %v, want one", err, obs.Changes)
		}
		return obs.Changes[0].Effect, obs.Changes[0].Why
	}
	c.clock.advance(90*24*time.Hour - time.Minute)
	if got, why := effect(); got != driver.Online || !strings.Contains(why, "ACLs count again") {
		t.Errorf("within 90 days it is %s: %s", got, why)
	}
	c.clock.advance(time.Minute)
	if got, why := effect(); got != driver.Impossible || !strings.Contains(why, "can't be switched off since then") || !strings.Contains(why, "create another Bucket") {
		t.Errorf("after 90 days it is %s: %s", got, why)
	}
}

func TestBucketsMadeWithoutUniformAccess(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "first")
	req.Name, req.Spec.GCP = "fine-grained", &v1alpha1.BucketGCP{UniformAccess: new(false)}
	if _, err := x.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if iam := c.bucket(t, req.Name).IamConfiguration; iam.UniformBucketLevelAccess.Enabled || iam.PublicAccessPrevention != "enforced" {
		t.Errorf("got %+v, want no uniform access, and no public access all the same", iam)
	}
	obs, err := x.Observe(t.Context(), req)
	if err != nil || len(obs.Changes) > 0 {
		t.Errorf("got %v, changes %v, want none", err, obs.Changes)
	}
}
