package support

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What the cloud said of the support stays until it says something else, or until another cloud object takes the place of the former one.
func TestSupport(t *testing.T) {
	d := &v1alpha1.Database{}
	f := Of(kind.Database())[0]
	f.Mirror(featuretest.Observed(driver.Observation{Support: &driver.Support{Version: "16", CertificateExpires: d.CreationTimestamp.AddDate(30, 0, 0)}}), d)
	if f.Mirror(featuretest.Observed(driver.Observation{}), d); d.Status.Support == nil {
		t.Error("what the cloud said is forgotten once it says nothing")
	}
	if f.Clear(&reconciliation.State{Object: d}); d.Status.Support != nil {
		t.Errorf("of another server the status says %+v", d.Status.Support)
	}
	if got := Of(kind.Bucket()); got != nil {
		t.Error("a Bucket shows until when it is supported")
	}
}
