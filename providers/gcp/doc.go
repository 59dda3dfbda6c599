// Package gcp drives Google Cloud: buckets of Cloud Storage, and database servers of Cloud SQL.
//
// This package is the driver: its description, its budgets, and how it opens a connection. Each service has a package, storage and sql, which knows no other.
// How calls are made, and by which identity, is in package session. What resources of all services have in common is in package resource.
//
// A connection belongs to one project. A re-check costs one read a bucket (buckets.get) and one an
// instance (instances.get); while a long operation is under way one more (operations.get), and until it is known
// that the initial database or the administrator exists one more each, once. Every edit is one write,
// guarded by metageneration or settingsVersion, so that a change somebody else makes meanwhile is not lost.
//
// A list costs one read a page, and has the objects of all locations of the project. Of instances it lacks the initial database, which has
// calls of its own. It takes the permission cloudsql.instances.list, or storage.buckets.list with storage.buckets.getIamPolicy, for the
// whole project. Mooring's roles do not grant the lists, because the controller does not list.
//
// What Mooring chooses where the spec says nothing, at creation only and shown in status: a bucket has
// uniform access and public access prevention, as new buckets in S3 have; an instance has the
// edition that its tier belongs to, and the newest version of its engine that is well tried, and refuses connections without TLS.
package gcp
