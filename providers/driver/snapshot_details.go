package driver

import "time"

// SnapshotDetails describe a snapshot of a database server. Empty fields are not known.
type SnapshotDetails struct {
	// Source is the name of the server in the cloud. The server may have been deleted.
	Source string
	// Taken is when the snapshot was begun, in UTC; zero if the cloud does not report it yet.
	Taken time.Time
	// SizeGiB is the size of the server's disk, in GiB. A restored server needs at least this size.
	SizeGiB int32
	// Engine is the engine as in the spec of a Database, or the cloud's name if the spec has no such engine. Version is
	// the engine's version, in the form of that spec.
	Engine, Version string
	// Username is the administrator that a restored server keeps. It is empty if the cloud does not report it, or if a
	// restored server can get another one.
	Username string
	// Encrypted: the data is encrypted at rest. Key is the customer-managed key, in the cloud's form; empty for the
	// cloud's own key.
	Encrypted bool
	Key       string
	// Expires is when the cloud deletes the snapshot by itself, in UTC; zero if it does not.
	Expires time.Time
}
