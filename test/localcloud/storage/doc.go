// Package storage stands in for Cloud Storage, JSON API: buckets with their configuration, policies, objects, folders and notifications.
// storage.go has the routes; rules.go holds a bucket to the rules of each field; a file for each larger field says what Cloud Storage adds
// to it and what it refuses.
//
// What Cloud Storage accepts, refuses and answers is here a second time, beside the driver in providers/gcp: neither imports the other, so
// that a mistake of the driver is a refused call here. The recordings of test/recordings verify this package.
package storage
