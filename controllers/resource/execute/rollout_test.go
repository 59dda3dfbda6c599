package execute

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// A limit of snapshots holds where a cache did not show yet what was bound a moment ago.
func TestNoRoomForASnapshot(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	standard := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	standard.Spec.MaxSnapshotsPerNamespace = new(int32(1))
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Status.ClassName = "standard"
	other := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "other"}}
	other.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: "orders"}
	other.Status.ExternalName = "shop-other"
	mine := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "mine", CreationTimestamp: metav1.Unix(1, 0)}}
	mine.Spec.Source = other.Spec.Source
	for _, tt := range []struct {
		name  string
		there []client.Object
		full  bool
	}{
		{"another one was bound", []client.Object{standard, d, other}, true},
		{"there is none", []client.Object{standard, d}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			live, stale := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tt.there...).Build(), fake.NewClientBuilder().WithScheme(scheme).WithObjects(standard, d).Build()
			w := workOn(kind.DatabaseSnapshot(), mine.DeepCopy(), stale)
			w.executor.Reader, w.executor.Room = live, &Room{}
			w.executor.Classes = &class.Resolver{Kind: kind.DatabaseSnapshot(), Parent: kind.Database(), Client: stale}
			keep, err := w.executor.hasRoom(t.Context(), w.State)
			refusal, refused := errors.AsType[*identity.ValidationError](err)
			if refused != tt.full || refused && refusal.Reason != v1alpha1.ReasonClassNotAllowed || err != nil && !refused {
				t.Errorf("got %v", err)
			}
			if keep != nil {
				keep()
			}
			if !w.executor.Room.TryLock() {
				t.Error("the room stays locked")
			}
		})
	}
}
