package class

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

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
		&v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "later"}},
	).WithStatusSubresource(c).WithIndex(&v1alpha1.Database{}, Index, func(o client.Object) []string { return []string{Key(o.(v1alpha1.ResourceObject))} }).Build()
}

// allUse lets everybody use every provider config.
func allUse(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (*Problem, error) {
	return nil, nil
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
				Resolver: &Resolver{Kind: kind.Database(), Client: cluster(t, tt.cached), Rules: func(*Class) []Rule { return nil }},
				Live:     cluster(t, tt.live),
				MayUse:   allUse,
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

// A provider config of a cloud that only a later release knows is there all the same.
func TestUnknownCloudIsNoMissingConfig(t *testing.T) {
	for name, tt := range map[string]struct {
		reason  v1alpha1.Reason
		warning string
	}{
		"aws":    {reason: v1alpha1.ReasonReady},
		"absent": {v1alpha1.ReasonProviderConfigNotFound, "there is no ClusterProviderConfig absent"},
		"later":  {v1alpha1.ReasonNotSupported, "NotSupported: ClusterProviderConfig later has no account"},
	} {
		t.Run(name, func(t *testing.T) {
			c := cluster(t, "spec: {providerConfigRef: {name: "+name+"}}")
			resolver := &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }}
			check := func(*Class, string) *Problem { return nil }
			key := client.ObjectKey{Name: "standard"}
			got := &v1alpha1.DatabaseClass{}
			if err := c.Get(t.Context(), key, got); err != nil {
				t.Fatal(err)
			}
			refusals, warnings, err := (&Admission{Resolver: resolver, Live: c, Check: check}).Class(t.Context(), nil, got)
			if err != nil || len(refusals) != 0 || (len(warnings) != 0) != (tt.warning != "") || !strings.HasPrefix(strings.Join(warnings, ""), tt.warning) {
				t.Errorf("admission: refusals %q, warnings %q, %v", refusals, warnings, err)
			}
			if _, err := (&Reconciler{Resolver: resolver, Client: c, Check: check}).Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), key, got); err != nil {
				t.Fatal(err)
			}
			ready := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionReady)
			if ready == nil || ready.Reason != string(tt.reason) || tt.warning != "" && !strings.Contains(ready.Message, name) {
				t.Errorf("condition %+v, want %s", ready, tt.reason)
			}
		})
	}
}

// A new object of a class whose cloud nobody knows yet is stored, with a warning.
func TestNotSupportedIsAWarning(t *testing.T) {
	problem := Problem{Reason: v1alpha1.ReasonNotSupported, Field: "spec.className", Message: "unknown cloud"}
	c := cluster(t, "spec: {providerConfigRef: {name: later}}")
	a := &Admission{
		Resolver: &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }}, Live: c,
		MayUse: func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (*Problem, error) {
			return &problem, nil
		},
	}
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Spec.ClassName = "standard"
	refusals, warnings, err := a.Object(t.Context(), nil, d)
	if err != nil || len(refusals) != 0 || !slices.Contains(warnings, problem.String()) {
		t.Errorf("refusals %q, warnings %q, %v", refusals, warnings, err)
	}
}

// What a cloud does not have is refused when it is new, whether the object goes by a class or not. Who has it already can change other
// things.
func TestWhatTheCloudLacksIsRefused(t *testing.T) {
	c := cluster(t, "")
	resolver := &Resolver{
		Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil },
		Lacks: func(cloud string) []driver.Lack {
			return map[string][]driver.Lack{"aws": {{Field: "version", Match: "^13", Values: "13", Why: "it is too old", Instead: "set 16"}}}[cloud]
		},
	}
	a := &Admission{
		Resolver: resolver, Live: c,
		MayUse: func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (*Problem, error) {
			return nil, nil
		},
		Place: func(_ context.Context, _ client.Reader, ref *v1alpha1.ProviderConfigReference, _ *v1alpha1.BoundProviderConfig, _ string) (Place, error) {
			return Place{Cloud: ref.Name}, nil
		},
	}
	const want = "spec.version: 13 is not supported, because it is too old: set 16"
	for _, tt := range []struct {
		name, class, config, version string
		refused                      bool
	}{
		{"by a class", "standard", "", "13.4", true},
		{"by a class, and the cloud has it", "standard", "", "16", false},
		{"without a class", "", "aws", "13", true},
		{"without a class, and the cloud has it", "", "aws", "16", false},
		{"in another cloud", "", "gcp", "13", false},
		{"in a cloud that is not known", "", "", "13", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
			d.Spec.Version = &tt.version
			if d.Spec.ClassName = tt.class; tt.class == "" {
				d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Name: tt.config}
			}
			refusals, warnings, err := a.Object(t.Context(), nil, d)
			if err != nil || len(warnings) > 0 || (len(refusals) == 1 && refusals[0].String() == want && refusals[0].Reason == v1alpha1.ReasonNotSupported) != tt.refused {
				t.Errorf("created: refusals %q, warnings %q, %v", refusals, warnings, err)
			}
			edited := d.DeepCopy()
			edited.Spec.DeletionProtection = new(true)
			refusals, warnings, err = a.Object(t.Context(), d, edited)
			if err != nil || len(refusals) > 0 || slices.Contains(warnings, want) != tt.refused {
				t.Errorf("edited otherwise: refusals %q, warnings %q, %v", refusals, warnings, err)
			}
		})
	}
}
