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
	// Snapshot is the name in the cloud of an object of the kind that has this one as Resource.Source, in the location of the request. SnapshotID is the
	// cloud's own identity of it, where it has one.
	Snapshot, SnapshotID string
	// Source is an object of the kind in the location of the request, and Time the moment, in UTC; zero for the latest one that the cloud can restore. Source is zero for
	// a snapshot. For a kind with RestoresDeleted it may be one that was deleted and whose backups are left.
	Source ParentRef
	Time   time.Time
	// SourceMark is the mark that Source has, for a kind with Capabilities.Copies. If it has another one by now, Create is Conflict, and makes nothing: nobody would
	// know whose the copy is. It is zero for other kinds.
	SourceMark Mark
	// Vanished is the identity of the object in whose place this one is made; empty for none. The Source is that object then, which is gone, and Time says of when
	// the snapshot or the newest state is.
	Vanished string `json:",omitempty"`
	// Follows: the object is to follow Source. Time is zero then. If Source has another mark than SourceMark by now, Create is Busy while it has none or a part of
	// it, and Invalid for another one; nothing is made.
	Follows bool `json:",omitempty"`
	// SourceLocation is where Source is, if the object is to follow it from elsewhere; empty if it is in the location of the request.
	SourceLocation string `json:",omitempty"`
}

// String says from what, as a part of a message.
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

// A Former is an object in whose place another one was put.
type Former struct {
	ParentRef
	Mark Mark
	// Pending: the cloud is at work on it, and takes no change of it now.
	Pending bool `json:",omitempty"`
}
