package driver

import "time"

// Restorable is what a cloud can restore of an object that was deleted.
type Restorable struct {
	// From is the newest complete state, as a Restore with Vanished and Time set; nil if there is none.
	From *Restore
	// Pending: the newest state is not complete yet, for example a snapshot that is still being taken.
	Pending bool
	// Details are the properties of From, as far as the cloud reports them.
	Details SnapshotDetails
	// Backups are the backups of deleted objects, if Request.Vanished has no ID. Each has a Source and a Mark. The
	// caller decides whether one of them may be restored.
	Backups []SavedState `json:",omitempty"`
}

// A SavedState is a restorable state of an object, such as a snapshot. If it is not Complete, it can't be restored yet.
// From.Time is the time of the state; zero if the cloud does not report it yet.
type SavedState struct {
	From     Restore
	Details  SnapshotDetails
	Complete bool
	// Since is the earliest point in time that can be restored, in UTC. The latest one is From.Time. It is zero if
	// From.Time is the only one.
	Since time.Time `json:",omitzero"`
	// Mark is the ownership mark of the state itself, for example of a backup. It is zero in Restorable.From.
	Mark Mark `json:",omitzero"`
}

// Leaves reports whether something with mark m, such as a snapshot, may be restored in place of a vanished object with
// the mark of. It may if m is the zero Mark, or if both marks name the same object, whatever their uids. ofSnapshot
// says that m is the mark of a snapshot object, which has another name in the same namespace.
func (m Mark) Leaves(of Mark, ofSnapshot bool) bool {
	if m.Zero() {
		return true
	}
	return m.Cluster == of.Cluster && m.Namespace == of.Namespace && (ofSnapshot || m.Name == of.Name)
}
