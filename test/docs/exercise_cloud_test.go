package docs

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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

// notInMemory are the end-to-end tests that run in each cloud and not in this one, each with the reason.
var notInMemory = map[string]string{
	"TestBucketLife":                   "its table says by which calls of S3 and Cloud Storage each field is written; drivertest tries each field of the third cloud",
	"TestDatabaseLife":                 "its table says by which calls of RDS and Cloud SQL each field is written; drivertest tries each field of the third cloud",
	"TestClass":                        "the sizes of a class are instance classes of RDS and tiers of Cloud SQL",
	"TestEditBesideAChangedClass":      "the sizes of a class are instance classes of RDS and tiers of Cloud SQL",
	"TestClassThatTakesAParameterOut":  "the sizes of a class are instance classes of RDS and tiers of Cloud SQL",
	"TestClassReleasesNothing":         "the sizes of a class are instance classes of RDS and tiers of Cloud SQL",
	"TestRetentionIsLockedWithConsent": "a lock of a memory can be taken back, and takes no consent",
	"TestObservationRefused":           "a memory takes every key",
	"TestRefusedLoginCanBeCorrected":   "a memory keeps no words for itself",
}

// TestAddACloud does the exercise in a copy of the source: a folder, a line, and the API block. The cloud then goes through the
// conformance suite, and through each end-to-end test that runs in each cloud, by definitions that have the block. No file of the
// controllers is edited. The cloud is in the memory of the tests: what test/fault does to a process is not done there, since to kill
// the cloud with its controller is to lose it.
func TestAddACloud(t *testing.T) {
	binaries, err := cluster.Binaries()
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MOORING_CONTROLPLANE", binaries)
	copied := exercised(t, "Add a cloud")
	if os.Getenv(newcomer) != "" {
		run(t, copied, "tools/tool", "controller-gen", "object", "crd", "paths=./apis/...", "output:crd:dir=config/crd")
	}
	// To compile the program is enough: the linker, which takes most of the time, refuses nothing that the compiler takes.
	run(t, copied, "go", "list", "-export", "./cmd/mooring")
	run(t, copied, "go", "test", "-count=1", "-run=^TestConformance$/^at_once$", "./providers/third") // what else mem tests is the same by another name
	tests := append(perCloud(t, copied), "TestThirdCloud", "TestBlocksExcludeEachOther")
	tried := run(t, copied, "go", "test", "-timeout=30m", "-count=1", "-v", "-run=^("+strings.Join(tests, "|")+")$", "./test/e2e")
	for _, name := range tests {
		if !strings.Contains(tried, "--- PASS: "+name+" ") || name != "TestBlocksExcludeEachOther" && !passedInThird(name).MatchString(tried) {
			t.Errorf("%s did not run in the third cloud", name)
		}
	}
	t.Logf("%d end-to-end tests ran in the third cloud", len(tests))
}

// addCloud does the exercise in a copy of the source, and returns the files that it writes or edits.
func addCloud(t *testing.T, copied string) (byHand []string) {
	t.Helper()
	for _, e := range addedCloud {
		e.apply(t, copied)
		byHand = append(byHand, e.file)
	}
	// The rules that count the clouds, one for each kind of provider config.
	block := filepath.Join(copied, "apis/v1alpha1/providerconfig.go")
	rules := read(t, block)
	const all, more = "[has(self.aws), has(self.gcp)]", "[has(self.aws), has(self.gcp), has(self.third)]"
	if n := strings.Count(rules, all); n != 2 {
		t.Errorf("%d rules count the clouds of an account, want 2", n)
	}
	write(t, block, strings.ReplaceAll(rules, all, more))
	byHand = append(byHand, copyPackage(t, copied, "providers/mem", "providers/third", strings.NewReplacer(
		"package mem\n", "package third\n", "Package mem ", "Package third ", "package mem_test\n", "package third_test\n",
		`amazon = "aws"`, `amazon = "third"`, "providers/mem\"", "providers/third\"", "mem.", "third.",
		"v1alpha1.Account{AWS: &v1alpha1.AWSAccount{", "v1alpha1.Account{Third: &v1alpha1.ThirdAccount{"))...)
	return distinct(append(byHand, copyPackage(t, copied, "test/docs/testdata/third", "test/e2e", strings.NewReplacer())...))
}

// passedInThird matches what a test says of a sub-test that passed in the third cloud.
func passedInThird(name string) *regexp.Regexp {
	return regexp.MustCompile(`--- PASS: ` + name + `/(\S+/)?third `)
}

// perCloud returns the end-to-end tests that run in each cloud, by what they call, but for notInMemory.
func perCloud(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "test/e2e/*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	excepted := maps.Clone(notInMemory)
	for _, path := range files {
		if strings.HasPrefix(filepath.Base(path), "third") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, is := decl.(*ast.FuncDecl)
			if !is || !strings.HasPrefix(f.Name.Name, "Test") || !calls(f, "onAll") && !calls(f, "onEach") && !calls(f, "onEachAlone") {
				continue
			}
			if _, except := excepted[f.Name.Name]; except {
				delete(excepted, f.Name.Name)
				continue
			}
			names = append(names, f.Name.Name)
		}
	}
	for name := range excepted {
		t.Errorf("%s is no test that runs in each cloud: take it out of notInMemory", name)
	}
	if len(names) < 20 {
		t.Errorf("only %q run in each cloud", names)
	}
	return names
}

// calls reports whether a function calls another of its package.
func calls(f *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			if to, is := call.Fun.(*ast.Ident); is && to.Name == name {
				found = true
			}
		}
		return true
	})
	return found
}

// copyPackage copies a folder's Go files within a copy of the source, replaces texts in them, and returns which they are then.
func copyPackage(t *testing.T, dir, from, to string, texts *strings.Replacer) (copied []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, from, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", from, len(files), err)
	}
	if err := os.MkdirAll(filepath.Join(dir, to), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.ToSlash(filepath.Join(to, filepath.Base(file)))
		write(t, filepath.Join(dir, name), texts.Replace(read(t, file)))
		copied = append(copied, name)
	}
	return copied
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
