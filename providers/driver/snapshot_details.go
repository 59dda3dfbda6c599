package driver

import "time"

// SnapshotDetails are what a cloud says of a snapshot of a database server. Empty fields are not known.
type SnapshotDetails struct {
	// Source is the name of the server in the cloud, which may be gone.
	Source string
	// Taken is when the snapshot was begun, in UTC; zero if the cloud does not say it yet.
	Taken time.Time
	// SizeGiB is the size of the disk that the snapshot was taken of, and the least that a restored server takes.
	SizeGiB int32
	// Engine is the engine in the words of the spec of a Database, or in those of the cloud where the spec has none. Version is the engine's version
	// in the same form as in that spec.
	Engine, Version string
	// Username is the administrator that a restored server keeps; empty where the cloud does not say it, or where a restored server can have another.
	Username string
	// Encrypted: the data is encrypted at rest. Key is the key that a person chose for it, in the cloud's words; empty for the cloud's own.
	Encrypted bool
	Key       string
	// Expires is when the cloud deletes the snapshot by itself, in UTC; zero if it does not.
	Expires time.Time
}
