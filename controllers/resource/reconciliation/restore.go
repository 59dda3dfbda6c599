package reconciliation

import "github.com/mooring-dev/mooring/controllers/resource/plan"

// A Snapshot is what is known of the snapshot from which an object is to be restored.
type Snapshot struct {
	plan.Snapshot
	// Missing: the spec names an object that stands for it, and there is none. Waits is why that object is of no use yet; empty if it is. Stalled: a person has to
	// act before it is.
	Missing bool
	Waits   string
	Stalled bool
	// Unwatched: nobody has the object reconciled once what it waits for is there, so it looks again by itself.
	Unwatched bool
	// Elsewhere says where it is if that is another account than the object's; empty if it is not.
	Elsewhere string
	// Itself: the spec names the object itself. SameServer: it names another object whose server has the name that this one's is to have.
	Itself, SameServer bool
	// Deleted is what is known of the backups that the cloud has of a deleted server of the object that the spec names; nil if that object is there.
	Deleted *plan.Deleted
	// Left is what is left of the object that vanished in whose place this one is restored; nil if it is not.
	Left *plan.Left
	// Unsupported: the cloud restores no such objects, or not so: What says it.
	Unsupported bool
	What        string
}
