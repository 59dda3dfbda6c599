package execute

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// asked counts how often an account was to be protected, which comes before the binding, and refuses.
type asked int

func (a *asked) Protect(context.Context, identity.Key, string) error { *a++; return errors.New("no") }

// Nothing is bound by labels that the namespace no longer has: the binding is for good.
func TestNothingIsBoundByFormerLabels(t *testing.T) {
	c := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	c.Spec.Accounts = []v1alpha1.ClassAccount{{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "bank"}}, ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "bank"},
	}}
	for team, refused := range map[string]bool{"bank": false, "shop": true} {
		scheme := runtime.NewScheme()
		if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
			t.Fatal(err)
		}
		live := fake.NewClientBuilder().WithScheme(scheme).WithObjects(c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": team}}}).Build()
		w := workOn(kind.Bucket(), &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}, live)
		w.executor.Classes, w.executor.Room = &class.Resolver{Kind: kind.Bucket()}, &Room{}
		protected := asked(0)
		w.executor.Protector = &protected
		w.Class = &class.Resolution{Name: "standard", Class: &class.Class{Object: c, Spec: &c.Spec.ClassSpec, Status: &c.Status}}
		w.Config = identity.Key{Kind: identity.KindClusterProviderConfig, Name: "bank"}
		_, err := w.ensureRecorded(t.Context(), plan.Action{})
		if refused != (protected == 0) || refused && !strings.Contains(err.Error(), "the labels of namespace shop have changed") {
			t.Errorf("team %s: %v; the account was protected %d times", team, err, protected)
		}
	}
}
