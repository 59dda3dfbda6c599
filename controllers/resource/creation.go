package resource

import (
	"context"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// neverCreated reports whether it is sure that nothing was created for the object: the cloud refused every creation that was sent
// since the object was bound to its name and account. Then nothing in the cloud can be lost, wherever its provider config leads.
//
// There is a note in the status, which is written together with the first refusal, and one in memory. Both are removed, the first in
// the API server, before a creation is sent: after a crash in between neither is there. A creation that is sent again and refused
// again is noted in memory alone: else an object that waits for a quota would be written twice for each try.
func (t *turn) neverCreated() bool {
	return t.bound() && (t.status.CreationRefused || t.mem.creationRefused)
}

// creationRefused takes in the error that a creation ended with. The object was observed to be absent before, so an answer that
// refuses the creation says that there still is nothing. That something of the name exists says so only if no creation before it may
// have made that.
func (t *turn) creationRefused(err error, nothingYet bool) {
	sentBefore := t.mem.creationSent
	t.mem.creationSent = true
	code := driver.CodeOf(err)
	t.mem.creationFailed = code != driver.Internal && code != driver.Unavailable
	if t.mem.startedOver {
		return // what lived before may come back: restored from a snapshot, for example
	}
	switch code {
	case driver.Conflict:
		if !nothingYet {
			return
		}
	case driver.Invalid, driver.Denied, driver.NotFound, driver.Quota, driver.Capacity:
	default:
		return
	}
	t.status.CreationRefused, t.mem.creationRefused = !sentBefore, true
}

// isNotTiedToNothing: an object for which nothing was created is not tied to the name, location and account of the creation that was
// refused.
func (r *Reconciler) isNotTiedToNothing(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	if t.deleting || !t.neverCreated() || !r.moved(t) {
		return nil, nil
	}
	return r.startElsewhere(ctx, t)
}

// startElsewhere unbinds an object for which nothing was created. The next reconciliation binds it to where its spec and its provider
// config lead now.
func (r *Reconciler) startElsewhere(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	if err := r.certain(ctx, t); err != nil {
		return nil, err
	}
	t.unbind()
	return &outcome.Outcome{State: condition.Retrying, KeepConditions: true, Next: outcome.Soon}, nil
}

// answerLost reports whether a creation may have been sent of whose answer nothing is known: it was lost, or the process ended before it
// came. That holds for names that Mooring made alone: under a name that a person chose another person may have created something
// meanwhile. It never holds for databases, whose clouds do not forget tags, and of which another may have another password.
func (r *Reconciler) answerLost(t *turn) bool {
	sent := t.bound() && t.status.Origin == v1alpha1.OriginCreated && !t.neverCreated() && !t.mem.creationFailed
	known := t.status.ExternalID != "" || t.status.FirstReadyTime != nil || t.status.AppliedGeneration != 0
	return sent && !known && !r.Kind.Login && t.spec.ExternalName == "" &&
		t.status.ExternalName == plan.ExternalName(r.ClusterID, t.obj.GetNamespace(), t.obj.GetName(), t.described.Name.MaxLength)
}
