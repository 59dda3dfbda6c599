package cluster

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestReset: of what a test has left nothing is there for the next: no object, whatever holds it, no definition, no right and no
// request. What it has deleted is there.
func TestReset(t *testing.T) {
	p := &pool{enabled: true}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	o := Options{Audit: true}
	c := p.forTest(t, o)
	stop := func(c *Cluster) {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() { stop(c) })
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, rbacv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	kube, err := client.New(c.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		leave(t, kube)
		if err := p.giveBack(c, o, true); err != nil {
			t.Fatal(err)
		}
		again, err := p.take(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if again != c {
			stop(again)
			t.Fatalf("round %d: another cluster was started", round)
		}
		nothingIsLeft(t, c, kube)
	}
}

// leave leaves what tests may leave.
func leave(t *testing.T, kube client.Client) {
	t.Helper()
	held := metav1.ObjectMeta{Namespace: "left", Name: "left", Finalizers: []string{"mooring.dev/test"}}
	bucket := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "mooring.dev/v1alpha1", "kind": "Bucket", "spec": map[string]any{"className": "any"},
		"metadata": map[string]any{"namespace": "left", "name": "left", "finalizers": []any{"mooring.dev/test"}},
	}}
	all := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "left"}},
		&corev1.ConfigMap{ObjectMeta: held},
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "left", Name: "left"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "left"}},
		&bucket,
	}
	for _, o := range all {
		if err := kube.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing ends the namespace here, and finalizers hold what is in it.
	for _, o := range []client.Object{
		all[0], all[1], &bucket,
		&apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "bucketclasses.mooring.dev"}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "view"}},
	} {
		if err := kube.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

func nothingIsLeft(t *testing.T, c *Cluster, kube client.Client) {
	t.Helper()
	requests, err := c.Audit().Since(0)
	if err != nil {
		t.Fatal(err)
	}
	if n := requests.Count(By("admin")); n > 0 {
		t.Errorf("%d requests of the former test are in the audit log", n)
	}
	now, err := c.stored(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if changes := changesBetween(now, c.initial.objects); len(changes) > 0 {
		t.Errorf("%d objects are not as they were", len(changes))
	}
	if err := kube.Get(t.Context(), client.ObjectKey{Name: "left"}, &corev1.Namespace{}); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace that was left: %v, want not found", err)
	}
	classes := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "mooring.dev/v1alpha1", "kind": "BucketClassList"}}
	if err := kube.List(t.Context(), classes); err != nil {
		t.Errorf("list a kind whose definition was deleted: %v", err)
	}
	if err := kube.Get(t.Context(), client.ObjectKey{Name: "view"}, &rbacv1.ClusterRole{}); err != nil {
		t.Errorf("get a role that was deleted: %v", err)
	}
}
