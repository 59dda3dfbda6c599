package system

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A condition that comes back has flapped, unless the object could not be observed meanwhile because its account was busy with others.
func TestFlapDetector(t *testing.T) {
	ready := func(status metav1.ConditionStatus, reason v1alpha1.Reason, message string) Snapshot {
		var s Snapshot
		for _, name := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced} {
			s.Status.Conditions = append(s.Status.Conditions, metav1.Condition{Type: name, Status: status, Reason: string(reason), Message: message})
		}
		return s
	}
	usual := ready(metav1.ConditionTrue, v1alpha1.ReasonReady, "usable and up to date")
	for _, tt := range []struct {
		name    string
		between Snapshot
		want    bool
	}{
		{"drift for a moment", ready(metav1.ConditionFalse, v1alpha1.ReasonUpdating, "applies aws.instanceClass"), true},
		{"a cloud that does not answer", ready(metav1.ConditionUnknown, v1alpha1.ReasonNotObserved, "not observed for two sync periods: the cloud does not answer"), true},
		{"a busy account", ready(metav1.ConditionUnknown, v1alpha1.ReasonNotObserved, "not observed for two sync periods: waiting for a slot of aws account a"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newFlapDetector()
			last := ""
			for _, s := range []Snapshot{usual, tt.between, usual} {
				last = d.flapped(s)
			}
			if (last != "") != tt.want {
				t.Errorf("flapped: %q, want one: %v", last, tt.want)
			}
		})
	}
}
