package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// newcomer names a variable. If it is set, TestAddAField does what a newcomer does who adds a field, `make unit` at the end, prints how long
// that took, and leaves out one file after the other. CONTRIBUTING.md says so.
const newcomer = "MOORING_NEWCOMER"

// fieldPath is the new field: a parameter of RDS that Mooring does not have.
const fieldPath = "aws.tdeCredentialARN"

// The exercise of CONTRIBUTING.md, "Add a field".
var addedField = []edit{
	{file: "apis/v1alpha1/database_aws.go", where: "\tInstanceClass *string `json:\"instanceClass,omitempty\"`\n", text: `
	// tdeCredentialARN is the key store whose keys encrypt the tablespaces. If unset, there is none.
	// +optional
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=255
	TDECredentialARN *string ` + "`json:\"tdeCredentialARN,omitempty\"`\n"},
	{file: "providers/aws/rds/table.go", where: "\tKmsKeyId                                       *string\n",
		text: "\tTdeCredentialArn                               *string\n"},
	{file: "providers/aws/rds/table.go", where: "When: \"the server has another instance class\", Cost: classCost}),\n", text: `
	table.Field("aws.tdeCredentialARN",
		func(s *databaseSpec) *string {
			if s.AWS == nil {
				return nil
			}
			return s.AWS.TDECredentialARN
		},
		func(i *instance) *string { return i.TdeCredentialArn },
		func(p *instanceParams, v string) { p.TdeCredentialArn = &v },
	),
`},
	{file: "test/fieldedit/database.go", where: `&v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")`, text: `, TDECredentialARN: new("arn:aws:cloudhsm:shop")`},
	{file: "test/fieldedit/database.go", where: "{Name: \"aws.instanceClass\", To: \"db.t4g.small\", Effect: driver.Restarts},\n",
		text: "\t\t\t{Name: \"aws.tdeCredentialARN\", To: \"arn:aws:cloudhsm:pay\"},\n"},
	{file: "providers/aws/database_conformance_test.go", where: "\t\tin.DBInstanceClass = new(value.(string))\n",
		text: "\tcase \"aws.tdeCredentialARN\":\n\t\tin.TdeCredentialArn = new(value.(string))\n"},
	{file: "test/localcloud/rds/parameter.go", where: "\t{\"DeletionProtection\", false, nil},\n", text: "\t{\"TdeCredentialArn\", \"\", nil},\n"},
	{file: "test/e2e/database_test.go", where: "\t{\n\t\tfield: \"gcp.tier\", only: \"gcp\",\n", before: true, text: `	{
		field: "aws.tdeCredentialARN", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.TDECredentialARN = new("arn:aws:cloudhsm:pay") },
		mirror: same(` + "`\"arn:aws:cloudhsm:pay\"`" + `), write: "ModifyDBInstance",
	},
`},
}

// Tests that hold the exercise to its files.
var (
	conformsInMemory = []string{"test", "-count=1", "-v", "-run=TestConformance/at_once/Database/field_" + fieldPath, "./providers/mem"}
	conformsInRDS    = []string{"test", "-count=1", "-v", "-run=^TestConformance$/^Database$", "-skip=/error", "./providers/aws"}
	// The package has a TestMain, which asks what a controller did: none runs here.
	changedEndToEnd = []string{"test", "-count=1", "-v", "-run=^TestEveryFieldOfADatabaseIsTested$", "./test/e2e"}
)

// fieldTried matches what the suite says of a way in which it tried the field.
var fieldTried = regexp.MustCompile(`--- PASS: TestConformance/\S*Database/field_` + regexp.QuoteMeta(fieldPath) + `/`)

// addField does the exercise in a copy of the source, and returns the files that it edits.
func addField(t *testing.T, copied string) (byHand []string) {
	t.Helper()
	for _, e := range addedField {
		e.apply(t, copied)
		byHand = append(byHand, e.file)
	}
	return distinct(byHand)
}

// TestAddAField does the exercise in a copy of the source, by each file that CONTRIBUTING.md lists, and by no other.
func TestAddAField(t *testing.T) {
	began := time.Now()
	copied := exercised(t, "Add a field")
	if os.Getenv(newcomer) != "" {
		run(t, copied, "tools/tool", "controller-gen", "object", "paths=./apis/...")
		makeUnit(t, copied, began)
		for _, file := range exercise(t, "Add a field")["by hand"] {
			t.Run("without "+file, func(t *testing.T) { forgotten(t, copied, file) })
		}
		return
	}
	if generated := read(t, filepath.Join(copied, "apis/v1alpha1/zz_generated.deepcopy.go")); !strings.Contains(generated, "in.TDECredentialARN") {
		t.Error("what is generated does not know the new field")
	}
	for _, args := range [][]string{conformsInMemory, conformsInRDS} {
		tried := run(t, copied, "go", args...)
		if n := len(fieldTried.FindAllString(tried, -1)); n < 3 {
			t.Errorf("the conformance suite tries the new field in %d ways, want an edit, a drift and a release:\n%s", n, tried)
		}
	}
	// The list of all clouds has a third one in this copy.
	run(t, copied, "go", "test", "-count=1", "-skip=^TestCloudsHaveAccounts$", "./apis/...")
}

// makeUnit runs make unit, and prints how long that took, and all since the first edit.
func makeUnit(t *testing.T, copied string, began time.Time) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", "unit")
	cmd.Dir, cmd.Env = copied, append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	unit := time.Now()
	out, err := cmd.CombinedOutput()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("make unit took %s, and %s of CPU time, on %d processors; from the first edit it was %s:\n%s", time.Since(unit).Round(time.Second),
		used.Round(time.Second), runtime.NumCPU(), time.Since(began).Round(time.Second), out)
	if err != nil {
		t.Fatal("make unit is not green after the exercise")
	}
}

// forgotten takes the edits of one file back. A test of the others' must fail, and say what is missing.
func forgotten(t *testing.T, copied, file string) {
	path := filepath.Join(copied, file)
	edited := read(t, path)
	write(t, path, read(t, filepath.Join(root(t), file)))
	defer write(t, path, edited)
	test, says := conformsInRDS, map[string]string{
		"apis/v1alpha1/database_aws.go":              "s.AWS.TDECredentialARN undefined",
		"providers/aws/rds/table.go":                 `the harness has an entry for "aws.tdeCredentialARN", and the table no row`,
		"test/fieldedit/database.go":                 `the harness has no entry for the row "aws.tdeCredentialARN"`,
		"providers/aws/database_conformance_test.go": "no way to edit aws.tdeCredentialARN",
		"test/localcloud/rds/parameter.go":           "TdeCredentialArn",
		"test/e2e/database_test.go":                  "no change of aws.tdeCredentialARN is tested",
	}[file]
	switch file {
	case "test/e2e/database_test.go":
		test = changedEndToEnd
	case "apis/v1alpha1/database_aws.go":
		run(t, copied, "tools/tool", "controller-gen", "object", "paths=./apis/...")
		defer func() {
			write(t, path, edited)
			run(t, copied, "tools/tool", "controller-gen", "object", "paths=./apis/...")
		}()
	}
	cmd := exec.CommandContext(t.Context(), "go", test...)
	cmd.Dir = copied
	out, err := cmd.CombinedOutput()
	if err == nil || says == "" || !strings.Contains(string(out), says) {
		t.Errorf("%v; want a failure that says %q:\n%s", err, says, out)
		return
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, says) {
			t.Log(strings.TrimSpace(line))
			break
		}
	}
}

// shareBuilds makes Go compile what copies of the source have in common once, wherever they are: the cache knows packages
// without their folder then. Most of it is what test/chart builds, too. Nothing is vetted: make verify does that. A newcomer's checkout
// shares nothing.
func shareBuilds(t *testing.T) {
	t.Helper()
	if os.Getenv(newcomer) != "" {
		return
	}
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath -ldflags=-w -tags=disable_grpc_modules,grpcnotrace -vet=off"))
}
