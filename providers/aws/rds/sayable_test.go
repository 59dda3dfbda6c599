package rds

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// RDS chooses the zones of a server with a standby, so its mirror names none; a preview says nothing of a zone that it does not know.
func TestTheMirrorOfAStandbyNamesNoZone(t *testing.T) {
	zone := &v1alpha1.DatabaseAWS{AvailabilityZone: new("eu-central-1a")}
	multi, single := new(v1alpha1.AvailabilityMultiZone), new(v1alpha1.AvailabilitySingleZone)
	for _, tt := range []struct {
		have  *v1alpha1.Availability
		names bool
	}{{multi, false}, {single, true}, {nil, true}} {
		mirror := databaseSpec{Availability: tt.have, AWS: zone.DeepCopy()}
		withoutChosenZone(&databaseSpec{}, &mirror)
		if names := mirror.AWS.AvailabilityZone != nil; names != tt.names {
			t.Errorf("with %v the mirror names a zone: %t", tt.have, names)
		}
		if mirror.Availability == multi {
			away := databaseSpec{Availability: single, AWS: zone.DeepCopy()}
			if got := withZoneOf(&away, mirror); got.AWS.AvailabilityZone != nil {
				t.Errorf("a preview takes zone %s for the one that the server has", *got.AWS.AvailabilityZone)
			}
		}
		wants := databaseSpec{Availability: tt.have, AWS: zone.DeepCopy()}
		if changes := preview(mirror, wants, nil); len(changes) > 0 {
			t.Errorf("with %v a preview shows %v", tt.have, changes)
		}
	}
}
