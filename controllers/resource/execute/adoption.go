package execute

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// takeOver notes, before the mark is written, that the cloud object becomes this object's. It waits while the cloud may not show
// a mark that was just written.
func (w *work) takeOver(ctx context.Context, changes []driver.Change, wasBound bool) (waits bool, err error) {
	if w.Now.Sub(w.Memory.Cloud.SentAt) < w.executor.ConsistencyWindow && w.Memory.Cloud.WasSent(changes[0]) {
		return true, nil
	}
	if err := w.executor.Features.Prepare(ctx, w, feature.BeforeTakeover); err != nil {
		return false, err
	}
	if belongs := plan.Ownership(w.View, w.Observation); belongs.TakenOver() {
		w.noteOrigin(belongs, wasBound)
	}
	w.status.ExternalID, w.Request.ID = w.Observation.ID, w.Observation.ID
	w.Kind.SetParentRef(w.Object, w.Request.Parent) // it may be within another parent than the object that had the name before
	w.Kind.RecordOwnership(w.Object)
	return false, nil
}

// noteOrigin notes where a cloud object that is taken over came from. What had the name before is forgotten, unless it may only
// have lost its mark: where objects have no id, one that was usable here is taken to be the same.
func (w *work) noteOrigin(belongs plan.Belonging, wasBound bool) {
	if belongs == plan.Unmarked && w.View.ID == "" && w.status.FirstReadyTime != nil && w.mayLoseMark() {
		return
	}
	if wasBound {
		sent, sentAt := w.Memory.Cloud.Sent, w.Memory.Cloud.SentAt
		w.startOver(plan.OriginOf(belongs), nil)
		w.Memory.Cloud.Sent, w.Memory.Cloud.SentAt = sent, sentAt // a mark that does not last is not written without end
	}
	w.status.Origin = plan.OriginOf(belongs)
	w.Kind.SetRestored(w.Object, nil)
}

// mayLoseMark reports whether the cloud object may be the one that is known, without its mark. It is not within another parent than that one,
// and the cloud has a place for the mark.
func (w *work) mayLoseMark() bool {
	return w.Described.Ownership != driver.OwnedByParent && w.Kind.ParentRef(w.Object).Same(w.Request.Parent)
}
