package execute

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// answer has the status say what became of actions that people asked for, and an Event what is new.
func answer(w *work, a plan.Action) {
	for _, says := range a.Answers {
		plan.SetAction(w.Kind, w.Object, says.Status)
		if says.Event != "" {
			w.Note(outcome.OfAction(says))
		}
	}
}

// operate does an action that a person asked for. That it was asked for is stored first, guarded by the version of the object: so a crash, or an answer that is
// lost, never has it done twice. A refusal is certain, so what may be taken later is asked for again.
func operate(ctx context.Context, w *work, a plan.Action) (outcome.Outcome, error) {
	again := outcome.Outcome{KeepConditions: true, Next: outcome.Soon}
	op := *a.Operation
	plan.SetAction(w.Kind, w.Object, op.Status)
	if err := w.patchStatus(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	if op.Command == nil { // the password: its own machine does the rest
		return again, nil
	}
	done, err := w.Session.Do(ctx, w.Kind.Name, w.Request, *op.Command, driver.Secrets{})
	w.CallError = err
	w.Memory.Cloud = w.Memory.Cloud.Wrote(w.executor.Clock(), nil)
	says := plan.ActionAnswer{Status: op.Status}
	says.Status.Time = &metav1.Time{Time: w.executor.Clock().Truncate(time.Second)}
	switch code := driver.CodeOf(err); {
	case err == nil:
		w.status.Operation = done.Operation
		says.Status.Outcome, says.Event = v1alpha1.ActionStarted, v1alpha1.EventActionStarted
	case code == driver.Busy || code == driver.Throttled || code == driver.Conflict: // it was not done, and is asked for again
		says.Status = op.Former
		says.Status.WaitsFor = "the cloud does not take it now: " + w.Redact(err.Error())
		again.Next, again.Retried = outcome.AfterError, true
	case uncertain(code):
		return again, nil // what the cloud shows says what came of it
	default:
		says.Status.Outcome, says.Status.Message, says.Event = v1alpha1.ActionFailed, w.Redact(err.Error()), v1alpha1.EventActionFailed
	}
	answer(w, plan.Action{Answers: []plan.ActionAnswer{says}})
	return again, nil
}

// uncertain reports whether a call with an error of a code may have been carried out all the same.
func uncertain(code driver.Code) bool {
	return code == driver.Internal || code == driver.Unavailable
}

// following has an object looked at again as long as an action is under way, or once one may be decided.
func following(a plan.Action, out outcome.Outcome) outcome.Outcome {
	switch {
	case out.Next != outcome.AtSync:
	case a.Follows:
		out.Next = outcome.Polling
	case a.Again:
		out.AtMost = time.Millisecond
	}
	return out
}
