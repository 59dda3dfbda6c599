package gcp_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func (c *cloud) folder(t testing.TB, bucket, name string) {
	t.Helper()
	if _, err := c.storage.ManagedFolders.Insert(bucket, &storage.ManagedFolder{Name: name}).Do(); err != nil {
		t.Fatal(err)
	}
}

// A bucket with managed folders lists no objects, and yet Cloud Storage does not delete it.
func TestManagedFoldersKeepABucket(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "foldered")
	c.folder(t, req.Name, "reports/")
	_, err := x.Delete(t.Context(), req)
	if driver.CodeOf(err) != driver.NotEmpty || !strings.Contains(fmt.Sprint(err), "managed folders") || !strings.Contains(fmt.Sprint(err), "spec.forceDestroy") {
		t.Fatalf("got %v, want NotEmpty, told why and what to do", err)
	}
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "managedFolders.list"}, Kind: localcloud.Denied})
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Denied || !strings.Contains(fmt.Sprint(err), "storage.managedFolders.list") {
		t.Errorf("without the permission got %v, want Denied that names it", err)
	}
	lift()
	if got := len(c.folders(t, req.Name)); got != 1 {
		t.Errorf("%d managed folders are left, want the one", got)
	}
}

func (c *cloud) folders(t testing.TB, bucket string) []*storage.ManagedFolder {
	t.Helper()
	page, err := c.storage.ManagedFolders.List(bucket).Do()
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// A forced deletion takes managed folders too, after the objects, in parts.
func TestForcedDeletionTakesManagedFolders(t *testing.T) {
	for _, objects := range []int{0, 3} {
		c := newCloud(t, localcloud.Durations{})
		x, req := c.madeBucket(t, "foldered")
		if objects > 0 {
			c.fill(t, req.Name, objects)
		}
		for i := range 520 {
			c.folder(t, req.Name, fmt.Sprintf("team-%03d/%s", i/2, strings.Repeat("inner/", i%2)))
		}
		req.Deletion = &driver.Deletion{Force: true}
		calls := 0
		for ; calls < 5; calls++ {
			c.forget()
			result, err := x.Delete(t.Context(), req)
			if err != nil {
				t.Fatalf("%d objects: Delete: %v", objects, err)
			}
			if deleted := c.Ledger.Count(localcloud.Filter{Operation: "managedFolders.delete"}); deleted > 500 {
				t.Errorf("one call deleted %d managed folders", deleted)
			}
			obs, err := x.Observe(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if obs.State == driver.Absent {
				break
			}
			if !result.Unfinished {
				t.Errorf("%d objects: the bucket is there, and Delete does not say that it is to be called again", objects)
			}
		}
		if want := 1 + min(objects, 1); calls != want {
			t.Errorf("%d objects: it took %d calls before the last, want %d", objects, calls, want)
		}
	}
}

// What has no managed folders costs no call for them.
func TestOrdinaryDeletionsLookForNoManagedFolders(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for objects, name := range []string{"empty", "with-an-object"} {
		x, req := c.madeBucket(t, name)
		if objects > 0 {
			c.fill(t, req.Name, objects)
		}
		req.Deletion = &driver.Deletion{Force: true}
		if _, err := x.Delete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Ledger.Count(localcloud.Filter{Operation: "managedFolders.list"}); n > 0 {
		t.Errorf("%d calls", n)
	}
}

// A bucket without uniform access can't have managed folders, and Cloud Storage refuses to list them.
func TestBusyBucketWithoutUniformAccess(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "fine-grained")
	c.patchBucket(t, req.Name, &storage.Bucket{IamConfiguration: &storage.BucketIamConfiguration{
		UniformBucketLevelAccess: &storage.BucketIamConfigurationUniformBucketLevelAccess{ForceSendFields: []string{"Enabled"}}}})
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.delete"}, Kind: localcloud.Conflict, Times: 1})
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Busy {
		t.Errorf("got %v, want Busy", err)
	}
}
