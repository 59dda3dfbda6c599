package docs

import (
	"bytes"
	"encoding/json"
	"testing"

	helm "github.com/fluxcd/helm-controller/api/v2"
	kustomize "github.com/fluxcd/kustomize-controller/api/v1"
	source "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// foreign are kinds of samples that the API server of these tests does not have, with what they look like, and the fields
// without which they mean nothing.
var foreign = map[string]struct {
	object func() any
	needs  []string
}{
	"source.toolkit.fluxcd.io/v1 OCIRepository":    {func() any { return &source.OCIRepository{} }, []string{"url", "interval"}},
	"helm.toolkit.fluxcd.io/v2 HelmRelease":        {func() any { return &helm.HelmRelease{} }, []string{"interval", "chartRef"}},
	"kustomize.toolkit.fluxcd.io/v1 Kustomization": {func() any { return &kustomize.Kustomization{} }, []string{"interval", "prune", "sourceRef"}},
	"argoproj.io/v1alpha1 Application":             {func() any { return &application{} }, []string{"project", "source", "destination"}},
}

// application is as much of Argo CD's Application as samples say.
// https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/
type application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Project string `json:"project"`
		Source  struct {
			RepoURL        string `json:"repoURL"`
			TargetRevision string `json:"targetRevision"`
			Path           string `json:"path"`
			Chart          string `json:"chart"`
			Helm           *struct {
				ValuesObject map[string]any `json:"valuesObject"`
			} `json:"helm"`
		} `json:"source"`
		Destination struct {
			Server    string `json:"server"`
			Namespace string `json:"namespace"`
		} `json:"destination"`
		SyncPolicy struct {
			Automated struct {
				Prune    bool `json:"prune"`
				SelfHeal bool `json:"selfHeal"`
			} `json:"automated"`
			SyncOptions []string `json:"syncOptions"`
		} `json:"syncPolicy"`
	} `json:"spec"`
}

// isForeign reports whether an object is of a foreign kind, and checks it if so: it has the fields that it needs, and none
// that its kind does not have.
func isForeign(t *testing.T, object *unstructured.Unstructured) bool {
	t.Helper()
	kind, known := foreign[object.GetAPIVersion()+" "+object.GetKind()]
	if !known {
		return false
	}
	content, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	strict := json.NewDecoder(bytes.NewReader(content))
	strict.DisallowUnknownFields()
	if err := strict.Decode(kind.object()); err != nil {
		t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	for _, field := range kind.needs {
		if _, found, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", field); !found {
			t.Errorf("%s %s: it needs spec.%s", object.GetKind(), object.GetName(), field)
		}
	}
	return true
}
