package admission

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/test/system"
)

const shop = "shop"

// apply applies the manifests in a file of the folder config, which stay for all tests.
func apply(t *testing.T, name ...string) {
	t.Helper()
	f := fixture(t)
	path, err := system.ConfigFile(name...)
	f.Must(err)
	objects, err := system.ReadManifest(path)
	f.Must(err)
	for _, o := range objects { // strict, as kubectl apply is
		f.Must(client.WithFieldValidation(shared.Client, metav1.FieldValidationStrict).Apply(
			t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test"), client.ForceOwnership))
	}
}

// object reads an object of our group in the namespace; metadata are for the text to give.
func object(t *testing.T, kind, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(raw, &o.Object) // the API machinery's: whole numbers are int64
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	o.SetAPIVersion("mooring.dev/v1alpha1")
	o.SetKind(kind)
	if !strings.HasSuffix(kind, "Class") && !strings.HasPrefix(kind, "Cluster") {
		o.SetNamespace(shop)
	}
	if o.GetName() == "" && o.GetGenerateName() == "" {
		o.SetGenerateName("test-")
	}
	return o
}

// stored makes an object as an administrator. It goes with the test, whatever finalizers it has.
func stored(t *testing.T, kind, text, status string) *unstructured.Unstructured {
	t.Helper()
	o := object(t, kind, text)
	if err := shared.Client.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, o) })
	if status != "" {
		if err := shared.Client.Status().Patch(t.Context(), o, merge(t, status)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func remove(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, err := range []error{
		shared.Client.Patch(ctx, o.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null,"annotations":{"mooring.dev/allow-deletion":"true"}}}`))),
		shared.Client.Delete(ctx, o),
	} {
		if client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	}
}

// merge is a merge patch in YAML.
func merge(t *testing.T, text string) client.Patch {
	t.Helper()
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return client.RawPatch(types.MergePatchType, body)
}

// user returns the client of somebody who has the named ClusterRole in the namespace, and no other.
func user(t *testing.T, clusterRole string) client.Client {
	t.Helper()
	name := "with-" + clusterRole
	err := shared.Client.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return impersonate(t, name)
}

func impersonate(t *testing.T, name string) client.Client {
	t.Helper()
	cfg := shared.Cluster.Config()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: []string{"system:authenticated"}}
	c, err := client.New(cfg, client.Options{Scheme: shared.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answered compares the API server's answer with what is wanted: nothing, or words of the message.
func answered(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("accepted, want %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("got %v, want %q", err, want)
	}
}

// secretInHome returns the key of a Secret in Mooring's namespace.
func secretInHome(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: name}}
}
