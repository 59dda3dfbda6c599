package resource

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/retry"
)

// A worker is not lost to an API server that does not answer: the reconciliation ends, and comes again.
func TestTurnEnds(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "team"}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(b).WithStatusSubresource(b).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if _, ok := o.(*v1alpha1.ProviderConfig); ok {
					<-ctx.Done()
					return errors.New("no answer")
				}
				return c.Get(ctx, key, o, opts...)
			},
		}).Build()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		const deadline = time.Minute
		limiters := account.New(1, time.Now, nil)
		r := &Reconciler{
			Settings: Settings{
				Limiters: limiters,
				Client:   c, Deadline: deadline, RecordDeadline: deadline, Now: time.Now, Cadence: retry.DefaultCadence(time.Minute),
				Credentials: identity.New(identity.Options{Client: c, Limiters: limiters}),
			},
			Kind: kind.Bucket(),
		}
		began := time.Now()
		result, err := r.Reconcile(t.Context(), b)
		if took := time.Since(began); err != nil || took != deadline {
			t.Errorf("the reconciliation ended after %s with %v, want %s", took, err, deadline)
		}
		if result.RequeueAfter == 0 {
			t.Error("it does not come again")
		}
	})
}
