package report

import (
	"time"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// Memory is what reports remember of an object. All of it may be lost at any time: it keeps conditions calm and waits growing, and
// nothing is wrong without it.
type Memory struct {
	Pace *retry.Backoff
	// Priority is that of the next reconciliation.
	Priority account.Priority
	// Failures counts failed reconciliations in a row, Failing is when they began.
	Failures int
	Failing  time.Time
	// Settling is when the cloud began, among these failures, to refuse what may pass by itself; zero if it does not.
	Settling time.Time
	// Edited is when an edit was first seen that is not applied yet; zero if there is none.
	Edited time.Time
	// Drift is what became of the fields that were found changed in the cloud.
	Drift Drifts
	// Unrecorded: what the last reconciliation came to could not be written down.
	Unrecorded bool
	// Recorded is the last observation that the status, as it is stored, knows of.
	Recorded time.Time
	// Lag is how far the cloud object lags behind what it follows; nil if that is not known, or if it follows nothing.
	Lag *time.Duration
	// LastObservation is that observation for metrics; nil if the cloud object is not to be observed, for now. Unwritten: the status of the last
	// reconciliation could not be written.
	LastObservation *telemetry.LastObservation
	Unwritten       bool
	// reported: an Event about the object was recorded. refused is what was recorded of a refused observation; empty once the object
	// was observed.
	reported bool
	refused  string
}

// NewMemory is that of an object that was not met before.
func NewMemory(cadence retry.Cadence, now time.Time) Memory {
	return Memory{Pace: retry.NewBackoff(cadence), Recorded: now, Priority: account.Resync}
}

// Wanted is the memory once somebody edited the object or asked for its reconciliation: nothing waits for what was before. edited is when
// an object that was usable was edited; zero if it was not.
func (m Memory) Wanted(urgent bool, edited time.Time) Memory {
	m.Pace.Reset()
	m.Failures = 0
	if urgent {
		m.Priority = min(m.Priority, account.UserRequested)
	}
	if !edited.IsZero() {
		m.Edited = edited
	}
	return m
}

// StartedOver is the memory once another cloud object took the place of the first one.
func (m Memory) StartedOver() Memory {
	m.Drift = nil
	return m
}
