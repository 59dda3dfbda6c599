package resource

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// takeOver notes, before the mark is written, that the cloud object becomes this object's. It waits while the cloud may not show
// a mark that was just written.
func (r *Reconciler) takeOver(ctx context.Context, t *turn, changes []driver.Change, wasBound bool) (waits bool, err error) {
	if t.now.Sub(t.mem.sentAt) < r.Settle && t.mem.wasSent(changes[0]) {
		return true, nil
	}
	if err := r.takeOverPassword(ctx, t); err != nil {
		return false, err
	}
	if belongs := plan.Ownership(t.view, t.seen); belongs != plan.OursUnmarked {
		r.takeNote(t, belongs, wasBound)
	}
	t.status.ExternalID, t.request.ID = t.seen.ID, t.seen.ID
	return false, nil
}

// takeNote notes where a cloud object that is taken over came from. What had the name before is forgotten, unless it may only
// have lost its mark: where objects have no id, one that was usable here is taken to be the same.
func (r *Reconciler) takeNote(t *turn, belongs plan.Belonging, wasBound bool) {
	if belongs == plan.Unmarked && t.view.ID == "" && t.status.FirstReadyTime != nil {
		return
	}
	if wasBound {
		sent, sentAt := t.mem.sent, t.mem.sentAt
		r.startOver(t, plan.OriginOf(belongs), nil)
		t.mem.sent, t.mem.sentAt = sent, sentAt // a mark that does not last is not written without end
	}
	t.status.Origin = plan.OriginOf(belongs)
}
