package snapshot

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The status of a snapshot says what the cloud says, until another snapshot takes its place.
func TestSnapshot(t *testing.T) {
	s := &v1alpha1.DatabaseSnapshot{}
	f := Of(kind.DatabaseSnapshot())[0]
	if f.Mirror(featuretest.Observed(driver.Observation{Available: true, SnapshotDetails: &driver.SnapshotDetails{Engine: "postgres"}}), s); s.Status.Engine != "postgres" {
		t.Errorf("the status says %+v", s.Status)
	}
	if f.Clear(&reconciliation.State{Object: s}); s.Status.Engine != "" {
		t.Errorf("of another snapshot the status says %+v", s.Status)
	}
	if Of(kind.Database()) != nil || Of(kind.Bucket()) != nil {
		t.Error("what is no snapshot shows details of one")
	}
}
