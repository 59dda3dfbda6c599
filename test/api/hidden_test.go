package api

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/system"
)

// boatKind is a kind of this test alone, whose definition is taken back to one without a field, as a rollback of the chart does.
var boatKind = schema.GroupVersionKind{Group: "harbour.example.com", Version: "v1", Kind: "Boat"}

// What an API server does with a field that its definition lost is what controllers/resource/gather relies on. A read hides it; whoever then writes
// anything, status and annotations included, drops it for good; and only an edit of what is left of the spec is a new generation.
func TestWhatALostFieldLooksLike(t *testing.T) {
	types := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(types); err != nil {
		t.Fatal(err)
	}
	definitions, err := client.New(server, client.Options{Scheme: types})
	if err != nil {
		t.Fatal(err)
	}
	crd := boats("name", "draft")
	if err := definitions.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	redefine := func(as *apiextensionsv1.CustomResourceDefinition) {
		t.Helper()
		if err := definitions.Get(t.Context(), client.ObjectKeyFromObject(crd), crd); err != nil {
			t.Fatal(err)
		}
		crd.Spec.Versions = as.Spec.Versions
		if err := definitions.Update(t.Context(), crd); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"untouched", "status", "annotation", "edit"}
	for _, name := range names {
		b := boat(name)
		b.Object["spec"] = map[string]any{"name": "Lena", "draft": "deep"}
		system.Eventually(t, "boats are served", func() bool { return api.Create(t.Context(), b) == nil })
	}
	shows := func(field string) func() bool {
		return func() bool { _, ok := read(t, "untouched")[field]; return ok }
	}
	hides := func() bool { return !shows("draft")() }

	redefine(boats("name"))
	system.Eventually(t, "the field is hidden", hides)
	for name, change := range map[string]func(*unstructured.Unstructured) error{
		"status": func(b *unstructured.Unstructured) error {
			b.Object["status"] = map[string]any{"moored": "yes"}
			return api.Status().Update(t.Context(), b)
		},
		"annotation": func(b *unstructured.Unstructured) error {
			b.SetAnnotations(map[string]string{"seen": "yes"})
			return api.Update(t.Context(), b)
		},
		"edit": func(b *unstructured.Unstructured) error {
			b.Object["spec"] = map[string]any{"name": "Gertrud"}
			return api.Update(t.Context(), b)
		},
	} {
		b := boat(name)
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
			t.Fatal(err)
		}
		if err := change(b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	redefine(boats("name", "draft"))
	system.Eventually(t, "the field is shown again", shows("draft"))
	type outcome struct {
		kept       bool
		generation int64
	}
	for name, want := range map[string]outcome{"untouched": {true, 1}, "status": {false, 1}, "annotation": {false, 1}, "edit": {false, 2}} {
		b := boat(name)
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
			t.Fatal(err)
		}
		_, kept, _ := unstructured.NestedString(b.Object, "spec", "draft")
		if got := (outcome{kept, b.GetGeneration()}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func boat(name string) *unstructured.Unstructured {
	b := &unstructured.Unstructured{}
	b.SetGroupVersionKind(boatKind)
	b.SetNamespace(namespace)
	b.SetName(name)
	return b
}

// read returns the spec of a boat as the API server shows it.
func read(t *testing.T, name string) map[string]any {
	t.Helper()
	b := boat(name)
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	spec, _, _ := unstructured.NestedMap(b.Object, "spec")
	return spec
}

// boats returns a definition whose spec has fields.
func boats(fields ...string) *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	spec := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for _, f := range fields {
		spec.Properties[f] = text
	}
	status := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"moored": text}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "boats." + boatKind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: boatKind.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boats", Singular: "boat", Kind: "Boat", ListKind: "BoatList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: boatKind.Version, Served: true, Storage: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status},
				}},
			}},
		},
	}
}
