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

// The exercise of CONTRIBUTING.md, "Add a kind", for a kind without a class in the reference driver: the edits here, and the files in
// testdata/kind but for the test of its life. A kind need not exist in every cloud.
var addedKind = []edit{
	{file: "controllers/kind/kind.go", where: ";databases.mooring.dev", text: ";topics.mooring.dev"},
	{file: "controllers/kind/kind.go", where: "{Database(), Bucket()", text: ", Topic()"},
	{file: "providers/mem/description.go", where: "{bucketKind, databaseKind", text: ", topicKind"},
}

// TestAddAKind does the exercise in a copy of the source: by the files that CONTRIBUTING.md lists, and by no other. The kind then goes
// through the conformance suite and the tests of the registry that are about every kind, and objects of it through their lives on a real API
// server, where a setting that the controllers lack is a panic.
func TestAddAKind(t *testing.T) {
	binaries, err := cluster.Binaries()
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MOORING_CONTROLPLANE", binaries)
	copied := exercised(t, "Add a kind")
	copyPackage(t, copied, "test/docs/testdata/kind/lifecycle", "test/lifecycle", strings.NewReplacer())
	tried := run(t, copied, "go", "test", "-count=1", "-v", "-skip=TestConformance/.*/.*/error",
		"-run=TestConformance/at_once|TestEffects|TestLifecycles|KnowEveryKind|KnowsEveryKind|NameEveryKind", "./providers/mem", "./controllers/kind", "./config/generate", "./test/lifecycle")
	if n := strings.Count(tried, "--- PASS: TestConformance/at_once/Topic/"); n < 20 {
		t.Errorf("the conformance suite has %d checks of the new kind, want 20 at least:\n%s", n, tried)
	}
	for _, test := range []string{"TestGeneratedFilesKnowEveryKind", "TestTheAPIKnowsEveryKind", "TestManifestsKnowEveryKind", "TestLifecycles/created_to_deleted"} {
		if !strings.Contains(tried, "--- PASS: "+test+" ") {
			t.Errorf("%s did not run:\n%s", test, tried)
		}
	}
	if os.Getenv(newcomer) != "" {
		run(t, copied, "go", "vet", "work")
		run(t, copied, "go", "test", "-count=1", "./apis/...", "./providers/...", "./controllers/...", "./config/...", "./test/system/...")
	}
}

// addKind does the exercise in a copy of the source, and returns the files that it writes or edits by hand.
func addKind(t *testing.T, copied string) (byHand []string) {
	t.Helper()
	from := filepath.Join(copied, "test", "docs", "testdata", "kind")
	for path, content := range files(t, from, ".go") {
		file, err := filepath.Rel(from, path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(file, "lifecycle/") {
			write(t, filepath.Join(copied, file), content)
			byHand = append(byHand, file)
		}
	}
	if len(byHand) == 0 {
		t.Fatalf("%s has no files", from)
	}
	for _, e := range addedKind {
		e.apply(t, copied)
		byHand = append(byHand, e.file)
	}
	return distinct(byHand)
}

// isListed reports whether a file of the new kind is in a list of Bucket's, which may have patterns and folders.
func isListed(list []string, file string) bool {
	file = strings.ReplaceAll(file, "topic", "bucket")
	return slices.ContainsFunc(list, func(pattern string) bool {
		matches, err := filepath.Match(pattern, file)
		return err == nil && matches || strings.HasPrefix(file, pattern+"/")
	})
}
