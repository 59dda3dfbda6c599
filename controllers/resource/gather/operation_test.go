package gather

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// An operation that failed names the fields that were sent with it. What waits for a person was not, and a creation is of all.
func TestFailedOperationNamesItsFields(t *testing.T) {
	pending := []v1alpha1.PendingChange{{Field: "storage.sizeGiB"}, {Field: "gcp.tier"}, {Field: "version", WaitsFor: v1alpha1.WaitsForApproval}}
	for name, tt := range map[string]struct {
		is   func(*Gathered)
		want string
	}{
		"an update":             {func(*Gathered) {}, "gcp.tier, storage.sizeGiB: none left"},
		"nothing is known":      {func(g *Gathered) { g.status().PendingChanges = nil }, "none left"},
		"it waits for a person": {func(g *Gathered) { g.status().PendingChanges = pending[2:] }, "none left"},
		"a creation":            {func(g *Gathered) { g.status().FirstReadyTime = nil }, "none left"},
		"a deletion":            {func(g *Gathered) { g.Deleting = true }, "none left"},
	} {
		t.Run(name, func(t *testing.T) {
			g := Gathered{}
			g.Object = &v1alpha1.Database{}
			g.status().FirstReadyTime, g.status().PendingChanges = &metav1.Time{}, pending
			g.OperationError = errors.New("none left")
			tt.is(&g)
			if stop := isNotFailed(g); stop == nil || stop.Err.Error() != tt.want {
				t.Errorf("it stops with %+v, want %s", stop, tt.want)
			}
		})
	}
}
