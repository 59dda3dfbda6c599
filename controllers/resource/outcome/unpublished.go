package outcome

import (
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
)

// Unpublished returns an outcome as that of an object whose connection Secret can't be written, which a person has to mend.
func Unpublished(out Outcome, refused *identity.ValidationError) Outcome {
	switch out.State {
	case condition.Stalled, condition.EditWaits, condition.DriftWaits: // that is still so
		out.Message = refused.Message + "; " + out.Message
	default:
		out.Message = refused.Message
	}
	if out.State != condition.Stalled {
		out.Reason = refused.Reason
	}
	if out.Next != Polling { // the cloud is at work, and what comes of that is to be seen
		out.Next = AtSync
	}
	out.State, out.KeepConditions = condition.Stalled, false
	return out
}
