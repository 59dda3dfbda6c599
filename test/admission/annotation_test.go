package admission

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// kindsOf says on which kinds each annotation has an effect.
var kindsOf = map[string][]string{
	v1alpha1.AnnotationPaused:         {"Bucket", "Database"},
	v1alpha1.AnnotationReconcile:      {"Bucket", "Database"},
	v1alpha1.AnnotationApprove:        {"Bucket", "Database"},
	v1alpha1.AnnotationAdoptFrom:      {"Bucket", "Database"},
	v1alpha1.AnnotationRestart:        {"Database"},
	v1alpha1.AnnotationFailover:       {"Database"},
	v1alpha1.AnnotationRotatePassword: {"Database"},
	v1alpha1.AnnotationDefaultClass:   {"BucketClass", "DatabaseClass"},
	v1alpha1.AnnotationIssueTokens:    {"ServiceAccount"},
	v1alpha1.AnnotationAllowDeletion:  {"BucketClass", "DatabaseClass", "ProviderConfig", "ClusterProviderConfig"},
}

// specOf is a valid spec of each kind that takes annotations of ours.
var specOf = map[string]string{
	"Bucket": `{}`, "Database": `{}`, "ServiceAccount": ``,
	"BucketClass": `{` + aClass + `}`, "DatabaseClass": `{` + aClass + `}`,
	"ProviderConfig": `{` + aTeamsAccount + `}`, "ClusterProviderConfig": `{` + aTeamsAccount + `}`,
}

// annotated returns an object of a kind with an annotation.
func annotated(t *testing.T, kind, annotation, value string) *unstructured.Unstructured {
	t.Helper()
	text := `{metadata: {generateName: test-}, spec: ` + specOf[kind] + `}`
	if kind == "ServiceAccount" {
		text = `{metadata: {generateName: test-}}`
	}
	o := object(t, kind, text)
	if kind == "ServiceAccount" {
		o.SetAPIVersion("v1")
	}
	o.SetAnnotations(map[string]string{annotation: value})
	return o
}

// warned installs the policy that warns, and returns what tells the warnings about a dry run.
func warned(t *testing.T) (create func(*unstructured.Unstructured) string, edit func(o *unstructured.Unstructured, patch string) string) {
	t.Helper()
	apply(t, "admission", "annotations.yaml")
	c, said := listening(t)
	create = func(o *unstructured.Unstructured) string {
		t.Helper()
		if err := c.Create(t.Context(), o.DeepCopy(), client.DryRunAll); err != nil {
			t.Errorf("a warning is no refusal: %v", err)
		}
		return strings.Join(said.Take(), "\n")
	}
	edit = func(o *unstructured.Unstructured, patch string) string {
		t.Helper()
		if err := c.Patch(t.Context(), o.DeepCopy(), merge(t, patch), client.DryRunAll); err != nil {
			t.Errorf("a warning is no refusal: %v", err)
		}
		return strings.Join(said.Take(), "\n")
	}
	for kind := range specOf {
		system.Retry(t, "the policy about "+kind, func() error {
			if create(annotated(t, kind, "mooring.dev/misspelled", "x")) == "" {
				return fmt.Errorf("no warning")
			}
			return nil
		})
	}
	return create, edit
}

// The policy knows every annotation that the API has, on the kinds where it has an effect, and none besides.
func TestKnownAnnotations(t *testing.T) {
	create, _ := warned(t)
	if got, want := slices.Sorted(maps.Keys(kindsOf)), constants(t); !slices.Equal(got, want) {
		t.Errorf("this test knows %q, apis/v1alpha1 has %q", got, want)
	}
	for kind := range specOf {
		for annotation, kinds := range kindsOf {
			got, known := create(annotated(t, kind, annotation, "true")), slices.Contains(kinds, kind)
			if unknown := strings.Contains(got, "Mooring ignores "+annotation+":"); unknown == known {
				t.Errorf("%s on a %s: warned %q", annotation, kind, got)
			}
		}
	}
}

// constants returns the annotations that apis/v1alpha1 declares, sorted.
func constants(t *testing.T) (values []string) {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "apis", "v1alpha1", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "Annotation") {
				return true
			}
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
			return true
		})
	}
	slices.Sort(values)
	return values
}

// What has no effect is said as it is set, and no later.
func TestAnnotationWarnings(t *testing.T) {
	create, edit := warned(t)
	const (
		notBoolean = `must be "true" or "false"`
		nothing    = `mooring.dev/approve approves nothing: no change of this Database waits for approval`
		another    = `mooring.dev/approve approves nothing: the changes that wait for approval have the hash 5f0c`
		waiting    = `{status: {plan: {hash: 5f0c, serial: 3}}}`
		used       = `{status: {plan: {serial: 4}}}`
	)
	for _, tc := range []struct{ name, kind, annotation, value, want string }{
		{"a misspelling", "Bucket", "mooring.dev/pause", "true", "Mooring ignores mooring.dev/pause: a Bucket has no annotation of this name"},
		{"one of another kind", "Bucket", "mooring.dev/allow-deletion", "true", "Mooring ignores mooring.dev/allow-deletion"},
		{"somebody else's", "Bucket", "example.com/paused", "yes", ""},
		{"paused", "Bucket", "mooring.dev/paused", "true", ""},
		{"not paused", "Bucket", "mooring.dev/paused", "false", ""},
		{"paused in other words", "Bucket", "mooring.dev/paused", "yes", "mooring.dev/paused " + notBoolean},
		{"paused by nothing", "Bucket", "mooring.dev/paused", "", notBoolean},
		{"a default class in other words", "DatabaseClass", "mooring.dev/is-default-class", "True", notBoolean},
		{"a permission in other words", "ClusterProviderConfig", "mooring.dev/allow-deletion", "yes", notBoolean},
		{"tokens in other words", "ServiceAccount", "mooring.dev/issue-tokens", "yes", notBoolean},
		{"reconcile", "Bucket", "mooring.dev/reconcile", "at noon", ""},
		{"another's left-behind object", "Bucket", "mooring.dev/adopt-from", "bank/ledger", ""},
		{"a name without its namespace", "Bucket", "mooring.dev/adopt-from", "ledger", "must be NAMESPACE/NAME"},
		{"an approval of what does not exist", "Database", "mooring.dev/approve", "5f0c", nothing},
	} {
		t.Run("create "+tc.name, func(t *testing.T) { expect(t, create(annotated(t, tc.kind, tc.annotation, tc.value)), tc.want) })
	}
	for _, tc := range []struct{ name, before, status, edit, want string }{
		{"a misspelling", `{}`, "", `{mooring.dev/aprove: x}`, "Mooring ignores mooring.dev/aprove"},
		{"what was there before", `{mooring.dev/pause: "true", mooring.dev/paused: "yes", mooring.dev/approve: x}`, "", `{example.com/a: b}`, ""},
		{"what was there before, taken away", `{mooring.dev/pause: "true", mooring.dev/paused: "yes"}`, "", `{mooring.dev/pause: null, mooring.dev/paused: null}`, ""},
		{"the approval of what waits", `{}`, waiting, `{mooring.dev/approve: 5f0c}`, ""},
		{"the approval of something else", `{}`, waiting, `{mooring.dev/approve: 5f0d}`, another},
		{"an approval that was used", `{}`, used, `{mooring.dev/approve: 5f0c}`, nothing},
		{"an empty approval", `{}`, used, `{mooring.dev/approve: ""}`, nothing},
		{"an approval taken back", `{mooring.dev/approve: 5f0d}`, waiting, `{mooring.dev/approve: null}`, ""},
	} {
		t.Run("edit "+tc.name, func(t *testing.T) {
			o := stored(t, "Database", `{metadata: {annotations: `+tc.before+`}, spec: {}}`, tc.status)
			settled(t, o)
			expect(t, edit(o, `{metadata: {annotations: `+tc.edit+`}}`), tc.want)
		})
	}
}

// expect compares warnings with what is wanted: none, or one with these words.
func expect(t *testing.T, got, want string) {
	t.Helper()
	if (want == "") != (got == "") || !strings.Contains(got, want) || strings.Contains(got, "\n") {
		t.Errorf("warned %q, want %q", got, want)
	}
}
