package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecorded holds that somebody has looked at what the pinned SDKs say.
func TestRecorded(t *testing.T) {
	root := filepath.Join("..", "..")
	// So that the result of this test is not kept when only an SDK has changed.
	if _, err := os.ReadFile(filepath.Join(root, "go.sum")); err != nil {
		t.Fatal(err)
	}
	have, err := survey(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	r, err := compare(root, have)
	if err != nil {
		t.Fatal(err)
	}
	if r.changed() {
		t.Errorf("%v\n%s", errStale, r)
	}
	for _, p := range r.stale {
		t.Errorf("%s: %q leaves out nothing any more; remove it", leftOutFile, p)
	}
	// Among others, these show that the SDKs, the copiers, the API types and the comments were read.
	for line, want := range map[string]class{
		"rds ModifyDBInstance in MaxAllocatedStorage":     had, // copied by name
		"s3 BucketVersioningStatus value Enabled":         had,
		"s3 CreateBucket in BucketNamespace":              had,
		"rds CreateDBInstance in DBClusterIdentifier":     leftOut,
		"rds DBInstance out TdeCredentialArn":             leftOut,
		"sqladmin DatabaseInstance in DatabaseVersion":    had,
		"sqladmin Settings.Edition value ENTERPRISE_PLUS": had,
		"storage-client BucketAttrs in Autoclass":         had,
	} {
		if got := r.classes[line]; got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// The SDK and the driver of tests. NEW is where an upgrade adds something.
const (
	fakeSDK = `package shelf
type Client struct{}
type Options struct{}
type PutInput struct { Name *string; Size *int32; Box *Box; FIELD }
type PutOutput struct { Box *Box; ResultMetadata int }
type Box struct { Width int; Colour Colour; Spare *Spare; INNER }
type Spare struct { Part string }
type Colour string
const ( ColourRed Colour = "red"; ColourBlue Colour = "blue"; VALUE )
func (*Client) Put(ctx int, in *PutInput, with ...func(*Options)) (*PutOutput, error) { return nil, nil }
func (*Client) Unused(ctx int, in *Spare, with ...func(*Options)) (*Spare, error) { return nil, nil }
`
	fakeDriver = `package driver
import "github.com/aws/aws-sdk-go-v2/service/shelf"
type params struct { Size *int32 }
type Copier[P, C any] struct { Call string }
var copied = Copier[params, shelf.PutInput]{Call: "Put"}
func f(c *shelf.Client, name *string) int {
	out, _ := c.Put(1, &shelf.PutInput{Name: name, Box: &shelf.Box{Width: 1, Colour: shelf.ColourRed, NAMES}})
	return out.Box.Width
}
`
)

// read returns the model of an SDK and a driver.
func read(t *testing.T, sdk, driver string) *model {
	t.Helper()
	set := token.NewFileSet()
	parse := func(text string) []*ast.File {
		file, err := parser.ParseFile(set, "x.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return []*ast.File{file}
	}
	path := awsServices + "shelf"
	shelf, err := new(types.Config).Check(path, set, parse(sdk), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := source{files: parse(driver), info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}}
	config := types.Config{Importer: only{shelf}}
	if _, err := config.Check("driver", set, s.files, s.info); err != nil {
		t.Fatal(err)
	}
	m := newModel()
	w := &walker{model: m, driver: s, used: s.used(), words: s.words(map[string]bool{})}
	if err := w.aws(); err != nil {
		t.Fatal(err)
	}
	return m
}

// only imports the one package.
type only struct{ *types.Package }

// Import implements types.Importer.
func (o only) Import(string) (*types.Package, error) { return o.Package, nil }

// fake returns an SDK with additions.
func fake(field, inner, value string) string {
	return strings.NewReplacer("FIELD", field, "INNER", inner, "VALUE", value).Replace(fakeSDK)
}

func TestWhatIsRead(t *testing.T) {
	m := read(t, fake("", "", ""), strings.ReplaceAll(fakeDriver, "NAMES", ""))
	want := `shelf Box in Colour
shelf Box in Spare
shelf Box in Width
shelf Colour value blue
shelf Colour value red
shelf Put in Box
shelf Put in Name
shelf Put in Size
shelf Put out Box
shelf Spare in Part
`
	if diff := cmp.Diff(want, m.text()); diff != "" {
		t.Error(diff)
	}
	got := m.classify(func(line string) bool { return line == "shelf Box in Spare" })
	classes := map[string]class{
		"shelf Box in Colour": had, "shelf Box in Spare": leftOut, "shelf Box in Width": had, "shelf Colour value blue": neither, "shelf Colour value red": had,
		"shelf Put in Box": had, "shelf Put in Name": had, "shelf Put in Size": had, "shelf Put out Box": had, "shelf Spare in Part": follows,
	}
	if diff := cmp.Diff(classes, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAnUpgradeBrings(t *testing.T) {
	before := read(t, fake("", "", ""), strings.ReplaceAll(fakeDriver, "NAMES", "")).text()
	for name, tt := range map[string]struct {
		sdk, names, leftOut string
		added               []string
		says                string
	}{
		"a field":                        {sdk: fake("Weight *int32", "", ""), added: []string{"shelf Put in Weight"}, says: "shelf Put in Weight (neither had nor left out)"},
		"a field of a type":              {sdk: fake("", "Depth int", ""), added: []string{"shelf Box in Depth"}, says: "shelf Box in Depth (neither had nor left out)"},
		"a field that the driver has":    {sdk: fake("", "Depth int", ""), names: "Depth: 2", added: []string{"shelf Box in Depth"}, says: "shelf Box in Depth (had)"},
		"a field that is left out":       {sdk: fake("", "Depth int", ""), leftOut: "shelf * in D*: boxes are flat", added: []string{"shelf Box in Depth"}, says: "shelf Box in Depth (left out: boxes are flat)"},
		"a value":                        {sdk: fake("", "", `ColourGreen Colour = "green"`), added: []string{"shelf Colour value green"}, says: "shelf Colour value green (neither had nor left out)"},
		"a value that the driver writes": {sdk: fake("", "", `ColourGreen Colour = "green"`), names: "Colour: \"green\"", added: []string{"shelf Colour value green"}, says: "shelf Colour value green (had)"},
		"nothing":                        {sdk: fake("", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			driver := strings.ReplaceAll(fakeDriver, "NAMES", tt.names)
			if strings.HasPrefix(tt.names, "Colour") {
				driver = strings.ReplaceAll(driver, "Colour: shelf.ColourRed, ", "")
			}
			patterns, err := parsePatterns(tt.leftOut)
			if err != nil {
				t.Fatal(err)
			}
			r := newReport(read(t, tt.sdk, driver), before, patterns)
			if !slices.Equal(r.added, tt.added) || len(r.removed) != 0 || r.changed() != (tt.added != nil) {
				t.Errorf("added %q, removed %q, want %q added", r.added, r.removed, tt.added)
			}
			if !strings.Contains(r.String(), tt.says) {
				t.Errorf("it does not say %q:\n%s", tt.says, r)
			}
			if len(r.stale) != 0 {
				t.Errorf("stale: %q", r.stale)
			}
		})
	}
}

func TestWhatIsGone(t *testing.T) {
	m := read(t, fake("", "", ""), strings.ReplaceAll(fakeDriver, "NAMES", ""))
	r := newReport(m, m.text()+"shelf Box in Lid\n", nil)
	if !slices.Equal(r.removed, []string{"shelf Box in Lid"}) || !r.changed() {
		t.Errorf("removed %q", r.removed)
	}
}

// A pattern that leaves out nothing any more is an error: what it names is had by now, or is gone.
func TestStalePatterns(t *testing.T) {
	m := read(t, fake("", "", ""), strings.ReplaceAll(fakeDriver, "NAMES", ""))
	for words, want := range map[string][]string{
		"shelf Box in Spare":       nil,
		"shelf Box in Sp*":         nil,
		"shelf * value *":          nil, // blue is had by nobody
		"shelf Box in Spare|Width": {"shelf Box in Width"},
		"shelf Box in Lid":         {"shelf Box in Lid"},
		"shelf Spare in Part":      {"shelf Spare in Part"}, // it is within what is not had, which is named instead
		"shelf Box out Spare":      {"shelf Box out Spare"},
	} {
		patterns, err := parsePatterns("# a comment\n\n" + words + ": for a reason\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := newReport(m, m.text(), patterns).stale; !slices.Equal(got, want) {
			t.Errorf("%s: stale %q, want %q", words, got, want)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for _, line := range []string{"shelf Box in: three words", "shelf Box in Lid", "shelf Box in Lid: ", "shelf Box in [: no pattern", "shelf Box in Lid Width: five words"} {
		if _, err := parsePatterns(line); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}

func TestValuesOfComments(t *testing.T) {
	got := valuesOfComment("Edition: Optional. The edition of the \"instance\".\n\nPossible values:\n\n\t\"EDITION_UNSPECIFIED\" - Not set.\n\t\"ENTERPRISE\" - An instance of \"Enterprise\".\n")
	if diff := cmp.Diff([]string{"EDITION_UNSPECIFIED", "ENTERPRISE"}, got); diff != "" {
		t.Error(diff)
	}
	if got := valuesOfComment("A comment that names \"NO_VALUES\"."); got != nil {
		t.Errorf("got %q", got)
	}
}

// Where nothing is new, `make upstream` succeeds and says so.
func TestRun(t *testing.T) {
	var b strings.Builder
	if err := run(t.Context(), &b, filepath.Join("..", ".."), false); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "; 0 new, 0 gone.\n") {
		t.Errorf("it says %q", b.String())
	}
}
