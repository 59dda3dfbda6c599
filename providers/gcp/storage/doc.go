// Package storage has the buckets of Cloud Storage: their fields as rows, and the calls that make, change, read and delete them.
//
// Kind is all that the driver needs of it. A session gets one adapter, whose table says of each field how a spec says it, how a bucket reports it, and how a call
// sends it. A file holds one setting of a bucket: its rows, what its change does, and what Cloud Storage is known to refuse. table.go has the plain ones. What
// one read does not report, and another call changes, is a part of its own: IAM policies, notifications and the IP filter. Files of the deletion empty
// the bucket first: purge.go the objects, held.go those under a hold, folder.go and hierarchy.go the folders.
//
// Two clients make the calls. cloud.google.com/go/storage has buckets and objects; the older client of the JSON API has what that one lacks: the IP filter, managed
// folders, folders, notifications and policies as they are sent. Both send to the same endpoint by the same transport, so a bucket is read once: a transport takes
// the filter out of that answer. The older client has all the calls of the newer one. So the newer one can go once the fields of
// BucketAttrs are read from and written to the API's own type.
//
// The package gets a session.Session, and knows nothing of how that reached its identity.
package storage
