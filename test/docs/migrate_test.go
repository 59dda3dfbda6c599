package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/config/crd"
)

// specOf returns the schema of the spec of a kind of ours.
func specOf(t *testing.T, plural string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	content, err := crd.Files.ReadFile("mooring.dev_" + plural + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(content, definition); err != nil {
		t.Fatal(err)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// hasField reports whether a schema has the field at a path.
func hasField(in apiextensionsv1.JSONSchemaProps, path string) bool {
	for step := range strings.SplitSeq(path, ".") {
		next, has := in.Properties[step]
		if !has {
			return false
		}
		in = next
	}
	return true
}

var (
	// span is text in the typeface of code; fieldSpan is one that names a field, with or without a value.
	span      = regexp.MustCompile("`([^`]+)`")
	fieldSpan = regexp.MustCompile(`^([a-z][A-Za-z0-9.]*)(: .+)?$`)
)

// namedFields returns the fields that the last column of the tables with a heading names.
func namedFields(page, heading string) (fields []string) {
	inside := false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case !inside:
			inside = last == heading
		default:
			for _, s := range span.FindAllStringSubmatch(last, -1) {
				if field := fieldSpan.FindStringSubmatch(s[1]); field != nil {
					fields = append(fields, field[1])
				}
			}
		}
	}
	return fields
}

// TestMigrationTablesNameFields demands that the tables say for each setting of another tool which field of ours it corresponds to, by a name that
// the API has.
func TestMigrationTablesNameFields(t *testing.T) {
	account := specOf(t, "providerconfigs")
	pages := files(t, filepath.Join(root(t), "docs", "migrate"), ".md")
	for heading, plural := range map[string]string{"Database": "databases", "Bucket": "buckets"} {
		spec := specOf(t, plural)
		found := 0
		for path, page := range pages {
			for _, field := range namedFields(page, heading) {
				found++
				if !hasField(spec, field) && !hasField(account, field) {
					t.Errorf("%s: %s has no field %s", path, heading, field)
				}
			}
		}
		if found < 10 {
			t.Errorf("the tables of %s name %d fields: the test reads them no more", heading, found)
		}
	}
}

// TestMigrationTablesKnowWhatIsNoField shows that the test above can fail.
func TestMigrationTablesKnowWhatIsNoField(t *testing.T) {
	spec := specOf(t, "databases")
	const page = "| DBInstance | Database |\n|---|---|\n| `spec.a` | `storage.sizeGB`, or `tls: Required`; `MultiZone` |\n\n| `spec.b` | `outside` |\n"
	fields := namedFields(page, "Database")
	if got := strings.Join(fields, " "); got != "storage.sizeGB tls" {
		t.Errorf("fields %q", got)
	}
	if hasField(spec, "storage.sizeGB") || !hasField(spec, "storage.sizeGiB") {
		t.Error("storage.sizeGB is a field, or storage.sizeGiB is none")
	}
}
