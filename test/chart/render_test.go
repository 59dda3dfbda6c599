package chart

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// A variant is a set of values.
type variant struct {
	name, values string
	// golden: what it renders is kept in a file.
	golden bool
}

// variants are those of testdata/values, and those that the documents show.
func variants(t testing.TB) (all []variant) {
	t.Helper()
	for i, pattern := range []string{filepath.Join("testdata", "values", "*.yaml"), filepath.Join(root(t), "config", "samples", "values", "*.yaml")} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, variant{strings.TrimSuffix(filepath.Base(path), ".yaml"), string(content), i == 0})
		}
	}
	if len(all) < 4 {
		t.Fatalf("%d sets of values", len(all))
	}
	return all
}

// manifests splits what helm renders into objects.
func manifests(t testing.TB, rendered string) (all []*unstructured.Unstructured) {
	t.Helper()
	for documents := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(rendered), 4096); ; {
		o := &unstructured.Unstructured{}
		switch err := documents.Decode(o); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
}

func TestLint(t *testing.T) {
	for _, program := range helms {
		h := newHelm(t, program, "")
		for _, v := range variants(t) {
			h.run(t, "lint", "--strict", chartDir(t), "--namespace", namespace, "--values", valuesFile(t, v.values))
		}
	}
}

// TestGolden shows what the chart renders, but for the definitions, which TestDefinitions looks at. Helm 3 and 4 agree.
func TestGolden(t *testing.T) {
	for _, v := range variants(t) {
		if !v.golden {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			golden := filepath.Join("testdata", "golden", v.name+".yaml")
			for _, program := range helms {
				got := withoutDefinitions(newHelm(t, program, "").template(t, chartDir(t), v.values))
				if *update && program == helms[0] {
					if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s renders something else; if that is meant, write it by -update:\n-want +got:\n%s", program, diff)
				}
			}
		})
	}
}

// withoutDefinitions drops the CustomResourceDefinitions, whose text is their own, and brings the rest into an order: helm's
// versions have different ones, and make different numbers of blank lines.
func withoutDefinitions(rendered string) string {
	var out []string
	for document := range strings.SplitSeq("\n"+rendered, "\n---\n") {
		if strings.Contains(document, "\nkind: CustomResourceDefinition\n") {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(document, "\n") {
			if strings.TrimSpace(line) != "" {
				lines = append(lines, strings.TrimRight(line, " "))
			}
		}
		if len(lines) > 0 {
			out = append(out, "---\n"+strings.Join(lines, "\n")+"\n")
		}
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// TestDefinitions: the chart's definitions are those of config/crd, byte by byte; to be kept, each has one line more.
func TestDefinitions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root(t), "config", "crd", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no definitions", err)
	}
	const keep = "    helm.sh/resource-policy: keep\n"
	for _, program := range helms {
		for values, added := range map[string]string{"crds: {keep: false}": "", "crds: {keep: true}": keep, "{}": keep} {
			rendered := newHelm(t, program, "").template(t, chartDir(t), values)
			for _, path := range paths {
				definition, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				want := strings.TrimPrefix(string(definition), "---\n")
				want = strings.Replace(want, "  annotations:\n", "  annotations:\n"+added, 1)
				if !strings.Contains(rendered, "\n"+want) {
					t.Errorf("%s, %s: %s is not rendered as it is", program, values, filepath.Base(path))
				}
			}
		}
		if rendered := newHelm(t, program, "").template(t, chartDir(t), "crds: {install: false}"); strings.Contains(rendered, "kind: CustomResourceDefinition") {
			t.Errorf("%s: crds.install: false installs them", program)
		}
	}
}

// TestSchemaIsClosed: a value that there is not is refused, at every level.
func TestSchemaIsClosed(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(chartDir(t), "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, s map[string]any)
	walk = func(path string, s map[string]any) {
		if items, ok := s["items"].(map[string]any); ok {
			walk(path+"[]", items)
			return
		}
		properties, ok := s["properties"].(map[string]any)
		if !ok {
			return
		}
		if s["additionalProperties"] != false && path != ".global" { // which is of charts above, too
			t.Errorf("%s: additionalProperties is not false", path)
		}
		for name, property := range properties {
			walk(path+"."+name, property.(map[string]any))
		}
	}
	walk("", schema)
	defaults, err := os.ReadFile(filepath.Join(chartDir(t), "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(defaults, &values); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names(schema), slices.Sorted(names2(values))); diff != "" {
		t.Errorf("values.yaml and its schema name different values: -schema +values:\n%s", diff)
	}
}

// TestValuesRefuse: what can't be is refused before anything is installed, and the message names it.
func TestValuesRefuse(t *testing.T) {
	for values, says := range map[string]string{
		"replica: 3":                                                 "replica",
		`extraObjects: ["a: 1\n---\nb: 2\n"]`:                        "each entry is one object",
		"image: {tga: v1}":                                           "tga",
		"replicas: two":                                              "replicas",
		"replicas: -1":                                               "replicas",
		"image: {digest: 'sha256:1'}":                                "digest",
		"image: {pullPolicy: Sometimes}":                             "pullPolicy",
		"namespaces: shop":                                           "namespaces",
		"namespaces: [Shop]":                                         "namespaces",
		"namespaces: [shop, shop]":                                   "namespaces",
		"clusterID: 'no spaces'":                                     "clusterID",
		"syncPeriod: often":                                          "syncPeriod",
		"syncPeriod: 10":                                             "syncPeriod",
		"workers: 0":                                                 "workers",
		"log: {level: loud}":                                         "level",
		"log: {format: xml}":                                         "format",
		"metrics: {port: 80}":                                        "port",
		"metrics: {serviceMonitor: {interval: 30}}":                  "interval",
		"serviceAccount: {annotations: {a: true}}":                   "annotations",
		"extraArgs: [sync-period=1m]":                                "extraArgs",
		"extraEnv: [{value: x}]":                                     "extraEnv",
		"resources: {request: {cpu: 1}}":                             "request",
		"podDisruptionBudget: {maxUnavailable: all}":                 "maxUnavailable",
		"fullnameOverride: Mooring":                                  "fullnameOverride",
		"imagePullSecrets: [registry]":                               "imagePullSecrets",
		"caBundle: {key: ''}":                                        "key",
		"nodeSelector: {a: 1}":                                       "nodeSelector",
		"tolerations: [{keyy: a}]":                                   "keyy",
		"imagePullSecrets: [{secretName: a}]":                        "secretName",
		"resources: {limits: {memroy: 1Gi}}":                         "memroy",
		"topologySpreadConstraints: [{maxSkew: 1}]":                  "topologyKey",
		"serviceAccount: {create: false}":                            "name",
		"metrics: {enabled: false, rules: {enabled: true}}":          "MooringAbsent",
		"metrics: {enabled: false, serviceMonitor: {enabled: true}}": "nothing to scrape",
		"metrics: {objectLimit: -1}":                                 "objectLimit",
		"metrics: {rules: {enabled: true, alerts: {Mooring: {}}}}":   "there is no alert of that name",
		"metrics: {rules: {alerts: {MooringAbsent: {mute: true}}}}":  "mute",
		"podSecurityContext: {runAsUsr: 1}":                          "runAsUsr",
		"securityContext: {privilegd: true}":                         "privilegd",
		"service: {ipFamilyPolicy: Dual}":                            "ipFamilyPolicy",
		"dnsPolicy: Mine":                                            "dnsPolicy",
		"dnsPolicy: None":                                            "dnsPolicy", // the API server would want a dnsConfig
		"admission: {certManager: {issuer: a}}":                      "issuer",
	} {
		for _, program := range helms {
			h := newHelm(t, program, "")
			_, errs, err := h.try(t, "template", release, chartDir(t), "--values", valuesFile(t, values), "--api-versions", "monitoring.coreos.com/v1/PrometheusRule")
			if err == nil || !strings.Contains(errs, says) {
				t.Errorf("%s: %s is answered by %v, want it refused with %q named:\n%s", program, values, err, says, errs)
			}
		}
	}
}

// kubernetes are values whose own are Kubernetes', and not for the chart to say.
var kubernetes = []string{"resources", "affinity", "podSecurityContext", "securityContext", "issuerRef"}

// names returns the values in a schema, as paths, and names2 those in values.
func names(schema map[string]any) (paths []string) {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil
	}
	for name, property := range properties {
		if name == "enabled" && schema["title"] != nil {
			continue
		}
		if property.(map[string]any)["deprecated"] == true { // a former name, which values.yaml does not have any more
			continue
		}
		paths = append(paths, name)
		for _, sub := range names(property.(map[string]any)) {
			if !slices.Contains(kubernetes, name) {
				paths = append(paths, name+"."+sub)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

func names2(values map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name, value := range values {
			if !yield(name) {
				return
			}
			sub, ok := value.(map[string]any)
			if !ok || name == "labels" || slices.Contains(kubernetes, name) {
				continue
			}
			for path := range names2(sub) {
				if !yield(name + "." + path) {
					return
				}
			}
		}
	}
}
