package outcome

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
)

// Unpublished returns an outcome as that of an object whose connection Secret can't be written, which a person has to mend.
func Unpublished(out Outcome, refused *identity.ValidationError) Outcome {
	switch held := out.State == condition.Updating && out.Reason == v1alpha1.ReasonWaitingForWindow; {
	case held, out.State == condition.Stalled, out.State == condition.EditWaits, out.State == condition.DriftWaits: // that is still so
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
