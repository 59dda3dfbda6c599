package execute

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// What expires is told and then deleted, as it was read: its finalizer does the rest.
func TestExpire(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, managed := range []bool{true, false} {
		s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x", UID: "uid-1"}}
		s.Spec.ExpiresAfter, s.Status.CreationTime = "1h", &metav1.Time{Time: time.Unix(0, 0)}
		if managed {
			s.Finalizers = []string{v1alpha1.FinalizerResource}
		}
		c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(s).Build()
		get := func() error { return c.Get(t.Context(), client.ObjectKeyFromObject(s), s) }
		if err := get(); err != nil {
			t.Fatal(err)
		}
		w := workOn(kind.DatabaseSnapshot(), s.DeepCopy(), c)
		told := 0
		w.tell = func(n outcome.Note) {
			told++
			if n.Reason != v1alpha1.EventExpired || get() != nil || s.DeletionTimestamp != nil {
				t.Errorf("it tells %+v, and the object is deleted already", n)
			}
		}
		out, err := w.act(t.Context(), plan.Action{Verb: plan.Expire, Verify: true})
		if err != nil || told != 1 || out.Deleted == managed {
			t.Errorf("got %+v, %v, told %d times", out, err, told)
		}
		switch err := get(); {
		case managed && (err != nil || s.DeletionTimestamp.IsZero()):
			t.Errorf("it is not being deleted: %v", err)
		case !managed && !apierrors.IsNotFound(err):
			t.Errorf("it is still there: %v", err)
		}
	}
}
