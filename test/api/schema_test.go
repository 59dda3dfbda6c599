package api

import (
	stdcmp "cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/cluster"
)

// definitions returns our CRDs by kind, and the size of each as JSON.
func definitions(t *testing.T) (map[string]*apiextensionsv1.CustomResourceDefinition, map[string]int) {
	t.Helper()
	dir, err := cluster.CRDDir()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs in %s: %v", dir, err)
	}
	all, sizes := map[string]*apiextensionsv1.CustomResourceDefinition{}, map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		compact, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		all[crd.Spec.Names.Kind], sizes[crd.Spec.Names.Kind] = crd, len(compact)
	}
	return all, sizes
}

// walk visits every field below a schema, with its path.
func walk(path string, s *apiextensionsv1.JSONSchemaProps, visit func(path string, s *apiextensionsv1.JSONSchemaProps)) {
	for name, p := range s.Properties {
		visit(path+"."+name, &p)
		walk(path+"."+name, &p, visit)
	}
	if s.Items != nil && s.Items.Schema != nil {
		walk(path+"[]", s.Items.Schema, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		walk(path+"{}", s.AdditionalProperties.Schema, visit)
	}
}

// Reading the schema is how people learn a field: kubectl explain says something about each.
func TestEveryFieldIsExplained(t *testing.T) {
	all, _ := definitions(t)
	for kind, crd := range all {
		for _, v := range crd.Spec.Versions {
			if v.Schema.OpenAPIV3Schema.Description == "" {
				t.Errorf("%s has no description", kind)
			}
			fields := 0
			walk("", v.Schema.OpenAPIV3Schema, func(path string, s *apiextensionsv1.JSONSchemaProps) {
				fields++
				if path == ".metadata" {
					return // the API server's own
				}
				if len(s.Description) < 10 {
					t.Errorf("%s%s: description %q", kind, path, s.Description)
				}
			})
			if fields < 10 {
				t.Errorf("%s: only %d fields were looked at", kind, fields)
			}
		}
	}
}

// Tenants reference only their own namespace: no reference in a namespaced kind has a namespace field.
func TestNoReferenceNamesANamespace(t *testing.T) {
	all, _ := definitions(t)
	for kind, crd := range all {
		walk("", crd.Spec.Versions[0].Schema.OpenAPIV3Schema, func(path string, _ *apiextensionsv1.JSONSchemaProps) {
			if last := path[strings.LastIndex(path, ".")+1:]; strings.EqualFold(last, "namespace") {
				t.Errorf("%s%s", kind, path)
			}
			if crd.Spec.Scope == apiextensionsv1.NamespaceScoped && strings.HasPrefix(path, ".spec.") &&
				(strings.HasSuffix(path, ".endpoint") || strings.HasSuffix(path, ".ambient")) {
				t.Errorf("%s%s: only the cluster's kinds choose endpoints and identities", kind, path)
			}
		})
	}
}

// A default is a write into somebody's spec.
func TestSpecsHaveNoDefaults(t *testing.T) {
	all, _ := definitions(t)
	var found []string
	for kind, crd := range all {
		walk("", crd.Spec.Versions[0].Schema.OpenAPIV3Schema, func(path string, s *apiextensionsv1.JSONSchemaProps) {
			if s.Default != nil {
				found = append(found, kind+path+"="+string(s.Default.Raw))
			}
		})
	}
	slices.Sort(found)
	var want []string
	for kind, crd := range all {
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
		if _, refers := spec["spec"].Properties["providerConfigRef"].Properties["kind"]; refers {
			want = append(want, kind+`.spec.providerConfigRef.kind="ProviderConfig"`)
		}
		if _, has := spec["status"]; has && !strings.HasSuffix(kind, "Class") {
			want = append(want, kind+`.status={"observedGeneration":-1}`)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// kubectl apply keeps the whole object in an annotation, and an object's annotations are limited to 256 KiB. A quarter of that is for
// what others annotate, and warns before an apply fails. What fits there also fits into etcd, with the copy: test/chart measures that.
func TestDefinitionsCanBeApplied(t *testing.T) {
	_, sizes := definitions(t)
	for kind, size := range sizes {
		size += len(corev1.LastAppliedConfigAnnotation)
		if room := apivalidation.TotalAnnotationSizeLimitB - size; room < apivalidation.TotalAnnotationSizeLimitB/4 {
			t.Errorf("%s: %d bytes leave room for %d below %d, want a quarter", kind, size, room, apivalidation.TotalAnnotationSizeLimitB)
		} else {
			t.Logf("%s: %d of %d bytes, room for %d", kind, size, apivalidation.TotalAnnotationSizeLimitB, room)
		}
	}
}

func TestNames(t *testing.T) {
	d, err := discovery.NewDiscoveryClientForConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	list, err := d.ServerResourcesForGroupVersion("mooring.dev/v1alpha1")
	if err != nil {
		t.Fatal(err)
	}
	want, short := map[string]string{"providerconfigs": "ProviderConfig", "clusterproviderconfigs": "ClusterProviderConfig"}, map[string]bool{}
	for _, k := range kind.All() {
		want[k.Plural] = k.Name
		if k.Class != nil {
			want[k.Class.Plural] = k.Class.Name
		}
	}
	got := map[string]string{}
	for _, r := range list.APIResources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		got[r.Name] = r.Kind
		if len(r.ShortNames) != 1 || short[r.ShortNames[0]] {
			t.Errorf("%s has the short names %q, want one of its own", r.Name, r.ShortNames)
		}
		for _, s := range r.ShortNames {
			short[s] = true
		}
		if want := r.Namespaced; slices.Equal(r.Categories, []string{"mooring"}) != want { // kubectl get mooring is for developers
			t.Errorf("%s has the categories %q, and is namespaced: %t", r.Name, r.Categories, want)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The person on call must see from kubectl get alone what is wrong. Columns in brackets need -o wide.
func TestColumns(t *testing.T) {
	o := stored(t, "Database", `spec: {className: standard, engine: postgres}`)
	if err := patch(t, o, `
status:
  externalName: shop-orders-1
  provider: aws
  location: eu-central-1
  accountID: "111122223333"
  className: standard
  endpoint: orders.example.com:5432
  observed: {engine: postgres, version: "16.4"}
  conditions:
  - {type: Available, status: "True", reason: Available, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}
  - {type: Ready, status: "False", reason: Denied, message: "the key is not valid", lastTransitionTime: "2026-01-01T00:00:00Z"}
  - {type: Synced, status: "True", reason: Ready, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}
`, true); err != nil {
		t.Fatal(err)
	}
	catalogue := stored(t, "DatabaseClass", `
metadata: {annotations: {mooring.dev/is-default-class: "true"}}
spec:
  description: for orders
  providerConfigRef: {name: aws}
  enforced: {engine: postgres}
  sizes: [{name: small, cost: 5 EUR, aws: {instanceClass: db.t4g.micro}}, {name: large, cost: 50 EUR, aws: {instanceClass: db.t4g.large}}]
`)
	if err := patch(t, catalogue, `status: {provider: aws, users: 3, upToDate: 2, waiting: 0, stalled: 1, sizes: "small, large", catalogue: "small (5 EUR), large", accounts: "aws, bank",
  conditions: [{type: Ready, status: "False", reason: ProviderConfigNotFound, message: no such account, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`, true); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		resource, name string
		want           map[string]any
	}{
		{"databases", o.GetName(), map[string]any{
			"Ready": "False", "Synced": "True", "Reason": "Denied", "Provider": "aws", "External name": "shop-orders-1",
			"(Available)": "True", "(Class)": "standard", "(Size)": nil, "(Engine)": "postgres", "(Version)": "16.4", "(Endpoint)": "orders.example.com:5432", "(Location)": "eu-central-1", "(Account)": "111122223333", "(Message)": "the key is not valid",
		}},
		{"buckets", stored(t, "Bucket", `spec: {className: standard}`).GetName(), map[string]any{
			"Ready": nil, "Synced": nil, "Reason": nil, "Provider": nil, "External name": nil,
			"(Available)": nil, "(Class)": nil, "(Location)": nil, "(Account)": nil, "(Message)": nil,
		}},
		{"databaseclasses", catalogue.GetName(), map[string]any{
			"Default": "true", "Engine": "postgres", "Sizes": "small, large", "Provider": "aws", "Ready": "False", "Description": "for orders",
			"(Users)": 3.0, "(Up to date)": 2.0, "(Waiting)": 0.0, "(Stalled)": 1.0, "(Catalogue)": "small (5 EUR), large", "(Accounts)": "aws, bank",
			"(Message)": "no such account",
		}},
		{"providerconfigs", stored(t, "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: a}}}`).GetName(), map[string]any{
			"Ready": nil, "Reason": nil, "Provider": nil, "Account": nil, "(In use by)": nil, "(Message)": nil,
		}},
	} {
		t.Run(tt.resource, func(t *testing.T) {
			got := row(t, tt.resource, tt.name)
			if age := stdcmp.Or(got["Age"], got["(Age)"]); got["Name"] != tt.name || age == nil {
				t.Errorf("name %v, age %v", got["Name"], age)
			}
			delete(got, "Name")
			delete(got, "Age")
			delete(got, "(Age)")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// row returns what kubectl get shows of an object.
func row(t *testing.T, resource, name string) map[string]any {
	t.Helper()
	cfg := rest.CopyConfig(server)
	cfg.APIPath, cfg.GroupVersion, cfg.NegotiatedSerializer = "/apis", &schema.GroupVersion{Group: "mooring.dev", Version: "v1alpha1"}, scheme.Codecs
	c, err := rest.RESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := c.Get().NamespaceIfScoped(namespace, !strings.HasSuffix(resource, "classes")).Resource(resource).Name(name).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Raw()
	if err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	if err := json.Unmarshal(raw, &table); err != nil || len(table.Rows) != 1 {
		t.Fatalf("%v: %s", err, raw)
	}
	cells := map[string]any{}
	for i, c := range table.ColumnDefinitions {
		title := c.Name
		if c.Priority > 0 {
			title = "(" + title + ")"
		}
		cells[title] = table.Rows[0].Cells[i]
	}
	return cells
}
