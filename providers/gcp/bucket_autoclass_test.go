package gcp_test

import (
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A bucket of another class gets Autoclass together with STANDARD, and keeps its class if the spec says nothing of it: then the field is named, with
// what to do, and the other changes are made.
func TestAutoclassNeedsStandard(t *testing.T) {
	for _, tt := range []struct {
		name   string
		have   *storage.Bucket
		want   v1alpha1.BucketGCP
		failed string
		advice string
	}{
		{"on, and the class unsaid", &storage.Bucket{StorageClass: "COLDLINE"}, v1alpha1.BucketGCP{Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(true)}},
			"gcp.autoclass.enabled", "set spec.gcp.storageClass to STANDARD, too"},
		{"on, with the class", &storage.Bucket{StorageClass: "COLDLINE"}, v1alpha1.BucketGCP{Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(true)}, StorageClass: new("STANDARD")}, "", ""},
		{"another class, and Autoclass unsaid", &storage.Bucket{Autoclass: &storage.BucketAutoclass{Enabled: true}}, v1alpha1.BucketGCP{StorageClass: new("ARCHIVE")},
			"gcp.storageClass", "spec.gcp.autoclass.enabled to false"},
		{"a coldest class, and Autoclass unsaid and off", &storage.Bucket{}, v1alpha1.BucketGCP{Autoclass: &v1alpha1.BucketAutoclass{TerminalStorageClass: new("ARCHIVE")}},
			"gcp.autoclass.terminalStorageClass", "set spec.gcp.autoclass.enabled to true, too"},
		{"a coldest class, and Autoclass unsaid and on", &storage.Bucket{Autoclass: &storage.BucketAutoclass{Enabled: true}},
			v1alpha1.BucketGCP{Autoclass: &v1alpha1.BucketAutoclass{TerminalStorageClass: new("ARCHIVE")}}, "", ""},
		{"off, with another class", &storage.Bucket{Autoclass: &storage.BucketAutoclass{Enabled: true}},
			v1alpha1.BucketGCP{StorageClass: new("ARCHIVE"), Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(false)}}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			x, req := c.madeBucket(t, "classes")
			c.patchBucket(t, req.Name, tt.have)
			req.Spec.GCP, req.Spec.Tags = &tt.want, map[string]v1alpha1.TagValue{"team": "pay"}
			obs, err := x.Observe(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
			if err != nil || (len(result.Failed) == 0) != (tt.failed == "") {
				t.Fatalf("got %v, failed %v, want %q", err, result.Failed, tt.failed)
			}
			for _, f := range result.Failed {
				if f.Field != tt.failed || driver.CodeOf(f.Err) != driver.Invalid || !strings.Contains(f.Err.Error(), tt.advice) {
					t.Errorf("%s failed: %v, want %s and %q", f.Field, f.Err, tt.failed, tt.advice)
				}
			}
			if got := c.bucket(t, req.Name).Labels["team"]; got != "pay" {
				t.Errorf("the label is %q", got)
			}
		})
	}
}
