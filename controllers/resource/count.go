package resource

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// LastObserved returns when each cloud object was last observed.
func (r *Reconciler) LastObserved() []telemetry.LastObservation { return r.memories.seen() }

// Observed returns when an object's cloud object was last observed; false if this process has not observed it.
func (r *Reconciler) Observed(name client.ObjectKey) (time.Time, bool) {
	return r.memories.observedAt(name)
}

// Unrecorded returns how many objects there are whose last reconciliation could not be written down.
func (r *Reconciler) Unrecorded() int { return r.memories.lost() }
