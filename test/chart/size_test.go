package chart

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// etcdRequest is how many bytes etcd takes of a request, and so of an object, unless --max-request-bytes says otherwise.
// https://etcd.io/docs/v3.6/dev-guide/limit/
const etcdRequest = 3 << 19

// sizesFit demands that what helm stored keeps to the limits of the cluster. helm has each release in a Secret: the whole chart and all that was
// rendered, compressed and encoded. A quarter of each limit is for what people add, in values and in annotations, and warns before an upgrade fails.
// https://helm.sh/docs/topics/advanced/#storage-backends
func (w *fixture) sizesFit() {
	w.Helper()
	var secrets corev1.SecretList
	w.Must(w.Client.List(w.Context(), &secrets, client.InNamespace(w.namespace), client.MatchingLabels{"owner": "helm", "name": w.release}))
	for _, s := range secrets.Items {
		size := 0
		for _, value := range s.Data {
			size += len(value)
		}
		leavesRoom(w.T, "Secret "+s.Name, size, corev1.MaxSecretSize)
	}
	var definitions apiextensionsv1.CustomResourceDefinitionList
	w.Must(w.Client.List(w.Context(), &definitions))
	for _, d := range definitions.Items {
		stored, err := d.Marshal()
		w.Must(err)
		annotated := len(corev1.LastAppliedConfigAnnotation) + apivalidation.TotalAnnotationSizeLimitB // what kubectl apply may add
		leavesRoom(w.T, "CustomResourceDefinition "+d.Name, len(stored)+annotated, etcdRequest)
	}
	if len(secrets.Items) == 0 || len(definitions.Items) == 0 {
		w.Errorf("%d releases, %d definitions", len(secrets.Items), len(definitions.Items))
	}
}

// leavesRoom demands that a quarter of a limit is left, and says how much is.
func leavesRoom(t *testing.T, what string, size, most int) {
	t.Helper()
	if size > most*3/4 {
		t.Errorf("%s: %d of %d bytes leave room for %d, want a quarter", what, size, most, most-size)
		return
	}
	t.Logf("%s: %d of %d bytes, room for %d", what, size, most, most-size)
}
