package kind

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The object for a final snapshot ends with the days that the Database gives it, its class merged in, and the snapshot with it.
func TestAFinalSnapshotEnds(t *testing.T) {
	for _, tt := range []struct {
		days   *int32
		after  string
		policy v1alpha1.DeletionPolicy
	}{{nil, "", v1alpha1.DeletionRetain}, {new(int32(30)), "720h", v1alpha1.DeletionDelete}, {new(int32(3650)), "87600h", v1alpha1.DeletionDelete}} {
		deleted := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "01234567-89ab"}}
		deleted.Status.ClassName = "small"
		want := deleted.DeepCopy()
		want.Spec.FinalSnapshot = &v1alpha1.FinalSnapshot{RetainDays: tt.days}
		s := finalSnapshot(deleted, want, "orders-final").(*v1alpha1.DatabaseSnapshot)
		if s.Spec.ExpiresAfter != tt.after || s.Spec.DeletionPolicy != tt.policy || s.Status.Database.ClassName != "small" {
			t.Errorf("of %v days: %+v, class %q", tt.days, s.Spec, s.Status.Database.ClassName)
		}
	}
}
