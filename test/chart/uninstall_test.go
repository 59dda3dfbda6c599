package chart

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

const withAccount = `extraObjects:
- apiVersion: mooring.dev/v1alpha1
  kind: ClusterProviderConfig
  metadata: {name: platform}
  spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}}}
`

// TestUninstallInUse: helm uninstalls, and ends, whatever is in use: an account of the release itself, a class, an object with a
// finalizer. All of them are kept and can be taken back. With the definitions to be deleted, too, it ends as well.
func TestUninstallInUse(t *testing.T) {
	t.Parallel()
	eachHelm(t, func(w *fixture) {
		w.apply(chartDir(w), "{}")
		w.apply(chartDir(w), withAccount) // whose kind is known by now
		used := w.use()
		w.uninstall()
		w.kept(used)

		notes := w.apply(chartDir(w), withAccount+"metrics: {secure: true}\nrbac: {create: false}\n")
		if want := "mooring-auth-delegator --clusterrole=system:auth-delegator --serviceaccount=" + w.namespace + ":mooring"; !strings.Contains(notes, want) {
			w.Errorf("the notes do not say %q:\n%s", want, notes)
		}
		w.apply(chartDir(w), withAccount+"crds: {keep: false}\n")
		w.uninstall()
		for _, o := range used {
			w.Must(client.IgnoreNotFound(w.Client.Patch(w.Context(), o, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))))
		}
		for _, o := range used {
			w.Eventually("the end of "+o.GetName(), func() bool { return w.gone(o) })
		}
		w.awaitNoCRDs()
	})
}

// use makes a class and a bucket, marks these and the account as in use, and waits until the API server refuses to delete them.
func (w *fixture) use() []client.Object {
	w.Helper()
	w.Must(system.EnsureNamespace(w.Context(), w.Client, "shop"))
	account := &v1alpha1.ClusterProviderConfig{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Name: "platform"}, account))
	account.Finalizers = []string{v1alpha1.FinalizerInUse}
	w.Must(w.Client.Update(w.Context(), account))
	class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	class.Spec.ProviderConfigRef.Name = account.Name
	w.Must(w.Client.Create(w.Context(), class))
	class.Status.Users = 1
	w.Must(w.Client.Status().Update(w.Context(), class))
	bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", Finalizers: []string{v1alpha1.FinalizerResource}}}
	bucket.Spec.ClassName = class.Name
	w.Must(w.Client.Create(w.Context(), bucket))
	for _, o := range []client.Object{account, class} {
		w.Eventually("the API server refuses to delete "+o.GetName(), func() bool {
			return apierrors.IsForbidden(w.Client.Delete(w.Context(), o, client.DryRunAll))
		})
	}
	return []client.Object{account, class, bucket}
}

// kept checks that objects are there, and are not being deleted.
func (w *fixture) kept(objects []client.Object) {
	w.Helper()
	for _, o := range objects {
		if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o); err != nil || o.GetDeletionTimestamp() != nil {
			w.Errorf("%s is not kept: %v, deleted at %v", o.GetName(), err, o.GetDeletionTimestamp())
		}
	}
}

func (w *fixture) gone(o client.Object) bool {
	err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o.DeepCopyObject().(client.Object))
	return apierrors.IsNotFound(err)
}
