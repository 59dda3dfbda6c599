package e2e

import (
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/system"
)

// throughOpenClass has an object that names other cloud objects, such as keys or networks, go by a class that gives nothing and allows all of
// them. Without a class the environment's account, which is shared, takes none.
func throughOpenClass[T client.Object](w *fixture, c *system.Cloud, o T) T {
	w.Helper()
	name := w.Namespace + "-" + c.Name
	description := system.ProviderOf(c.Name).Driver(c.Cloud, http.DefaultTransport, time.Minute).Describe()
	for _, k := range kind.All() {
		if !k.Has(o) {
			continue
		}
		class := k.Class.New()
		class.SetName(name)
		spec := class.GetClassSpec()
		spec.ProviderConfigRef.Name, spec.AllowedNamespaces = c.Config, &metav1.LabelSelector{}
		resource, _ := description.Resource(k.Name)
		for _, field := range resource.Fields {
			for at := range field.Referrers() {
				if declares(o, field.Field) {
					spec.AllowedReferences = append(spec.AllowedReferences, v1alpha1.AllowedReference{Field: "spec." + at, Pattern: ".*"})
				}
			}
		}
		if len(spec.AllowedReferences) == 0 {
			return o // its own reference will do
		}
		err := client.IgnoreAlreadyExists(w.Client.Create(w.Context(), class))
		w.Must(err)
		w.Cleanup(func() { w.Must(client.IgnoreNotFound(w.Client.Delete(suite.Context(), class))) })
		// What uses a class is looked at again when the class comes, or its config becomes Ready: both are over by then.
		w.AwaitObject(class, "the class can be used", func() bool {
			return meta.IsStatusConditionTrue(class.GetConditions(), v1alpha1.ConditionReady)
		})
	}
	system.SpecOf(o).ProviderConfigRef, system.SpecOf(o).ClassName = nil, name
	return o
}

// declares reports whether the spec of an object has a field.
func declares(o client.Object, field string) bool {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return false
	}
	_, has, err := unstructured.NestedFieldNoCopy(content, append([]string{"spec"}, strings.Split(field, ".")...)...)
	return has && err == nil
}
