package docs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

// The exercise of CONTRIBUTING.md, "Add a cloud", for a second cloud in memory: the line that registers it, and its API block.
var addedCloud = []edit{
	{file: "cmd/mooring/drivers.go", where: "\t\t\"gcp\": gcp.New(gcp.Options{}),\n", text: "\t\t\"third\": third.New(third.Options{}).Driver(),\n"},
	{file: "cmd/mooring/drivers.go", where: "\t\"github.com/mooring-dev/mooring/providers/gcp\"\n", text: "\t\"github.com/mooring-dev/mooring/providers/third\"\n"},
	{file: "apis/v1alpha1/providerconfig.go", where: "\tGCP *GCPAccount `json:\"gcp,omitempty\"`\n", text: `
	// third is an account of a third cloud.
	// +optional
	Third *ThirdAccount ` + "`json:\"third,omitempty\"`" + `
}

// ThirdAccount is an account of a third cloud.
type ThirdAccount struct {
	// region in which objects without a location are created.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Region string ` + "`json:\"region\"`" + `

	// accountID that the credentials must lead to. If they lead to another account, Mooring does nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	AccountID string ` + "`json:\"accountID,omitempty\"`\n"},
}

// TestAddACloud does the exercise in a copy of the source: a folder, a line, and the API block. The cloud then goes through the
// conformance suite, and objects in it through their lives on a real API server, by definitions that have the block. No file of the
// controllers is edited.
func TestAddACloud(t *testing.T) {
	binaries, err := cluster.Binaries()
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	byHand := exercise(t, "Add a cloud")["by hand"]
	copied := copySource(t)
	for _, e := range addedCloud {
		if !slices.Contains(byHand, e.file) {
			t.Errorf("CONTRIBUTING.md does not list %s, which the exercise edits", e.file)
		}
		e.apply(t, copied)
	}
	// The rules that count the clouds, one for each kind of provider config.
	block := filepath.Join(copied, "apis/v1alpha1/providerconfig.go")
	rules := read(t, block)
	const all, more = "[has(self.spec.aws), has(self.spec.gcp)]", "[has(self.spec.aws), has(self.spec.gcp), has(self.spec.third)]"
	if n := strings.Count(rules, all); n != 2 {
		t.Errorf("%d rules count the clouds of an account, want 2", n)
	}
	write(t, block, strings.ReplaceAll(rules, all, more))
	copyPackage(t, copied, "providers/mem", "providers/third", strings.NewReplacer(
		"package mem\n", "package third\n", "Package mem ", "Package third ", "package mem_test\n", "package third_test\n",
		`amazon = "aws"`, `amazon = "third"`, "providers/mem\"", "providers/third\"", "mem.", "third.",
		"v1alpha1.Account{AWS: &v1alpha1.AWSAccount{", "v1alpha1.Account{Third: &v1alpha1.ThirdAccount{"))
	copyPackage(t, copied, "test/docs/testdata/third", "test/third", strings.NewReplacer())

	run(t, copied, "tools/tool", "controller-gen", "object", "paths=./apis/...")
	run(t, copied, "tools/tool", "controller-gen", "crd", "paths=./apis/...", "output:crd:dir=config/crd")
	shareBuilds(t)
	run(t, copied, "go", "build", "./cmd/mooring")
	t.Setenv("MOORING_CONTROLPLANE", binaries)
	run(t, copied, "go", "test", "-count=1", "./providers/third", "./test/third")
}

// copyPackage copies a folder's Go files within a copy of the source, and replaces texts in them.
func copyPackage(t *testing.T, dir, from, to string, texts *strings.Replacer) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, from, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", from, len(files), err)
	}
	if err := os.MkdirAll(filepath.Join(dir, to), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		write(t, filepath.Join(dir, to, filepath.Base(file)), texts.Replace(read(t, file)))
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
