package docs

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestSamples tries the samples in one cluster.
func TestSamples(t *testing.T) {
	e := system.NewEnvironment(t, cluster.Options{ControllerManager: true}, localcloud.Options{ListenersOnly: true})
	t.Run("are taken", func(t *testing.T) { samplesAreTaken(t, e.Client) })
	t.Run("quota", func(t *testing.T) { quotaCounts(&system.Fixture{T: t, Environment: e, Namespace: "shop"}) })
}

// samplesAreTaken sends every sample as `kubectl create --dry-run=server --validate=strict` would.
func samplesAreTaken(t *testing.T, c client.Client) {
	for _, namespace := range []string{"shop", "argocd"} {
		if err := system.EnsureNamespace(t.Context(), c, namespace); err != nil {
			t.Fatal(err)
		}
	}
	kinds := map[string]int{}
	for path, content := range files(t, filepath.Join(root(t), "config", "samples"), ".yaml") {
		if filepath.Base(filepath.Dir(path)) == "values" {
			continue // of the chart, and no objects
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			objects := decode(t, content)
			for _, object := range objects {
				objects = append(objects, within(t, object)...)
			}
			for _, object := range objects {
				kinds[object.GetKind()]++
				if isForeign(t, object) {
					continue
				}
				err := c.Create(t.Context(), object, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
				if client.IgnoreAlreadyExists(err) != nil { // the namespaces, and the environment's accounts
					t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
				}
			}
		})
	}
	for _, kind := range []string{"Bucket", "Database", "ProviderConfig", "ClusterProviderConfig"} {
		if kinds[kind] < 2 {
			t.Errorf("%d samples of kind %s, want one for each cloud", kinds[kind], kind)
		}
	}
}

// within returns the objects that a ConfigMap holds as YAML.
func within(t *testing.T, config *unstructured.Unstructured) (all []*unstructured.Unstructured) {
	t.Helper()
	if config.GetKind() != "ConfigMap" {
		return nil
	}
	data, _, _ := unstructured.NestedStringMap(config.Object, "data")
	for name, content := range data {
		if filepath.Ext(name) == ".yaml" {
			all = append(all, decode(t, content)...)
		}
	}
	return all
}

// The quickstart applies the folder of samples as a whole, without those in folders of their own, and of the classes those for AWS alone.
func TestSamplesOfTheQuickstart(t *testing.T) {
	samples := filepath.Join(root(t), "config", "samples")
	classes, names := map[string]bool{}, map[string]string{}
	all := files(t, samples, ".yaml")
	for _, class := range decode(t, all[filepath.Join(samples, "classes", "aws.yaml")]) {
		classes[class.GetKind()+" "+class.GetName()] = true
	}
	for path, content := range all {
		if filepath.Dir(path) != samples {
			continue
		}
		for _, object := range decode(t, content) {
			name := object.GetKind() + " " + object.GetNamespace() + "/" + object.GetName()
			if other, taken := names[name]; taken {
				t.Errorf("%s is in %s and in %s: one would be applied over the other", name, filepath.Base(other), filepath.Base(path))
			}
			names[name] = path
			class, named, _ := unstructured.NestedString(object.Object, "spec", "className")
			if named && !classes[object.GetKind()+"Class "+class] {
				t.Errorf("%s names the class %q, which the quickstart does not have: put it into a folder of its own", name, class)
			}
		}
	}
	if len(classes) == 0 || len(names) < 8 {
		t.Errorf("classes %v and samples %v: too few to be all", classes, names)
	}
}

func decode(t *testing.T, content string) (objects []*unstructured.Unstructured) {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(content), 4096)
	for {
		object := &unstructured.Unstructured{}
		switch err := decoder.Decode(object); {
		case errors.Is(err, io.EOF):
			return objects
		case err != nil:
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
}
