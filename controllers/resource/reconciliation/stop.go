package reconciliation

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
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

// Stalled ends a reconciliation because a person has to act.
func Stalled(reason v1alpha1.Reason, message string) *Stop {
	return &Stop{Outcome: outcome.Outcome{State: condition.Stalled, Reason: reason, Message: message, Next: outcome.AtSync}}
}
