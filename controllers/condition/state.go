package condition

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A State is one row of the table: how it stands with an object as a whole.
type State int

// The states.
const (
	// Progressing: being created, or waiting for what it refers to.
	Progressing State = iota
	// UpToDate: usable and as declared; or observed only; or stopped as declared.
	UpToDate
	// Updating: an edit is being applied, or waits for its window.
	Updating
	// EditWaits: an edit waits for approval.
	EditWaits
	// DriftWaits: drift or a class change waits for approval, a window or the cloud; the spec's own
	// generation is applied.
	DriftWaits
	// Retrying: a call failed and will be retried.
	Retrying
	// RetryingLong: calls have failed for a while.
	RetryingLong
	// Unobserved: not observed for two sync periods.
	Unobserved
	// ObservationRefused: the cloud or the provider config does not let the object be observed. This generation of the spec
	// is applied, and the last observation is younger than two sync periods.
	ObservationRefused
	// Stalled: it cannot proceed without a person.
	Stalled
	// Paused: nothing is looked at or done.
	Paused
	// Deleting: the object is being deleted.
	Deleting
	// DeletionStalled: the deletion cannot go on without a person.
	DeletionStalled
)

// String returns the state's name.
func (s State) String() string {
	names := [...]string{
		"Progressing", "UpToDate", "Updating", "EditWaits", "DriftWaits", "Retrying", "RetryingLong", "Unseen", "ObservationRefused", "Stalled", "Paused",
		"Deleting", "DeletionStalled",
	}
	return names[s]
}

// status says how a condition's status follows from the state.
type status int

const (
	absent     status = iota // the condition is removed
	isTrue                   //
	isFalse                  //
	isUnknown                //
	asSeen                   // as the cloud says, by this reconciliation's observation; without one, as before
	asLastSeen               // as before, whatever was observed
	withReason               // as before, for a reason and with a message of its own
)

// row is the statuses of one state, in the order of the design's table.
type row struct {
	available, synced, ready, reconciling, stalled status
	// evaluated: the conditions speak about this generation of the spec, so observedGeneration moves up to it.
	// kstatus calls nothing Failed before.
	evaluated bool
	// current: this generation of the spec is applied.
	current bool
}

var table = map[State]row{
	Progressing:        {available: isFalse, synced: isFalse, ready: isFalse, reconciling: isTrue, evaluated: true},
	UpToDate:           {available: asSeen, synced: isTrue, ready: isTrue, evaluated: true, current: true},
	Updating:           {available: asSeen, synced: isFalse, ready: isFalse, reconciling: isTrue, evaluated: true},
	EditWaits:          {available: asSeen, synced: isFalse, ready: isFalse, stalled: isTrue, evaluated: true},
	DriftWaits:         {available: asSeen, synced: isFalse, ready: isTrue, evaluated: true, current: true},
	Retrying:           {available: asLastSeen, synced: asLastSeen, ready: asLastSeen, reconciling: asLastSeen, stalled: asLastSeen},
	RetryingLong:       {available: asLastSeen, synced: asLastSeen, ready: asLastSeen, reconciling: isTrue, stalled: asLastSeen},
	Unobserved:         {available: isUnknown, synced: isUnknown, ready: isUnknown, reconciling: isTrue},
	ObservationRefused: {available: asLastSeen, synced: asLastSeen, ready: asLastSeen},
	Stalled:            {available: asSeen, synced: isFalse, ready: isFalse, stalled: isTrue, evaluated: true},
	Paused:             {available: asLastSeen, synced: isFalse, ready: withReason},
	Deleting:           {available: asSeen, synced: isFalse, ready: isFalse, reconciling: isTrue, evaluated: true},
	DeletionStalled:    {available: asSeen, synced: isFalse, ready: isFalse, reconciling: isTrue, stalled: isTrue, evaluated: true},
}

// Evaluated reports whether in this state the conditions speak about the present generation of the spec,
// rather than about what was last seen.
func (s State) Evaluated() bool { return table[s].evaluated }

// WaitsForPerson reports whether in this state nothing goes on before a person acts, in the cluster or in the cloud.
func (s State) WaitsForPerson() bool {
	return s == Stalled || s == DeletionStalled || s == ObservationRefused
}

// Current reports whether in this state the present generation of the spec is applied.
func (s State) Current() bool { return table[s].current }

func (s status) resolve(available *bool) (metav1.ConditionStatus, bool) {
	switch s {
	case isTrue:
		return metav1.ConditionTrue, true
	case isFalse:
		return metav1.ConditionFalse, true
	case isUnknown:
		return metav1.ConditionUnknown, true
	case asSeen:
		if available == nil {
			return "", false
		}
		if *available {
			return metav1.ConditionTrue, true
		}
		return metav1.ConditionFalse, true
	default:
		return "", false
	}
}
