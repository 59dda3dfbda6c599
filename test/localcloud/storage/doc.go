// Package storage stands in for Cloud Storage, JSON API: buckets with their configuration, policies, objects, folders and notifications.
// storage.go has the routes. field.go has a row for each member of a bucket: its name, its values, whether it can change, and what Cloud
// Storage adds and refuses. A file for each larger member has the latter. A new member is a row.
//
// What Cloud Storage accepts, refuses and answers is here a second time, beside the driver in providers/gcp: neither imports the other, so
// that a mistake of the driver is a refused call here. The recordings of test/recordings verify this package.
package storage
