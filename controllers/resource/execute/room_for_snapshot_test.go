package execute

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A refusing session refuses deletions.
type refusingSession struct {
	driver.Session
	err error
}

func (s refusingSession) Delete(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, s.err
}

// A deletion for whose final snapshot the cloud has no room says the ways out. Whoever takes no snapshot has another problem, and so has whoever is refused for another reason.
func TestNoRoomForTheFinalSnapshot(t *testing.T) {
	quota := &driver.Error{Code: driver.Quota, Op: "DeleteDBInstance", Message: "it would exceed the maximum number of snapshots"}
	for _, tt := range []struct {
		name     string
		err      error
		snapshot bool
		says     bool
	}{
		{"no room", quota, true, true},
		{"no snapshot", quota, false, false},
		{"denied", &driver.Error{Code: driver.Denied, Op: "DeleteDBInstance"}, true, false},
	} {
		w := stored(t)
		w.Request.Deletion, w.Session = &driver.Deletion{Snapshot: "orders-final"}, refusingSession{err: tt.err}
		_, err := w.delete(t.Context(), plan.Action{Verb: plan.Delete, Snapshot: tt.snapshot})
		if !errors.Is(err, tt.err) || driver.CodeOf(err) != driver.CodeOf(tt.err) {
			t.Errorf("%s: got %v", tt.name, err)
		}
		for _, out := range []string{"orders-final", "delete DatabaseSnapshots", "spec.deletionPolicy: Delete", "Retain"} {
			if strings.Contains(err.Error(), out) != tt.says {
				t.Errorf("%s: it says %q, want %q in it: %t", tt.name, err, out, tt.says)
			}
		}
	}
}
