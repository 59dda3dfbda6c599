package driver

import "time"

// A Restore says from what Create creates an object, for a kind with Capabilities.Restores:
//
//   - from a snapshot;
//   - from the state of another object at a point in time, with Capabilities.PointInTime;
//   - as a read replica of another object, with Follows and Capabilities.Replicas. The replica takes no writes, and has the logins and passwords of its primary, until Promote;
//   - in place of a vanished object, from what an observation reported as Restorable. This needs no capability.
//
// Create sets the values of the spec that the cloud accepts with such a call. The others differ in the next
// observation. The administrator's password is not changed: it is the one of the snapshot until an Update changes it.
//
// The object has the mark of the request from the beginning. With Capabilities.Copies there is one exception. An object
// that is restored from another object starts as a copy, with the settings and the mark SourceMark of that object, and
// Create sets nothing of the spec. Until WriteMark it is identified by its name and SourceMark. A read replica never
// starts as a copy.
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
