package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a log with patches says of fields and kinds: generated types and tests have none, and what is moved is not new.
func TestAdded(t *testing.T) {
	const patches = header + "aaaaaaa\tAdd a field\n" + `
diff --git a/apis/v1alpha1/bucket.go b/apis/v1alpha1/bucket.go
@@ -1 +1,3 @@
-	Moved *string ` + "`json:\"moved,omitempty\"`" + `
+	Moved *string ` + "`json:\"moved,omitempty\"`" + `
+	// size is how large it is.
+	Size *int32 ` + "`json:\"size,omitempty\"`" + `
diff --git a/apis/v1alpha1/zz_generated.deepcopy.go b/apis/v1alpha1/zz_generated.deepcopy.go
@@ -1 +1 @@
+	Other *int32 ` + "`json:\"other,omitempty\"`" + `
diff --git a/apis/v1alpha1/bucket_test.go b/apis/v1alpha1/bucket_test.go
@@ -1 +1 @@
+	Tested *int32 ` + "`json:\"tested,omitempty\"`" + `
` + header + "bbbbbbb\tAdd a kind\n" + `
diff --git a/apis/v1alpha1/user.go b/apis/v1alpha1/user.go
@@ -0,0 +1,6 @@
+type UserSpec struct {
+	Name string ` + "`json:\"name\"`" + `
+}
+// +kubebuilder:resource:shortName=mu
+type User struct {
+}
` + header + "ccccccc\tReword a comment\n" + `
diff --git a/apis/v1alpha1/bucket.go b/apis/v1alpha1/bucket.go
@@ -1 +1 @@
-	// size is how large it is.
+	// size is how large the bucket is.
`
	want := []commit{
		{hash: "aaaaaaa", subject: "Add a field", fields: []string{"size"}},
		{hash: "bbbbbbb", subject: "Add a kind", fields: []string{"name"}, kinds: []string{"User"}},
		{hash: "ccccccc", subject: "Reword a comment"},
	}
	if diff := cmp.Diff(want, parse(patches), cmp.AllowUnexported(commit{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestByHand(t *testing.T) {
	files := []string{
		"apis/v1alpha1/bucket.go", "apis/v1alpha1/zz_generated.deepcopy.go", "charts/mooring/README.md", "charts/mooring/README.md.gotmpl", "charts/mooring/files/crds/mooring.dev_buckets.yaml", "charts/mooring/files/rules.yaml",
		"config/crd/generate.go", "config/crd/mooring.dev_buckets.yaml", "config/rbac/role.yaml", "docs/reference/api.go", "docs/reference/api.md", "docs/reference/logs.md",
		"go.sum", "providers/aws/bucket.go", "providers/driver/testdata/contract.json", "test/chart/testdata/golden/default.yaml",
	}
	want := []string{
		"apis/v1alpha1/bucket.go", "charts/mooring/README.md.gotmpl", "charts/mooring/files/rules.yaml", "config/crd/generate.go", "docs/reference/api.go",
		"docs/reference/logs.md", "providers/aws/bucket.go",
	}
	if diff := cmp.Diff(want, byHand(files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The table has the kinds first, and the newest changes of each sort; the fields of a new kind are not counted as fields.
func TestReport(t *testing.T) {
	all := []commit{
		{hash: "a", fields: []string{"size"}, files: []string{"apis/v1alpha1/bucket.go", "providers/aws/bucket.go", "providers/aws/bucket_test.go", "README.md"}},
		{hash: "b"},
		{hash: "c", fields: []string{"name"}, kinds: []string{"User"}, files: []string{"apis/v1alpha1/user.go"}},
		{hash: "d", fields: []string{"a", "b", "c", "d"}, files: []string{"apis/v1alpha1/bucket.go"}},
		{hash: "e", fields: []string{"old"}, files: []string{"apis/v1alpha1/bucket.go"}},
	}
	const want = `files  commit  adds  by folder
1      c       User  apis/v1alpha1 1
The last 1 commits that add a kind touch 1 files that people write at the median (1 to 1).

files  commit  adds              by folder
4      a       size              . 1, apis/v1alpha1 1, providers/aws 2
1      d       a b c and 1 more  apis/v1alpha1 1
The last 2 commits that add a field touch 4 files that people write at the median (1 to 4).

`
	var got strings.Builder
	if err := report(&got, all, 2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
