package imports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/mooring-dev/mooring"

	apis        = module + "/apis"
	driver      = module + "/providers/driver"
	portable    = module + "/providers/portable"
	table       = module + "/providers/table"
	sql         = module + "/providers/sql"
	drivertest  = module + "/providers/drivertest"
	mem         = module + "/providers/mem"
	aws         = module + "/providers/aws"
	gcp         = module + "/providers/gcp"
	controllers = module + "/controllers"
	tests       = module + "/test"
	localcloud  = tests + "/localcloud"

	apimachinery = "k8s.io/apimachinery"
)

var (
	// The SDKs, as the prefixes that their packages share.
	awsSDK = []string{"github.com/aws", "github.com/hashicorp/awspolicyequivalence"}
	gcpSDK = []string{"cloud.google.com/go", "google.golang.org/api", "github.com/googleapis"}
	clouds = slices.Concat([]string{aws, gcp, mem}, awsSDK, gcpSDK)
	// What only a controller holds in its hands.
	kubernetesClient = []string{"k8s.io/client-go", "sigs.k8s.io/controller-runtime"}
)

// A rule binds the packages under a path.
type rule struct {
	who string
	// may, unless nil, lists all that they import directly, apart from the standard library and themselves.
	may []string
	// never lists what they do not import even through others.
	never []string
	// neverBelow is the same of packages below these, apart from these themselves.
	neverBelow []string
}

var rules = []rule{
	{who: apis, may: []string{apimachinery}},
	{who: driver, may: []string{apis}},
	// What a portable field means is decided above the messages, and knows no field table.
	{who: portable, may: []string{apis, driver}},
	{who: table, may: []string{apis, driver}},
	// Roles and grants are the same on every cloud. The texts of passwords are compared by the form of Unicode that clients send.
	{
		who: sql, may: []string{driver, "github.com/jackc/pgx/v5", "github.com/go-sql-driver/mysql", "golang.org/x/text/unicode/norm"},
		never: slices.Concat([]string{controllers, portable, table, aws, gcp, mem, tests}, kubernetesClient, awsSDK, gcpSDK),
	},
	{who: mem, may: []string{apis, driver, portable, table}, never: kubernetesClient},
	{
		who: aws, may: slices.Concat([]string{apis, driver, portable, table, sql}, awsSDK),
		never: slices.Concat([]string{controllers, gcp, mem, tests}, kubernetesClient, gcpSDK),
	},
	// A service knows no other, and what they share knows none.
	{who: aws + "/session", never: []string{aws + "/s3", aws + "/rds"}},
	{who: aws + "/s3", never: []string{aws + "/rds"}},
	{who: aws + "/rds", never: []string{aws + "/s3"}},
	{
		// Tokens come by oauth2, which client-go imports too, so that it is no mark of this cloud.
		who: gcp, may: slices.Concat([]string{apis, driver, portable, table, sql, "golang.org/x/oauth2"}, gcpSDK),
		never: slices.Concat([]string{controllers, aws, mem, tests}, kubernetesClient, awsSDK),
	},
	// A service knows no other. What they share, and what a session is, knows none.
	{who: gcp + "/storage", never: []string{gcp + "/sql"}},
	{who: gcp + "/sql", never: []string{gcp + "/storage"}},
	{who: gcp + "/session", never: []string{gcp + "/storage", gcp + "/sql"}},
	{who: gcp + "/resource", never: []string{gcp + "/storage", gcp + "/sql", gcp + "/session"}},
	{who: drivertest, never: slices.Concat([]string{controllers, aws, gcp}, kubernetesClient)},
	{who: controllers, never: slices.Concat([]string{table, sql, drivertest, tests}, clouds)},
	// The limiter of an account knows nothing of what leads to one. It learns from calls.
	{who: controllers + "/account", may: []string{driver}},
	// The loop of every kind calls features by their hooks, and knows none by name. A feature knows the values of the loop, and none of its phases.
	{who: controllers + "/resource", neverBelow: []string{controllers + "/feature"}},
	{who: controllers + "/feature", may: slices.Concat([]string{
		apis, driver, controllers + "/resource/outcome", controllers + "/resource/plan", controllers + "/resource/reconciliation", apimachinery, "k8s.io/api", "sigs.k8s.io/controller-runtime/pkg",
	}, beside("condition", "identity", "kind", "password"))},
	// The plan decides from values: it has no client, no connection and no clock. What a stopped server takes, it knows as a driver does.
	{who: controllers + "/resource/plan", may: []string{apis, driver, portable, controllers + "/class", controllers + "/kind", controllers + "/password", controllers + "/window", apimachinery}},
	// A preview takes what is done from the plan and not from the reconciler, and reads only what a cache has.
	{who: controllers + "/resource/preview", may: []string{
		apis, driver, controllers + "/class", controllers + "/feature", controllers + "/identity", controllers + "/kind", controllers + "/resource/outcome", controllers + "/resource/plan",
		controllers + "/resource/reconciliation", apimachinery, "sigs.k8s.io/controller-runtime/pkg/client",
	}},
	// What a reconciliation came to, and what the status says then, are values too. Who reports knows nobody who acts.
	{who: controllers + "/resource/outcome", may: slices.Concat([]string{apis, driver, controllers + "/resource/plan", apimachinery, "k8s.io/api", "sigs.k8s.io/controller-runtime/pkg/log"}, beside("class", "condition", "identity", "kind", "retry"))},
	// Whose a cloud object is that can't be marked, both who gathers and who executes ask.
	{who: controllers + "/resource/claim", may: []string{apis, driver, controllers + "/kind", controllers + "/resource/plan", apimachinery, "sigs.k8s.io/controller-runtime/pkg/client"}},
	// Who acts and who reports store a status the same way.
	{who: controllers + "/resource/record", may: []string{apis, driver, controllers + "/resource/plan", apimachinery, "sigs.k8s.io/controller-runtime/pkg/client"}},
	// The value that passes through the phases knows no phase: it can neither read nor write.
	{who: controllers + "/resource/reconciliation", may: slices.Concat([]string{
		apis, driver, controllers + "/resource/outcome", controllers + "/resource/plan", apimachinery,
	}, beside("account", "class", "condition", "identity", "retry"))},
	// Who gathers knows nobody who acts or reports.
	{who: controllers + "/resource/gather", may: slices.Concat([]string{
		apis, driver, controllers + "/resource/claim", controllers + "/resource/outcome", controllers + "/resource/plan", controllers + "/resource/reconciliation", apimachinery,
		"sigs.k8s.io/controller-runtime/pkg",
	}, beside("account", "class", "condition", "feature", "identity", "kind", "retry", "telemetry"))},
	{who: controllers + "/resource/execute", may: slices.Concat([]string{
		apis, driver, controllers + "/resource/claim", controllers + "/resource/outcome", controllers + "/resource/plan", controllers + "/resource/reconciliation", controllers + "/resource/record", apimachinery,
		"k8s.io/api", "sigs.k8s.io/controller-runtime/pkg",
	}, beside("account", "class", "condition", "feature", "identity", "kind"))},
	{who: controllers + "/resource/report", may: slices.Concat([]string{
		apis, driver, controllers + "/resource/outcome", controllers + "/resource/plan", controllers + "/resource/reconciliation", controllers + "/resource/record", apimachinery, "github.com/go-logr/logr", "k8s.io/api",
		"k8s.io/client-go/tools/events", "sigs.k8s.io/controller-runtime",
	}, beside("account", "condition", "feature", "identity", "kind", "retry", "telemetry"))},
	// A stand-in has the rules of its cloud a second time: it must not inherit a driver's mistake.
	{who: localcloud, never: slices.Concat([]string{module + "/providers", controllers, module + "/cmd"}, kubernetesClient)},
	// What services share knows none of them, and the database servers know no cloud.
	{who: localcloud + "/traffic", may: []string{}},
	{who: localcloud + "/engine", never: standIns("cloud", "traffic", "amazon", "google")},
	{who: localcloud + "/cloud", may: standIns("engine", "oidc", "traffic")},
	{who: localcloud + "/amazon", may: slices.Concat(standIns("cloud", "oidc", "traffic"), awsSDK)},
	{who: localcloud + "/google", never: standIns("amazon", "s3", "rds", "sts", "storage", "sql", "monitoring")},
	// A service knows no other, but for the metrics and secrets of instances.
	{who: localcloud + "/s3", never: standIns("google", "rds", "sts")},
	{who: localcloud + "/rds", never: standIns("google", "s3", "sts", "cloudwatch", "secretsmanager")},
	{who: localcloud + "/sts", never: standIns("google", "s3", "rds")},
	{who: localcloud + "/storage", never: standIns("amazon", "sql", "monitoring")},
	{who: localcloud + "/sql", never: standIns("amazon", "storage", "monitoring")},
	{who: module + "/cmd/mooring", never: []string{drivertest, mem, tests}},
}

// beside returns packages of controllers.
func beside(names ...string) (packages []string) {
	for _, name := range names {
		packages = append(packages, controllers+"/"+name)
	}
	return packages
}

// standIns returns packages of the local cloud.
func standIns(names ...string) (packages []string) {
	for _, name := range names {
		packages = append(packages, localcloud+"/"+name)
	}
	return packages
}

// A pkg is what `go list` says of a package.
type pkg struct {
	ImportPath string
	Name       string
	Standard   bool
	Imports    []string
}

func TestImports(t *testing.T) {
	for _, v := range violations(list(t), rules) {
		t.Error(v)
	}
}

// TestRules shows that each kind of rule can be broken.
func TestRules(t *testing.T) {
	for _, tc := range []struct {
		name string
		pkgs []pkg
		want int
	}{
		{"nothing there yet", nil, 0},
		{"standard library and own sub-packages", []pkg{
			{ImportPath: driver, Name: "driver", Imports: []string{"fmt", driver + "/part"}},
			{ImportPath: driver + "/part", Name: "part"},
			{ImportPath: "fmt", Name: "fmt", Standard: true},
		}, 0},
		{"a direct import that is not on the list", []pkg{
			{ImportPath: apis + "/v1alpha1", Name: "v1alpha1", Imports: []string{"k8s.io/api/core/v1"}},
			{ImportPath: "k8s.io/api/core/v1", Name: "v1"},
		}, 1},
		{"an indirect import that is forbidden", []pkg{
			{ImportPath: aws, Name: "aws", Imports: []string{driver}},
			{ImportPath: driver, Name: "driver", Imports: []string{apis}},
			{ImportPath: apis, Name: "apis", Imports: []string{apimachinery + "/sub"}},
			{ImportPath: apimachinery + "/sub", Name: "sub", Imports: []string{"k8s.io/client-go/rest"}},
			{ImportPath: "k8s.io/client-go/rest", Name: "rest"},
		}, 1},
		{"a controller that knows a cloud", []pkg{
			{ImportPath: controllers + "/resource", Name: "resource", Imports: []string{aws}},
			{ImportPath: aws, Name: "aws", Imports: []string{"github.com/aws/aws-sdk-go-v2/service/s3"}},
			{ImportPath: "github.com/aws/aws-sdk-go-v2/service/s3", Name: "s3"},
		}, 2},
		{"a loop that knows a feature", []pkg{
			{ImportPath: controllers + "/resource", Name: "resource", Imports: []string{controllers + "/feature"}},
			{ImportPath: controllers + "/feature", Name: "feature", Imports: []string{controllers + "/feature/expiry"}},
			{ImportPath: controllers + "/feature/expiry", Name: "expiry"},
		}, 1},
		{"a name that begins alike is another package", []pkg{
			{ImportPath: apis, Name: "apis", Imports: []string{"fmt"}},
			{ImportPath: driver, Name: "driver", Imports: []string{drivertest}},
			{ImportPath: drivertest, Name: "drivertest"},
			{ImportPath: "fmt", Name: "fmt", Standard: true},
		}, 1},
		{"a package without a subject", []pkg{
			{ImportPath: controllers + "/util", Name: "util"},
			{ImportPath: controllers + "/retry", Name: "helpers"},
		}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			graph := map[string]pkg{}
			for _, p := range tc.pkgs {
				graph[p.ImportPath] = p
			}
			if got := violations(graph, rules); len(got) != tc.want {
				t.Errorf("%d violations, want %d: %q", len(got), tc.want, got)
			}
		})
	}
}

// violations returns a sentence for each import and name that breaks a rule.
func violations(graph map[string]pkg, rules []rule) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(graph)) {
		p := graph[name]
		if !within(p.ImportPath, module) {
			continue
		}
		found = append(found, nameless(p)...)
		for _, r := range rules {
			if within(p.ImportPath, r.who) {
				found = append(found, r.direct(graph, p)...)
				found = append(found, r.indirect(graph, p)...)
			}
		}
	}
	return found
}

// direct returns the imports of p that r.may does not list.
func (r rule) direct(graph map[string]pkg, p pkg) []string {
	if r.may == nil {
		return nil
	}
	may := slices.Concat(r.may, []string{r.who})
	var found []string
	for _, i := range p.Imports {
		if !graph[i].Standard && !within(i, may...) {
			found = append(found, fmt.Sprintf("%s imports %s; it may import the standard library and %q only", p.ImportPath, i, r.may))
		}
	}
	return found
}

// indirect returns what p imports through others although r.never lists it, with one way there.
func (r rule) indirect(graph map[string]pkg, p pkg) []string {
	var found []string
	from := map[string]string{p.ImportPath: ""}
	for queue := []string{p.ImportPath}; len(queue) > 0; queue = queue[1:] {
		for _, i := range graph[queue[0]].Imports {
			if _, seen := from[i]; seen {
				continue
			}
			from[i] = queue[0]
			queue = append(queue, i)
			if within(i, r.never...) || below(i, r.neverBelow...) {
				way := i
				for at := from[i]; at != ""; at = from[at] {
					way = at + " -> " + way
				}
				found = append(found, "never: "+way)
			}
		}
	}
	return found
}

// nameless complains about a package called after no subject.
func nameless(p pkg) []string {
	vague := []string{"util", "utils", "helper", "helpers", "common", "misc", "shared", "base"}
	for _, name := range []string{p.Name, path.Base(p.ImportPath)} {
		if slices.Contains(vague, name) {
			return []string{fmt.Sprintf("%s: a package called %q says nothing of what is in it", p.ImportPath, name)}
		}
	}
	return nil
}

// within says whether importPath is one of the packages under one of the roots.
func within(importPath string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return importPath == root || strings.HasPrefix(importPath, root+"/")
	})
}

// below says whether importPath is a package below one of the roots.
func below(importPath string, roots ...string) bool {
	return within(importPath, roots...) && !slices.Contains(roots, importPath)
}

// list returns every package of the module, without tests, and all that these import.
func list(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Name,Standard,Imports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	graph := map[string]pkg{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return graph
		} else if err != nil {
			t.Fatal(err)
		}
		graph[p.ImportPath] = p
	}
}
