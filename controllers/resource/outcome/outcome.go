package outcome

import (
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/providers/driver"
)

// When says when to come back.
type When int

// When to come back.
const (
	Soon       When = iota // at once: something was done, and its result is to be seen; later each time if it is Repeated
	Polling                // while the cloud works
	AfterError             // after a failure, later with each in a row
	AtSync                 // at the next sync, also while a person has to act
	Later                  // after AtLeast, behind all that has something to do
	InTurn                 // when its turn comes among the objects of its account
	Never                  // only when something changes
)

// An Outcome is what a reconciliation came to.
type Outcome struct {
	State   condition.State
	Reason  v1alpha1.Reason
	Message string
	// Detail is what only the platform team is told.
	Detail  string
	Next    When
	AtLeast time.Duration
	// AtMost is when to come back at the latest; 0 for no limit.
	AtMost time.Duration
	// Pending are the changes that are not applied; PendingKnown says that they are known.
	Pending      []v1alpha1.PendingChange
	PendingKnown bool
	// Planned: Pending and Hash are what the plan says now.
	Planned bool
	Hash    string
	// Undecided: the differences were not evaluated, so what waits for approval still does.
	Undecided bool
	// Voided: the spec was edited while the cloud is at work, so that nobody was asked about Pending yet: an approval of what waited before is of nothing
	// that is recorded any more.
	Voided bool
	// KeepConditions: conditions stay as they are.
	KeepConditions bool
	// Retried: the same was done before and did not help, so the waits grow as after an error.
	Retried bool
	// Repeated: the step that was made was made before since the object was at rest. GotOn: it is one of many that it takes, and the cloud did a good part.
	Repeated, GotOn bool
	// Deleted: there is no object left to write to. Finished: its deletion ended with this reconciliation.
	// Orphaned: the cloud object was left in the cloud.
	Deleted, Finished, Orphaned bool
	// Queued: the object waits for a slot of its account, and no call was made.
	Queued bool
	// Sends are the changes that an update makes right after the status is stored. Unset are the entries, by field, that an update was to add and of which the
	// cloud's answer says that it did not.
	Sends []driver.Change
	Unset map[string][]string
	// Throttled: the cloud was asked too often.
	Throttled bool
	// Created: the cloud accepted a creation.
	Created bool
}
