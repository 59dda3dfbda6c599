package reconciliation

import (
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A Stop ends a reconciliation before its cloud object is planned for: with an outcome, or with an action that needs no observation.
type Stop struct {
	Outcome outcome.Outcome
	Action  *plan.Action
	// Err is why the reconciliation ended; it stands in place of both.
	Err error
	// Said is what the conditions have said of the wait for a slot, if Queued.
	Said Said
}
