package resource

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// Sightings returns when each cloud object was last observed.
func (r *Reconciler) Sightings() []telemetry.Sighting { return r.memories.seen() }

// Observed returns when an object's cloud object was last observed; false if this process has not observed it.
func (r *Reconciler) Observed(name client.ObjectKey) (time.Time, bool) {
	return r.memories.observedAt(name)
}

// Unrecorded returns how many objects there are whose last turn could not be written down.
func (r *Reconciler) Unrecorded() int { return r.memories.lost() }

// justSent returns the fields that this turn set.
func (t *turn) justSent() (fields []string) {
	if t.mem.cloud.SentAt.Before(t.now) {
		return nil
	}
	for _, c := range t.mem.cloud.Sent {
		fields = append(fields, c.Field)
	}
	return fields
}
