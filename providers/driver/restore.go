package driver

import "time"

// Restore says of what an object is created whose kind has Capabilities.Restores. The object has the mark of the request from the first moment, and never
// another one. Of the spec a Create sets what the cloud takes with such a creation; the rest differs when the object is next observed. The administrator's
// password is neither set nor handed over: the object has the one of the snapshot until an Update with Edit.Password.
//
// It is made of a snapshot, or of another object at a time where the kind has Capabilities.PointInTime. Where it has Capabilities.Copies, too, the cloud makes a
// copy of that object, with its mark and all its settings, and a Create sets nothing of the spec. Until WriteMark the new object is known by its
// name and SourceMark. One that follows another is never born as a copy: it has its own mark at once.
// With Follows it is made to follow another object, where the kind has Capabilities.Replicas: it repeats what is written there, takes no writes and has the logins and
// passwords of that one, until Promote.
// In the place of one that vanished it is made of what an Observation said to be Restorable, a snapshot or the object itself, whatever the capability.
type Restore struct {
	// Snapshot is the name of a snapshot in the cloud, in the location of the request. SnapshotID is the cloud's id of
	// it, if there is one.
	Snapshot, SnapshotID string
	// Source is the object to restore from, of the same kind and in the location of the request. Time is the point in
	// time, in UTC; zero for the latest that the cloud can restore. Source is zero for a snapshot. For a kind with
	// RestoresDeleted, Source may be a deleted object whose backups exist.
	Source ParentRef
	Time   time.Time
	// SourceMark is the expected mark of Source, for a kind with Capabilities.Copies; zero for other kinds. If Source
	// has another mark, Create returns Conflict without an effect, because the owner of the copy would not be known.
	SourceMark Mark
	// Vanished is the id of the vanished object that this one replaces; empty for none. Source is then the vanished
	// object, and Time the time of the snapshot or of the newest state.
	Vanished string `json:",omitempty"`
	// Follows: the object is to be a read replica of Source. Time is zero then. If the mark of Source is not
	// SourceMark, nothing is created: Create returns Busy while the mark is missing or incomplete, and Invalid for
	// another mark.
	Follows bool `json:",omitempty"`
	// SourceLocation is the location of Source, if a replica is in another location; empty if it is in the location of
	// the request.
	SourceLocation string `json:",omitempty"`
}

// String returns what is restored from, as a part of a message.
func (r *Restore) String() string {
	switch {
	case r.Follows:
		return r.Source.Name
	case r.Snapshot != "" && r.Vanished != "":
		return "the snapshot " + r.Snapshot + " of " + r.Time.UTC().Format(time.RFC3339)
	case r.Snapshot != "":
		return "the snapshot " + r.Snapshot
	case r.Time.IsZero():
		return r.Source.Name + " as it is"
	}
	return r.Source.Name + " as of " + r.Time.UTC().Format(time.RFC3339)
}

// A Former is the server that a blue/green deployment replaced by another one.
type Former struct {
	ParentRef
	Mark Mark
	// Pending: an operation is in progress on it, so the cloud accepts no change of it now.
	Pending bool `json:",omitempty"`
}
