package finalsnapshot

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The final snapshot of a deleted Database gets an object, once. Where there can be none the finalizer goes all the same, and a person learns where the
// snapshot is. Any other refusal keeps the finalizer.
func TestKeepSnapshot(t *testing.T) {
	resource := schema.GroupResource{Group: "mooring.dev", Resource: "databasesnapshots"}
	ending := apierrors.NewForbidden(resource, "orders", nil)
	ending.ErrStatus.Details.Causes = append(ending.ErrStatus.Details.Causes, metav1.StatusCause{Type: corev1.NamespaceTerminatingCause})
	for _, tt := range []struct {
		name    string
		there   *v1alpha1.DatabaseSnapshot // of the name that the object is to have
		refusal error
		fails   bool
		tells   string
		bound   bool
	}{
		{name: "nothing stands for it", bound: true},
		{name: "the process ended between the two writes", there: snapshotNamed("shop-orders-final-01234567"), bound: true},
		{name: "an object of that name is of another snapshot", there: snapshotNamed("others"), tells: "shop-orders-final-01234567 stays in aws account 111111111111"},
		{name: "the namespace is being deleted", refusal: ending, tells: "because the namespace is being deleted"},
		{name: "the definition is missing", refusal: apierrors.NewNotFound(resource, "orders"), tells: "no object stands for it"},
		{name: "somebody forbids it", refusal: apierrors.NewForbidden(resource, "orders", nil), fails: true},
		{name: "the API server is busy", refusal: apierrors.NewTooManyRequests("later", 1), fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, c := keeping(t, tt.there, tt.refusal)
			var told []string
			w.EmitFunc = func(n outcome.Note) { told = append(told, n.Message) }
			if err := Of(w.Kind, c, c)[0].Finish(t.Context(), w); (err != nil) != tt.fails {
				t.Fatalf("got %v", err)
			}
			if said := strings.Join(told, "\n"); !strings.Contains(said, tt.tells) || tt.tells == "" && said != "" {
				t.Errorf("it says %q, want %q", said, tt.tells)
			}
			s := &v1alpha1.DatabaseSnapshot{}
			_ = c.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "orders-final-01234567"}, s)
			if bound := s.Status.ExternalName == "shop-orders-final-01234567" && s.Status.AccountID == "111111111111"; bound != tt.bound {
				t.Errorf("the object is bound: %t (%+v)", bound, s.Status)
			}
		})
	}
}

func snapshotNamed(externalName string) *v1alpha1.DatabaseSnapshot {
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders-final-01234567"}}
	s.Spec.ExternalName = externalName
	return s
}

// keeping returns the work about a deleted Database whose final snapshot is available.
func keeping(t *testing.T, there *v1alpha1.DatabaseSnapshot, refusal error) (*featuretest.Work, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	b := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.DatabaseSnapshot{})
	if there != nil {
		b = b.WithObjects(there)
	}
	c := b.WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if refusal != nil {
				return refusal
			}
			return c.Create(ctx, o, opts...)
		},
	}).Build()
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "01234567-89ab", Finalizers: []string{v1alpha1.FinalizerResource}}}
	d.Status.ExternalName, d.Status.Provider, d.Status.AccountID = "shop-orders", "aws", "111111111111"
	d.Status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{Kind: "ProviderConfig", Name: "team"}
	w := &featuretest.Work{}
	w.Kind, w.Object, w.Want, w.Provider, w.Account = kind.Database(), d, d, "aws", "111111111111"
	w.Request.Deletion = &driver.Deletion{Snapshot: "shop-orders-final-01234567"}
	w.Observation.Backup = &driver.Backup{FinalSnapshot: driver.Ready}
	return w, c
}
