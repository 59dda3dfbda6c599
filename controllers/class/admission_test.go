package class

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var databases = &Kind{
	Name:   "Database",
	List:   func() client.ObjectList { return &v1alpha1.DatabaseList{} },
	Spec:   func(o client.Object) *v1alpha1.ResourceSpec { return &o.(*v1alpha1.Database).Spec.ResourceSpec },
	Own:    func(o client.Object) any { return &o.(*v1alpha1.Database).Spec },
	Status: func(o client.Object) *v1alpha1.ResourceStatus { return &o.(*v1alpha1.Database).Status.ResourceStatus },
	Class:  func() client.Object { return &v1alpha1.DatabaseClass{} },
}

// cluster is what a client reads: a class like catalogue, but for its text, and what that refers to.
func cluster(t *testing.T, class string) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := &v1alpha1.DatabaseClass{}
	for _, text := range []string{catalogue, class, `spec: {maxPerNamespace: null}`} {
		if err := yaml.Unmarshal([]byte(text), c); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(c,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "shop"}}},
		&v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "aws"}, Spec: v1alpha1.ClusterProviderConfigSpec{
			Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}},
		}},
	).Build()
}

// What a cache does not know yet is no reason to refuse: one command may change a class and apply what needs that.
func TestObjectIsNotRefusedByACache(t *testing.T) {
	const before, after = ``, `spec: {defaultSize: huge, sizes: [{name: huge, aws: {instanceClass: db.r6g.4xlarge}}]}`
	for _, tt := range []struct {
		name, cached, live string
		refused            bool
	}{
		{"both know the size", after, after, false},
		{"the cache is behind", before, after, false},
		{"the size is not there", before, before, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &Admission{
				Resolver: &Resolver{Kind: databases, Client: cluster(t, tt.cached), Rules: func(*Class) []Rule { return nil }},
				Live:     cluster(t, tt.live),
				MayUse: func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (*Problem, error) {
					return nil, nil
				},
			}
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
			d.Spec.ClassName, d.Spec.Size = "standard", "huge"
			refusals, _, err := a.Object(t.Context(), nil, d)
			if err != nil || len(refusals) > 0 != tt.refused {
				t.Errorf("refusals %q, %v; want refused %v", refusals, err, tt.refused)
			}
		})
	}
}
