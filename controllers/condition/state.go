package condition

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A State is the state of an object as a whole: one row of the table.
type State int

// The states.
const (
	// Progressing: the object is being created, or waits for an object that its spec refers to.
	Progressing State = iota
	// UpToDate: the object is usable and as declared, only observed, or stopped as declared.
	UpToDate
	// Updating: an edit of the spec is being applied, or waits for its maintenance window.
	Updating
	// EditWaits: an edit of the spec waits for approval.
	EditWaits
	// DriftWaits: a correction of drift or a change of the class waits for approval, for a window or for the cloud. The
	// current generation of the spec is applied.
	DriftWaits
	// Retrying: a call failed and will be retried.
	Retrying
	// RetryingLong: calls have failed for so long that the condition Reconciling reports it.
	RetryingLong
	// Unobserved: the object was not observed for two sync periods.
	Unobserved
	// ObservationRefused: the cloud denies reading the object, or its provider config can't be used. The current
	// generation of the spec is applied, and the last observation is younger than two sync periods.
	ObservationRefused
	// Stalled: the object makes no progress without a person.
	Stalled
	// Paused: the object has the annotation that pauses it. It is neither observed nor changed.
	Paused
	// Deleting: the object is being deleted.
	Deleting
	// DeletionStalled: the deletion makes no progress without a person.
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

// Evaluated reports whether the conditions are about the current generation of the spec. If so, observedGeneration
// moves up to that generation. Otherwise they are about an earlier observation.
func (s State) Evaluated() bool { return table[s].evaluated }

// WaitsForPerson reports whether a person has to act before the object makes progress, in the cluster or in the cloud.
func (s State) WaitsForPerson() bool {
	return s == Stalled || s == DeletionStalled || s == ObservationRefused
}

// Current reports whether the cloud object is as the current generation of the spec declares it. It decides whether
// Ready can be True.
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
