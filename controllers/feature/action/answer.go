package action

import (
	"cmp"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An answer is what the status says of an action from now on, and the reason of the Event that says so; empty for none.
type answer struct {
	status v1alpha1.ActionStatus
	event  string
}

// record has the status of the object say what the answer says, and an Event if there is one.
func (a answer) record(in *reconciliation.State) {
	kind.SetActionStatus(in.Kind, in.Object, a.status)
	switch a.event {
	case "":
	case v1alpha1.EventActionStarted, v1alpha1.EventActionSucceeded:
		in.Notes = append(in.Notes, outcome.Normal(a.event, "%s", a.message()))
	default:
		in.Notes = append(in.Notes, outcome.Warning(a.event, "%s", a.message()))
	}
}

// message says in a sentence what became of an action.
func (a answer) message() string {
	text := map[string]string{
		v1alpha1.EventActionStarted:   "the cloud has begun",
		v1alpha1.EventActionSucceeded: "done",
		v1alpha1.EventActionRefused:   "not done",
		v1alpha1.EventActionFailed:    "failed",
		v1alpha1.EventActionUnknown:   "not known whether it was done",
	}[a.event]
	text = fmt.Sprintf("%s=%s: %s", kind.ActionAnnotation(driver.Action(a.status.Name)), a.status.Value, cmp.Or(text, a.event))
	if a.status.Message != "" {
		text += ": " + a.status.Message
	}
	return text
}
