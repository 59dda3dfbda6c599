package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
)

// TestServerAccepts shows all that is rendered to the API server, which stores nothing but validates all: unknown fields, values,
// rules of CEL, and whether Pods keep to the restricted Pod Security Standard. The same is validated by kubeconform, with the
// schemas that this API server publishes.
func TestServerAccepts(t *testing.T) {
	c := cluster.ForTest(t, cluster.Options{})
	if err := c.InstallCRDs(filepath.Join(root(t), "bin", "monitoring")); err != nil {
		t.Fatal(err)
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	k, err := client.New(c.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{namespace, "shop", "billing"} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted",
		}}}
		if err := k.Create(t.Context(), ns); err != nil {
			t.Fatal(err)
		}
	}
	// What Pods refer to and whoever installs has to bring.
	for _, account := range []string{"default", "mooring", "cloud", "somebody"} {
		if err := k.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: account}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Create(t.Context(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "platform"}, Value: 1000}); err != nil {
		t.Fatal(err)
	}
	schemas := schemasOf(t, c)
	all := map[string]string{}    // what was rendered, each text once
	accepted := map[string]bool{} // what was accepted is not asked again: most objects are the same in all variants and for both helms
	for _, v := range variants(t) {
		for _, program := range helms {
			t.Run(v.name+" "+program, func(t *testing.T) {
				rendered := newHelm(t, program, "").template(t, chartDir(t), v.values)
				all[v.name+" "+program+".yaml"] = rendered
				for _, o := range manifests(t, rendered) {
					if o.GroupVersionKind().Group == "cert-manager.io" { // of which there are no definitions here
						continue
					}
					content, err := o.MarshalJSON()
					if err != nil {
						t.Fatal(err)
					}
					if key := string(content); !accepted[key] {
						accepts(t, k, o)
						accepted[key] = !t.Failed()
					}
				}
			})
		}
	}
	conform(t, all, schemas)
}

// accepts applies an object, and the Pods that it would make, without effect.
func accepts(t *testing.T, k client.Client, o *unstructured.Unstructured) {
	t.Helper()
	unmanaged := o.DeepCopy()
	options := []client.ApplyOption{client.ForceOwnership, client.FieldOwner("test"), client.DryRunAll}
	if err := client.WithFieldValidation(k, metav1.FieldValidationStrict).Apply(t.Context(), client.ApplyConfigurationFromUnstructured(unmanaged), options...); err != nil {
		t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
	if o.GetKind() != "Deployment" {
		return
	}
	template, _, err := unstructured.NestedMap(o.Object, "spec", "template")
	if err != nil {
		t.Fatal(err)
	}
	pod := &unstructured.Unstructured{Object: template}
	pod.SetAPIVersion("v1")
	pod.SetKind("Pod")
	pod.SetNamespace(o.GetNamespace())
	pod.SetGenerateName(o.GetName() + "-")
	if err := k.Create(t.Context(), pod, client.DryRunAll); err != nil {
		t.Errorf("a Pod of Deployment %s: %v", o.GetName(), err)
	}
}

// schemasOf writes the schemas that an API server publishes to a folder, a file for each kind, as kubeconform reads them.
func schemasOf(t *testing.T, c *cluster.Cluster) (dir string) {
	t.Helper()
	dir = t.TempDir()
	// Those of new definitions are published a moment after these are served.
	defer func() {
		if _, err := os.Stat(filepath.Join(dir, "servicemonitor-monitoring.coreos.com_v1.json")); err != nil && t.Context().Err() == nil {
			time.Sleep(100 * time.Millisecond)
			dir = schemasOf(t, c)
		}
	}()
	api, err := discovery.NewDiscoveryClientForConfig(c.Config())
	if err != nil {
		t.Fatal(err)
	}
	paths, err := api.OpenAPIV3().Paths()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		raw, err := path.Schema("application/json")
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Components json.RawMessage `json:"components"`
		}
		var named struct {
			Schemas map[string]struct {
				Kinds []struct{ Group, Version, Kind string } `json:"x-kubernetes-group-version-kind"`
			} `json:"schemas"`
		}
		if err := json.Unmarshal(raw, &document); err != nil || document.Components == nil {
			continue // a path without objects
		}
		if err := json.Unmarshal(document.Components, &named); err != nil {
			t.Fatal(err)
		}
		for name, schema := range named.Schemas {
			for _, of := range schema.Kinds {
				group := of.Group
				if group == "" {
					group = of.Version // as kubeconform calls the core group
				}
				content := fmt.Sprintf(`{"$ref": "#/components/schemas/%s", "components": %s}`, name, document.Components)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s_%s.json", strings.ToLower(of.Kind), group, of.Version)), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return dir
}

// conform has kubeconform look at all that was rendered, by file name: in one run, which reads each schema once.
func conform(t *testing.T, rendered map[string]string, schemas string) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range rendered {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	location := filepath.Join(schemas, "{{.ResourceKind}}-{{.Group}}_{{.ResourceAPIVersion}}.json")
	out, err := exec.CommandContext(t.Context(), cluster.ProgramForTest(t, "kubeconform"), "-schema-location", location, "-skip", "Certificate,Issuer", "-summary", folder).CombinedOutput()
	if err != nil {
		t.Errorf("kubeconform: %v\n%s", err, out)
	}
}
