package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A rotation is no edit and no drift: conditions stay as they are, and nobody is asked, whatever updates.disruptive says.
func TestRotationIsNoEdit(t *testing.T) {
	c := driver.Change{Field: FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}
	v := View{Rotates: true, WasReady: true}
	for _, p := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnSpecChange, v1alpha1.DisruptiveOnApproval} {
		d := Decide(v, []driver.Change{c}, Policy{Disruptive: p})
		if d.Changes[0].Fate != AtOnce || d.Changes[0].Cause != v1alpha1.CauseRotation {
			t.Errorf("%s: %+v", p, d.Changes[0])
		}
	}
	if reason := reasonOf(v, []driver.Change{c}); reason == v1alpha1.ReasonUpdating {
		t.Error("it looks like an edit")
	}
}
