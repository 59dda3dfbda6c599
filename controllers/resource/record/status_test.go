package record

import (
	"context"
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// What has no room is stored in short, by whoever stores it, and not tried again and again as long as nothing else changes.
func TestStatusThatHasNoRoom(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	stored := v1alpha1.ResourceObject(&v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", ResourceVersion: "1"}})
	writes := 0
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(stored).WithStatusSubresource(stored).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			if writes++; plan.Weight(o) > 10<<10 {
				return errors.New("etcdserver: request is too large")
			}
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}).Build()
	object := stored.DeepCopyObject().(v1alpha1.ResourceObject)
	object.GetResourceStatus().PendingChanges = []v1alpha1.PendingChange{{Field: "aws.policy", From: "(none)", To: strings.Repeat("x", 20<<10)}}
	store := func(what string, wantWritten bool, wantWrites int) {
		t.Helper()
		now, written, err := Status(t.Context(), c, stored, object)
		if err != nil || written != wantWritten || writes != wantWrites {
			t.Fatalf("%s: written %t in %d writes, want %t in %d (%v)", what, written, writes, wantWritten, wantWrites, err)
		}
		if now.GetResourceVersion() != object.GetResourceVersion() {
			t.Errorf("%s: the object has version %s, and stored is %s", what, object.GetResourceVersion(), now.GetResourceVersion())
		}
		stored, writes = now, 0
	}
	store("the first time", true, 2)
	if p := stored.GetResourceStatus().PendingChanges; len(p) != 1 || p[0].To != plan.Brief(strings.Repeat("x", 20<<10)) {
		t.Errorf("stored is %.300v", p)
	}
	store("again", false, 0)
	object.GetResourceStatus().ObservedGeneration = 2
	store("once something else changed", true, 2)
	object.GetResourceStatus().PendingChanges = nil
	store("once there is room", true, 1)
	store("at rest", false, 0)
}
