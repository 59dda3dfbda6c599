package docs

import (
	"errors"
	"io/fs"
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
// through the conformance suite and the tests of the registry, and objects of it through their lives on a real API server.
func TestAddAKind(t *testing.T) {
	binaries, err := cluster.Binaries()
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	lists, copied := exercise(t, "Add a kind"), copySource(t)
	byHand := addKind(t, copied)
	for _, file := range byHand {
		if !isListed(lists["by hand"], file) {
			t.Errorf("CONTRIBUTING.md does not list %s, which the exercise writes", file)
		}
	}
	for _, pattern := range lists["by hand"] {
		if does := strings.HasPrefix(pattern, "apis/") || strings.HasPrefix(pattern, "controllers/"); does &&
			!slices.ContainsFunc(byHand, func(file string) bool { return isListed([]string{pattern}, file) }) {
			t.Errorf("CONTRIBUTING.md lists %s, which the exercise does without", pattern)
		}
	}

	shareBuilds(t)
	t.Setenv("MOORING_CONTROLPLANE", binaries)
	generateKind(t, copied)
	for _, file := range changed(t, root(t), copied) {
		if !slices.Contains(byHand, file) && !isListed(lists["generated"], file) {
			t.Errorf("%s differs after the exercise, and CONTRIBUTING.md lists it neither as written by hand nor as generated", file)
		}
	}
	copyPackage(t, copied, "test/docs/testdata/kind/lifecycle", "test/lifecycle", strings.NewReplacer())
	tried := run(t, copied, "go", "test", "-count=1", "-v", "-run=TestConformance/at_once|TestEffects", "-skip=TestConformance/.*/.*/error", "./providers/mem")
	if n := strings.Count(tried, "--- PASS: TestConformance/at_once/Topic/"); n < 20 {
		t.Errorf("the conformance suite has %d checks of the new kind, want 20 at least:\n%s", n, tried)
	}
	packages := []string{"./controllers", "./controllers/kind", "./config/generate", "./test/lifecycle"}
	if os.Getenv(newcomer) != "" {
		run(t, copied, "go", "vet", "work")
		packages = append(packages, "./apis/...", "./providers/...", "./controllers/...", "./config/...", "./test/system/...")
	}
	run(t, copied, "go", append([]string{"test", "-count=1"}, packages...)...)
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

// generateKind generates what follows from a kind. The reference takes half a minute of processor time, and a newcomer has it generated.
func generateKind(t *testing.T, copied string) {
	t.Helper()
	if os.Getenv(newcomer) != "" {
		run(t, copied, "tools/generate")
		return
	}
	run(t, copied, "tools/tool", "controller-gen", "object", "paths=./apis/...")
	run(t, copied, "tools/tool", "controller-gen", "crd", "paths=./apis/...", "output:crd:dir=config/crd")
	run(t, copied, "tools/tool", "controller-gen", "rbac:roleName=mooring", "paths=./controllers/...", "output:rbac:dir=config/rbac")
	run(t, copied, "go", "run", "./config/generate", ".")
	run(t, copied, "go", "generate", "./charts/generate")
}

// isListed reports whether a file of the new kind is in a list of Bucket's, which may have patterns and folders.
func isListed(list []string, file string) bool {
	file = strings.ReplaceAll(file, "topic", "bucket")
	return slices.ContainsFunc(list, func(pattern string) bool {
		matches, err := filepath.Match(pattern, file)
		return err == nil && matches || strings.HasPrefix(file, pattern+"/")
	})
}

// changed returns the files of a copy that are not as they were, or that were not there.
func changed(t *testing.T, source, copied string) (differ []string) {
	t.Helper()
	err := filepath.WalkDir(copied, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := filepath.Rel(copied, path)
		if before, readErr := os.ReadFile(filepath.Join(source, file)); err == nil && (readErr != nil || string(before) != read(t, path)) {
			differ = append(differ, filepath.ToSlash(file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return differ
}
