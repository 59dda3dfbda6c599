package gcp_test

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The update that follows an observation does not read the instance again: its patch carries the settingsVersion. If somebody else changed the instance since,
// the cloud refuses that, and what is there by then is patched.
func TestAnEditOfAnInstanceIsReadOnce(t *testing.T) {
	for _, test := range []struct {
		name    string
		between *sqladmin.Settings
		reads   int
	}{
		{name: "nobody else"},
		{name: "somebody else changed it", between: &sqladmin.Settings{UserLabels: map[string]string{"other": "yes"}}, reads: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("edited", v1alpha1.EnginePostgres)
			x := c.made(t, &req)
			req.Spec.DeletionProtection = new(true)
			seen, err := x.Observe(t.Context(), req)
			if err != nil || len(seen.Changes) != 1 || seen.Read == "" {
				t.Fatalf("%v: %+v, read %q", err, seen.Changes, seen.Read)
			}
			if test.between != nil {
				c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: test.between})
			}
			before := c.Ledger.Count(localcloud.Filter{Operation: "instances.get"})
			req.Read = seen.Read
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
			if err != nil || len(result.Failed) > 0 {
				t.Fatalf("%v, %+v", err, result.Failed)
			}
			if reads := c.Ledger.Count(localcloud.Filter{Operation: "instances.get"}) - before; reads != test.reads {
				t.Errorf("%d reads for the update, want %d", reads, test.reads)
			}
			c.settle(t)
			in := c.instance(t, req.Name)
			if !in.Settings.DeletionProtectionEnabled || test.between != nil && in.Settings.UserLabels["other"] != "yes" {
				t.Errorf("the instance has %+v", in.Settings)
			}
		})
	}
}

// The same for a bucket, whose patch carries the metageneration. IAM policies are documents that others share: they are read again.
func TestAnEditOfABucketIsReadOnce(t *testing.T) {
	for _, test := range []struct {
		name    string
		edit    func(*v1alpha1.BucketParameters)
		between func(*cloud, string)
		reads   map[string]int
	}{
		{name: "nobody else", edit: func(s *v1alpha1.BucketParameters) { s.Tags["team"] = "other" },
			reads: map[string]int{"buckets.get": 0}},
		{name: "somebody else changed it", edit: func(s *v1alpha1.BucketParameters) { s.Tags["team"] = "other" },
			between: func(c *cloud, name string) {
				c.patchBucket(t, name, &storage.Bucket{Versioning: &storage.BucketVersioning{Enabled: true}})
			},
			reads: map[string]int{"buckets.get": 1}},
		{name: "a policy", edit: func(s *v1alpha1.BucketParameters) {
			s.GCP = &v1alpha1.BucketGCP{IAMBindings: []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"user:a@example.com"}}}}
		}, reads: map[string]int{"buckets.get": 0, "buckets.getIamPolicy": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			x, req := c.madeBucket(t, "edited")
			test.edit(&req.Spec)
			seen, err := x.Observe(t.Context(), req)
			if err != nil || len(seen.Changes) != 1 {
				t.Fatalf("%v: %+v", err, seen.Changes)
			}
			if test.between != nil {
				test.between(c, req.Name)
			}
			count := func(operation string) int { return c.Ledger.Count(localcloud.Filter{Operation: operation}) }
			before := map[string]int{}
			for operation := range test.reads {
				before[operation] = count(operation)
			}
			req.Read = seen.Read
			if result, err := x.Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil || len(result.Failed) > 0 {
				t.Fatalf("%v, %+v", err, result.Failed)
			}
			for operation, want := range test.reads {
				if got := count(operation) - before[operation]; got != want {
					t.Errorf("%d calls of %s for the update, want %d", got, operation, want)
				}
			}
			if seen, err := x.Observe(t.Context(), req); err != nil || len(driver.Names(seen.Changes)) > 0 {
				t.Errorf("it differs: %+v, %v", seen.Changes, err)
			}
		})
	}
}
