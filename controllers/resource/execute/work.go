package execute

import (
	"context"
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/record"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A work is a reconciliation while its action is carried out.
type work struct {
	executor *Executor
	reconciliation.State
	// status is that of State.Object.
	status *v1alpha1.ResourceStatus
	// part is what a deletion did that is not finished, in words; empty if it is.
	part string
	// tell records an Event at once.
	tell func(outcome.Note)
}

// Reconciliation implements feature.Work.
func (w *work) Reconciliation() *reconciliation.State { return &w.State }

// Emit implements feature.Work.
func (w *work) Emit(n outcome.Note) { w.tell(n) }

// Store implements feature.Work.
func (w *work) Store(ctx context.Context) error { return w.patchStatus(ctx) }

// Clock implements feature.Work.
func (w *work) Clock() time.Time { return w.executor.Clock() }

// Note implements feature.Work.
func (w *work) Note(n outcome.Note) { w.Notes = append(w.Notes, n) }

// ensureRecorded stores, before the cloud is changed, what finding and deleting the object again will
// take: config and credentials, the finalizer, and the binding.
func (w *work) ensureRecorded(ctx context.Context, a plan.Action) (fresh bool, err error) {
	if hasFinalizer(w.Object) && bound(w.Object) {
		return false, nil
	}
	if err := w.executor.isNotRerouted(ctx, w.State); err != nil {
		return false, err
	}
	keep, err := w.executor.hasRoom(ctx, w.State)
	if err != nil {
		return false, err
	}
	defer keep()
	if err := w.executor.Protector.Protect(ctx, w.Config, w.Object.GetNamespace()); err != nil {
		return false, err
	}
	if !hasFinalizer(w.Object) {
		if w.Stored, err = w.executor.store().addFinalizer(ctx, w.Stored, w.Object); err != nil {
			return false, err
		}
	}
	if !bound(w.Object) {
		if w.Described.Ownership == driver.OwnedByParent {
			w.executor.Room.note(w.State, w.executor.Clock()) // before: the answer may be lost
		}
		w.bind()
		w.describe(outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message})
		if err := w.patchStatus(ctx); err != nil {
			return false, fmt.Errorf("store the binding: %w", err)
		}
	}
	return true, nil
}

// describe brings the status in line with an outcome and what was observed.
func (w *work) describe(out outcome.Outcome) {
	described := w.executor.Features.Describe(w.State, w.Object, out)
	w.Object, w.status = described.Object, described.Object.GetResourceStatus()
	w.Released = append(w.Released, described.Released...)
}

// unstored returns what the cloud returned and the stored status does not say; nil for nothing. If it can't be stored now, how an operation ends would never be known.
func unstored(now, stored *v1alpha1.ResourceStatus) *plan.Returned {
	returned := plan.Returned{ID: now.ExternalID, Operation: now.Operation}
	if returned == (plan.Returned{}) || returned == (plan.Returned{ID: stored.ExternalID, Operation: stored.Operation}) {
		return nil
	}
	return &returned
}

// patchStatus writes the status if it differs from what is stored.
func (w *work) patchStatus(ctx context.Context) error {
	stored, written, err := record.Status(ctx, w.executor.Client, w.Stored, w.Object)
	if err != nil {
		return err
	}
	w.Stored, w.Memory.Cloud.Carried = stored, nil
	if !written {
		return nil
	}
	w.Written = true
	if len(w.Released) > 0 {
		w.Note(outcome.Released(w.Released))
	}
	w.Released = nil
	return nil
}
