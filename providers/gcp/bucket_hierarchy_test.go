package gcp_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// madeTree makes a bucket with a hierarchical namespace.
func (c *cloud) madeTree(t testing.TB, name string) (table.External[v1alpha1.BucketParameters], bucketRequest) {
	t.Helper()
	x, req := c.madeBucket(t, name+"-flat")
	req.Name, req.Spec.GCP = name, &v1alpha1.BucketGCP{HierarchicalNamespace: new(true)}
	if _, err := x.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	return x, req
}

// A forced deletion takes the folders of a hierarchical namespace, too: uploads make them, they stay when the objects go, and only empty ones can be deleted.
func TestForcedDeletionTakesFolders(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeTree(t, "tree")
	for _, name := range []string{"a/b/c/one", "a/b/two", "d/three"} {
		if _, err := c.storage.Objects.Insert(req.Name, &storage.Object{Name: name}).Media(strings.NewReader("content")).Do(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 520 {
		if _, err := c.storage.Folders.Insert(req.Name, &storage.Folder{Name: fmt.Sprintf("e/%03d/", i)}).Do(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.NotEmpty {
		t.Fatalf("without force: %v, want NotEmpty", err)
	}
	req.Deletion = &driver.Deletion{Force: true}
	for calls := 0; ; calls++ {
		c.forget()
		if _, err := x.Delete(t.Context(), req); err != nil || calls > 5 {
			t.Fatalf("call %d: %v", calls, err)
		}
		if deleted := c.Ledger.Count(localcloud.Filter{Operation: "folders.delete"}); deleted > 500 {
			t.Errorf("one call deleted %d folders", deleted)
		}
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if obs.State == driver.Absent {
			if calls != 2 { // the objects; the folders of a batch, inner ones first; the others
				t.Errorf("it took %d calls before the last, want 2", calls)
			}
			break
		}
	}
}

// A bucket whose folders alone are left says so, and a denial names what Mooring needs if the spec says that there can be folders.
func TestFoldersKeepABucket(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeTree(t, "tree")
	if _, err := c.storage.Folders.Insert(req.Name, &storage.Folder{Name: "a/"}).Do(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.NotEmpty || !strings.Contains(fmt.Sprint(err), "no objects, but folders") {
		t.Errorf("got %v, want NotEmpty, told why", err)
	}
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "folders.list"}, Kind: localcloud.Denied})
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Denied || !strings.Contains(fmt.Sprint(err), "storage.folders.list") {
		t.Errorf("without the permission got %v, want Denied that names it", err)
	}
	req.Spec.GCP = nil
	if _, err := x.Delete(t.Context(), req); driver.CodeOf(err) != driver.Busy {
		t.Errorf("where nothing says that there are folders got %v, want Busy", err)
	}
}

func TestHierarchyNeedsUniformAccess(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "flat")
	req.Name, req.Spec.GCP = "tree", &v1alpha1.BucketGCP{HierarchicalNamespace: new(true), UniformAccess: new(false)}
	if _, err := x.Create(t.Context(), req); driver.CodeOf(err) != driver.Invalid || !strings.Contains(fmt.Sprint(err), "set spec.gcp.uniformAccess to true") {
		t.Errorf("got %v, want Invalid, with what to do", err)
	}
}
