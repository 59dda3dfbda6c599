package gather

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A copy that was asked for without an answer may come late: a later refusal does not say that there is nothing.
func TestACopyMayComeLate(t *testing.T) {
	for name, tt := range map[string]struct {
		of   *v1alpha1.RestoredFrom
		want bool
	}{
		"a copy":               {&v1alpha1.RestoredFrom{Database: "orders", DatabaseUID: "uid"}, false},
		"born with its mark":   {&v1alpha1.RestoredFrom{Snapshot: "nightly"}, true},
		"made of nothing else": {nil, true},
	} {
		d := parent()
		d.Status.RestoredFrom = tt.of
		w := gatheringOf(d, nil)
		w.Memory.Cloud.CreationRefused, w.Memory.Cloud.CreationUnclear = true, true
		if got := neverCreated(w.State); got != tt.want {
			t.Errorf("%s: that nothing was created is sure: %t, want %t", name, got, tt.want)
		}
	}
}
