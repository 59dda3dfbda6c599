package restore

import "github.com/mooring-dev/mooring/providers/driver"

// A snapshot is what is known of the snapshot, or of the other object, from which an object is to be restored.
type snapshot struct {
	// Named is how messages call it.
	Named string
	// Open: the account is the namespace's own, or its class lets it take over anything, so that also what has no mark of this cluster may be restored.
	Open bool
	// Copies: what is created is born as a copy of it, its mark included.
	Copies bool
	// Known: an object of the namespace stands for it, and its status says so.
	Known bool
	// Other: what has the name in the cloud is another snapshot than the one that the object stands for which the spec names.
	Other bool
	// Seen is what was observed of it.
	Seen driver.Observation
	// Unfit is why no object can be restored from it as the spec wants; empty if one can.
	Unfit string
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
	Deleted *deletedServers
	// Unsupported: the cloud restores no such objects, or not so: What says it.
	Unsupported bool
	What        string
}
