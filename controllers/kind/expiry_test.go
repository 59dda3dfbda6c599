package kind

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A snapshot expires by the time at which it was taken, or its object's if that is younger: what is imported may be old. What was not taken yet does not expire.
func TestWhenASnapshotExpires(t *testing.T) {
	at := func(hour int) *metav1.Time { return &metav1.Time{Time: time.Unix(int64(hour)*3600, 0)} }
	for _, tt := range []struct {
		name    string
		after   string
		created int
		taken   *metav1.Time
		want    *metav1.Time
	}{
		{"no time", "", 10, at(11), nil},
		{"not taken yet", "5h", 10, nil, nil},
		{"taken after its object was created", "5h", 10, at(12), at(17)},
		{"imported, and old", "5h", 10, at(2), at(15)},
		{"hours and minutes", "4h60m", 10, at(10), at(15)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(tt.created)}}
			s.Spec.ExpiresAfter, s.Status.CreationTime, s.Status.DeletionTime = tt.after, tt.taken, at(99)
			k := DatabaseSnapshot()
			NoteExpiry(k, s)
			if !s.Status.DeletionTime.Equal(tt.want) {
				t.Errorf("the status says %v, want %v", s.Status.DeletionTime, tt.want)
			}
			if got := ExpiresAt(k, s); got.IsZero() != (tt.want == nil) || tt.want != nil && !got.Equal(tt.want.Time) {
				t.Errorf("it expires at %v, want %v", got, tt.want)
			}
		})
	}
}

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
