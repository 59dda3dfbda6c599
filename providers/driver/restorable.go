package driver

import "time"

// Restorable is what a cloud still has of an object that is gone.
type Restorable struct {
	// From is what a Create in its place is made of, with Vanished and Time: the newest state that is complete. It is nil if there is none.
	From *Restore
	// Pending: the newest state is not complete yet, such as a snapshot that is still being taken.
	Pending bool
	// Details are what From has, as far as the cloud says it.
	Details SnapshotDetails
	// Backups are those of objects that were deleted, if Request.Vanished has no ID, each with its Source and Mark. Whether one of them may be restored is the
	// caller's to judge.
	Backups []SavedState `json:",omitempty"`
}

// A SavedState is a state of an object that a cloud has, such as a snapshot, and that nothing keeps from being restored but that it may not be complete. From says
// in its Time of when it is; zero if the cloud does not say it yet.
type SavedState struct {
	From     Restore
	Details  SnapshotDetails
	Complete bool
	// Since is the first of the times to which the object can be restored, of which that of From is the last, both in UTC; zero if there is no other one.
	Since time.Time `json:",omitzero"`
	// Mark is the mark that the state itself has in the cloud. It is zero for Restorable.From.
	Mark Mark `json:",omitzero"`
}

// Leaves reports whether what has this mark, such as a snapshot, may be restored in the place of an object with the other mark that vanished: it has no mark,
// or that of the object itself, under whatever uid. ofSnapshot: it is the mark of an object that stands for a snapshot, which has another name in the same
// namespace.
func (m Mark) Leaves(of Mark, ofSnapshot bool) bool {
	if m.Zero() {
		return true
	}
	return m.Cluster == of.Cluster && m.Namespace == of.Namespace && (ofSnapshot || m.Name == of.Name)
}
