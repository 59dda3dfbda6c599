package gather

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// The class of the Database limits its snapshots: a new one is not made, one that is there is, and one that counts does not stay without its object.
func TestALimitOfSnapshots(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	small := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}}
	small.Spec.MaxSnapshotsPerNamespace = new(int32(0))
	bound := func(s *v1alpha1.DatabaseSnapshot) {
		s.Status.ExternalName, s.Status.Database.ClassName = "shop-x", "small"
	}
	retain := func(s *v1alpha1.DatabaseSnapshot) { s.Spec.DeletionPolicy = v1alpha1.DeletionRetain }
	deleted := func(s *v1alpha1.DatabaseSnapshot) {
		s.DeletionTimestamp, s.Finalizers = &metav1.Time{Time: time.Unix(5, 0)}, []string{v1alpha1.FinalizerResource}
	}
	for _, tt := range []struct {
		name       string
		change     []func(*v1alpha1.DatabaseSnapshot)
		problem    bool
		unreleased bool
	}{
		{name: "new", problem: true},
		{name: "there already", change: []func(*v1alpha1.DatabaseSnapshot){bound}},
		{name: "deleted", change: []func(*v1alpha1.DatabaseSnapshot){bound, deleted}},
		{name: "deleted, and to be retained", change: []func(*v1alpha1.DatabaseSnapshot){bound, deleted, retain}, unreleased: true},
		{name: "to be retained", change: []func(*v1alpha1.DatabaseSnapshot){bound, retain}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x"}}
			s.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: "orders"}
			for _, change := range tt.change {
				change(s)
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(small, parent(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}).Build()
			k := kind.DatabaseSnapshot()
			g := (&Gatherer{Kind: k, Family: kind.FamilyOf(k, kind.All()), Cache: c, Classes: &class.Resolver{Kind: k, Parent: kind.Database(), Client: c}}).begin(reconciliation.Begin(s, time.Unix(1000, 0), reconciliation.News{}, reconciliation.Memory{}))
			for _, step := range []func() error{func() error { return g.findParent(t.Context()) }, func() error { return (&counting{g}).limit(t.Context()) }} {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			if (g.Problem != nil) != tt.problem || (g.Policy.Unreleased.Reason != "") != tt.unreleased {
				t.Errorf("got the problem %v, and unreleased: %+v", g.Problem, g.Policy.Unreleased)
			}
			if got := k.Parent.Status(g.Object).ClassName; got != "small" {
				t.Errorf("the status says the class %q", got)
			}
		})
	}
}
