package constraint

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mooring-dev/mooring/controllers/kind"
)

var buckets, databases = kind.Bucket(), kind.Database()

// input is a database in its namespace, and its class.
var input = Input{
	Spec: map[string]any{
		"className":          "postgres-standard",
		"engine":             "postgres",
		"version":            "16.3",
		"deletionProtection": false,
		"storage":            map[string]any{"sizeGiB": int64(50)},
		"backup":             map[string]any{"retentionDays": int64(0)},
		"tags":               map[string]any{"team": "shop", "stage": "prod"},
		"credentials":        map[string]any{},
		"aws":                nil,
	},
	Namespace: Metadata{Name: "shop", Labels: map[string]string{"stage": "prod", "example.com/tier": "gold"}},
	Class:     Metadata{Name: "postgres-standard", Annotations: map[string]string{"max": "100"}},
}

func TestHolds(t *testing.T) {
	for _, tc := range []struct {
		name, rule string
		want       bool
		err        string // words of an error of Holds
	}{
		{"a number", `spec.storage.sizeGiB <= 500`, true, ""},
		{"a number that is too large", `spec.storage.sizeGiB <= 49`, false, ""},
		{"an enumeration is a string", `spec.engine in ['postgres', 'mysql'] && spec.engine.startsWith('post')`, true, ""},
		{"a zero is not unset", `has(spec.backup.retentionDays) && spec.backup.retentionDays == 0`, true, ""},
		{"false is not unset", `has(spec.deletionProtection) && !spec.deletionProtection`, true, ""},
		{"an empty object is not unset", `has(spec.credentials) && !has(spec.credentials.username)`, true, ""},
		{"null is unset", `!has(spec.aws)`, true, ""},
		{"unset is unset", `!has(spec.gcp)`, true, ""},
		{"has() where the parent is missing", `has(spec.gcp.tier)`, false, "test with has()"},
		{"a missing field", `spec.gcp.tier == 'db-f1-micro'`, false, "test with has()"},
		{"a missing entry", `spec.tags['owner'] == 'me'`, false, "test with has()"},
		{"optional fields", `spec.?gcp.?tier.orValue('none') == 'none' && spec.?storage.?sizeGiB.orValue(10) == 50`, true, ""},
		{"optional entries", `spec.?tags['owner'].orValue('shop') == spec.tags.team`, true, ""},
		{"all keys of a map", `spec.tags.all(k, k.matches('^[a-z]+$') && spec.tags[k] != '')`, true, ""},
		{"namespace", `namespaceObject.metadata.name == 'shop' && namespaceObject.metadata.labels['example.com/tier'] == 'gold'`, true, ""},
		{"class", `class.metadata.name == spec.className && spec.storage.sizeGiB <= int(class.metadata.annotations['max'])`, true, ""},
		{"maps of metadata are always there", `class.metadata.labels.size() == 0 && !('x' in class.metadata.labels)`, true, ""},
		{"libraries of Kubernetes", `quantity('50Gi').isGreaterThan(quantity('1Gi')) && spec.version.find('^[0-9]+') == '16' && isSemver('1.2.3')`, true, ""},
		{"sets and strings", `sets.contains(['postgres'], [spec.engine]) && spec.version.split('.')[0] == '16'`, true, ""},
		{"dividing by nothing", `1 / spec.backup.retentionDays == 1`, false, "zero"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rule, err := Compile(tc.rule, databases)
			if err != nil {
				t.Fatal(err)
			}
			got, err := rule.Holds(t.Context(), input)
			if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%v, %v; want %v, %q", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestCompile(t *testing.T) {
	for _, tc := range []struct {
		name, rule string
		kind       *kind.Kind
		want       string // words of the error; empty for none
	}{
		{"a misspelled field", `spec.storag.sizeGiB > 1`, databases, "line 1, column 5: undefined field 'storag'"},
		{"a misspelled field on the second line", "spec.storage.sizeGiB > 1 &&\n  spec.backup.days > 1", databases, "line 2, column 14: undefined field 'days'"},
		{"a field of another kind", `has(spec.versioning)`, databases, "undefined field 'versioning'"},
		{"the field of that kind", `has(spec.versioning)`, buckets, ""},
		{"a misspelled field of the class", `class.metadata.label.size() == 0`, databases, "undefined field 'label'"},
		{"annotations of a namespace", `namespaceObject.metadata.annotations.size() == 0`, databases, "undefined field 'annotations'"},
		{"a wrong comparison", `spec.storage.sizeGiB <= '500'`, databases, "no matching overload"},
		{"a string compared with a number", `spec.version == 16`, databases, "no matching overload"},
		{"no answer", `spec.storage.sizeGiB`, databases, "true or false"},
		{"two mistakes", `spec.a && spec.b`, databases, "; line 1, column 15"},
		{"no expression", ``, databases, "line 1"},
		{"an unfinished one", `spec.engine ==`, databases, "line 1"},
		{"a word of the language's", `namespace.labels.size() == 0`, databases, "reserved identifier: namespace"},
		{"an unknown variable", `object.spec.engine == 'mysql'`, databases, "undeclared reference to 'object'"},
		{"a bad regular expression", `spec.engine.matches('(')`, databases, "matches argument"},
		{"too long", strings.Repeat(" ", MaxLength) + "true", databases, "4096 bytes"},
		{"an unknown kind", `true`, &kind.Kind{Plural: "pods"}, "pods"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for range 2 { // the second comes from the cache
				_, err := Compile(tc.rule, tc.kind)
				if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %q", err, tc.want)
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("more than a line: %q", err)
				}
			}
		})
	}
}

const (
	// nested looks at each entry for each of each of each of each.
	nested = `spec.tags.all(a, spec.tags.all(b, spec.tags.all(c, spec.tags.all(d, spec.tags.all(e, a + b + c + d != e)))))`
	// looping has an estimate that is small enough, and a cost that is not.
	looping = `lists.range(600).all(i, lists.range(600).all(j, i + j >= 0))`
)

func TestCost(t *testing.T) {
	if _, err := Compile(nested, databases); !errors.Is(err, ErrTooCostly) {
		t.Errorf("%v, want ErrTooCostly by the estimate", err)
	}
	rule, err := Compile(looping, databases)
	if err != nil {
		t.Fatal(err)
	}
	if holds, err := rule.Holds(t.Context(), input); holds || !errors.Is(err, ErrTooCostly) {
		t.Errorf("%v, %v; want ErrTooCostly by the limit", holds, err)
	}
}

func TestDeadline(t *testing.T) {
	rule, err := Compile(looping, databases)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		time.Sleep(2 * time.Second)
		if holds, err := rule.Holds(ctx, input); holds || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %v; want the deadline", holds, err)
		}
	})
}

func TestInputStaysAsItIs(t *testing.T) {
	spec := map[string]any{"aws": nil, "storage": map[string]any{"sizeGiB": nil}}
	rule, err := Compile(`!has(spec.aws) && has(spec.storage) && !has(spec.storage.sizeGiB)`, databases)
	if err != nil {
		t.Fatal(err)
	}
	if holds, err := rule.Holds(t.Context(), Input{Spec: spec}); !holds || err != nil {
		t.Errorf("%v, %v", holds, err)
	}
	if _, there := spec["aws"]; !there {
		t.Error("the caller's tree was changed")
	}
}

func TestHasField(t *testing.T) {
	for path, want := range map[string]bool{
		"spec": true, "spec.storage": true, "spec.storage.sizeGiB": true, "spec.tags": true, "spec.tags.team": true,
		"spec.aws.instanceClass": true, "spec.storag": false, "spec.storage.size": false, "status": false, "": false, "spec.tags.team.x": false,
	} {
		if got := HasField(databases, path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

func FuzzRule(f *testing.F) {
	for _, seed := range []string{
		`spec.storage.sizeGiB <= 500`, `has(spec.gcp.tier)`, `spec.?gcp.?tier.orValue('none') == 'none'`, nested, looping,
		`spec.tags.exists_one(k, spec.tags[k].matches('(a+)+$'))`, `namespaceObject.metadata.labels.map(k, k).join('').size() < 100`,
		`[[1, 2], [3]].map(x, x.map(y, y * y)).size() == 2`, `((((((true))))))`, `spec.`, `"\u0000"`, `1 == 1.0`, `quantity('1Gi').asInteger() > 0`,
		`duration('1h') > duration('1m') && timestamp('2020-01-01T00:00:00Z').getFullYear() == 2020`, `'%s'.format([spec]) == ''`, `dyn(spec).x`,
		strings.Repeat("(", 4000), strings.Repeat("!", 4000) + "true", strings.Repeat("-", 4000) + "1 > 0", strings.Repeat("[", 4000),
		"1" + strings.Repeat("+1", 2000) + "> 0", strings.Repeat("true ? ", 500) + "true" + strings.Repeat(": true", 500),
		"['ab']" + strings.Repeat(".map(x, x + x)", 200) + ".size() == 1", "spec" + strings.Repeat(".a", 2000), strings.Repeat("[1].all(x, ", 300) + "true" + strings.Repeat(")", 300),
		"'" + strings.Repeat("a", 30) + "'.matches('((a{1,100}){1,100}){1,100}$')", strings.Repeat("spec.tags.all(k, k == 'x') || ", 100) + "true",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, database bool) {
		of, in := buckets, Input{Spec: map[string]any{"versioning": "Enabled", "tags": map[string]any{"a": "b"}}}
		if database {
			of, in = databases, input
		}
		rule, err := compile(text, of) // past the cache, and at any length; what hangs is ended by the test's own time limit
		if (rule == nil) == (err == nil) {
			t.Fatalf("%v, %v", rule, err)
		}
		if rule != nil {
			if holds, err := rule.Holds(t.Context(), in); holds && err != nil {
				t.Errorf("it holds, and %v", err)
			}
		}
	})
}
