package gather

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// What the cloud returned and nobody stored is gone on with, but for an object that is bound to nothing any more.
func TestCarriedIsGoneOnWith(t *testing.T) {
	for name, want := range map[string]string{"shop-orders": "op-1", "": ""} {
		d := &v1alpha1.Database{}
		d.Status.ExternalName = name
		g := (&Gatherer{Kind: kind.Database()}).begin(reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{Cloud: plan.Memory{Carried: &plan.Returned{ID: "db-1", Operation: "op-1"}}}))
		if got := g.Status().Operation; got != want || (g.Status().ExternalID == "db-1") != (want != "") {
			t.Errorf("bound to %q: the operation is %q, the id %q", name, got, g.Status().ExternalID)
		}
	}
}
