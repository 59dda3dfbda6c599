package action

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// operate does an action that a person asked for. That it was asked for is stored first, guarded by the version of the object: so a crash, or an answer that is
// lost, never has it done twice. A refusal is certain, so what may be taken later is asked for again.
func operate(ctx context.Context, w feature.Work, a plan.Action) (outcome.Outcome, error) {
	again := outcome.Outcome{KeepConditions: true, Next: outcome.Soon}
	op, in := a.Part.(operation), w.Reconciliation()
	kind.SetActionStatus(in.Kind, in.Object, op.status)
	if err := w.Store(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	if op.command == nil { // the password: its own machine does the rest
		return again, nil
	}
	done, err := in.Session.Do(ctx, in.Kind.Name, in.Request, *op.command, driver.Secrets{})
	in.CallError = err
	in.Memory.Cloud = in.Memory.Cloud.Wrote(w.Clock(), nil)
	if err == nil && len(done.Failed) > 0 {
		err = done.Failed[0].Err
	}
	says := answer{status: op.status}
	says.status.Time = &metav1.Time{Time: w.Clock().Truncate(time.Second)}
	switch code := driver.CodeOf(err); {
	case err == nil:
		in.Object.GetResourceStatus().Operation = done.Operation
		says.status.Outcome, says.event = v1alpha1.ActionStarted, v1alpha1.EventActionStarted
	case code == driver.Busy || code == driver.Throttled || code == driver.Conflict: // it was not done, and is asked for again
		says.status = op.former
		says.status.WaitsFor = "the cloud does not take it now: " + in.Redact(err.Error())
		again.Next, again.Retried = outcome.AfterError, true
	case uncertain(code):
		return again, nil // what the cloud shows says what came of it
	default:
		says.status.Outcome, says.status.Message, says.event = v1alpha1.ActionFailed, in.Redact(err.Error()), v1alpha1.EventActionFailed
	}
	says.record(in)
	return again, nil
}

// uncertain reports whether a call with an error of a code may have been carried out all the same.
func uncertain(code driver.Code) bool {
	return code == driver.Internal || code == driver.Unavailable
}
