package featuretest

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Observed returns what is known once a cloud object was observed.
func Observed(seen driver.Observation) reconciliation.State {
	return reconciliation.State{Facts: outcome.Facts{Observed: true, Observation: seen}}
}

// A Work is a feature.Work that stores and emits what its test says.
type Work struct {
	reconciliation.State
	// StoreFunc stores the status; nil stores nothing and succeeds.
	StoreFunc func(ctx context.Context) error
	// EmitFunc gets each Event that is emitted at once; nil drops it.
	EmitFunc func(outcome.Note)
}

// Reconciliation implements feature.Work.
func (w *Work) Reconciliation() *reconciliation.State { return &w.State }

// Store implements feature.Work.
func (w *Work) Store(ctx context.Context) error {
	if w.StoreFunc == nil {
		return nil
	}
	return w.StoreFunc(ctx)
}

// Clock implements feature.Work. It stands still at the time of the reconciliation.
func (w *Work) Clock() time.Time { return w.Now }

// Note implements feature.Work.
func (w *Work) Note(n outcome.Note) { w.Notes = append(w.Notes, n) }

// Emit implements feature.Work.
func (w *Work) Emit(n outcome.Note) {
	if w.EmitFunc != nil {
		w.EmitFunc(n)
	}
}
