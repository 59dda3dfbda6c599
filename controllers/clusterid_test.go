package controllers

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const (
	home      = "mooring-system"
	systemUID = "6d4b3f62-8c1e-4b57-9a39-1f0c8f2f4a10"
)

func kept(id string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: clusterConfigMap}, Data: map[string]string{clusterIDKey: id}}
}

// Names and marks of everything in the cloud are made from the cluster id, so it never changes by accident.
func TestClusterID(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kept   *corev1.ConfigMap
		wanted string
		want   string // empty: refused
	}{
		{"a new cluster", nil, "", systemUID},
		{"a new cluster, with an id", nil, "prod-1", "prod-1"},
		{"kept", kept("prod-1"), "", "prod-1"},
		{"kept, and asked for", kept("prod-1"), "prod-1", "prod-1"},
		{"kept, and another asked for", kept("prod-1"), "prod-2", ""},
		{"the uid was kept, and another asked for", kept(systemUID), "prod-1", ""},
		{"kept of an earlier kube-system, as after a restore", kept("0c9a"), "", "0c9a"},
		{"kept, and empty", kept(""), "", ""},
		{"kept, and malformed", kept("Prod 1"), "", ""},
		{"kept, and its key is gone", &corev1.ConfigMap{ObjectMeta: kept("").ObjectMeta}, "prod-1", ""},

		{"upper case", nil, "Prod", ""},
		{"a slash", nil, "a/b", ""},
		{"a dot", nil, "a.b", ""},
		{"begins with a hyphen", nil, "-a", ""},
		{"ends with a hyphen", nil, "a-", ""},
		{"ends with a line break", nil, "a\n", ""},
		{"one character", nil, "a", "a"},
		{"as long as a label's value", nil, strings.Repeat("a", 63), strings.Repeat("a", 63)},
		{"longer", nil, strings.Repeat("a", 64), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			builder := fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: systemUID}})
			if tt.kept != nil {
				builder.WithObjects(tt.kept)
			}
			c := builder.Build()
			got, err := ClusterID(t.Context(), c, home, tt.wanted)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			}
			stored := kept("")
			if err := client.IgnoreNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(stored), stored)); err != nil {
				t.Fatal(err)
			}
			if tt.want != "" && stored.Data[clusterIDKey] != tt.want {
				t.Errorf("%q is kept", stored.Data[clusterIDKey])
			}
			if again, err := ClusterID(t.Context(), c, home, tt.wanted); tt.want != "" && (again != tt.want || err != nil) {
				t.Errorf("the second time: %q, %v", again, err)
			}
		})
	}
}

// Two replicas that start together agree, and one that was told otherwise gives way.
func TestClusterIDOfReplicas(t *testing.T) {
	for wanted, want := range map[string]string{"": systemUID, systemUID: systemUID, "prod-2": ""} {
		other := kept(systemUID)
		c := fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: systemUID}}).
			WithInterceptorFuncs(interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				if err := c.Create(ctx, other); err != nil { // the other was faster
					return err
				}
				return c.Create(ctx, obj, opts...)
			}}).Build()
		if got, err := ClusterID(t.Context(), c, home, wanted); got != want || (err == nil) != (want != "") {
			t.Errorf("wanted %q: got %q, %v", wanted, got, err)
		}
	}
}
