// Package s3 drives buckets of Amazon S3, and of stores of other makers that have its API.
//
// Buckets is all that the driver registers. bucket.go says what a kind does and joins its parts, table.go has a row for each field, and each document
// of a bucket (lifecycle, policy, replication and so on) has a file with its row, its read and its write. check.go refuses what S3 would, errors.go says
// what its error codes mean, and store.go has what other makers do otherwise.
//
// A service gets a session.Session: its calls go through session.Call. This package knows nothing of the other services.
//
// A look at a converged bucket costs one read and one more for each declared document. Nothing is written unless it was asked for by name. A list has
// the buckets of the session's region, one read a page, without tags: S3 lists none. It takes the permission s3:ListAllMyBuckets, which Mooring's
// policies do not grant, because the controller does not list.
package s3
