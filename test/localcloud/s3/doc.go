// Package s3 stands in for Amazon S3: buckets with their configuration, objects with their versions and locks, policies and lists. Names of
// buckets are global. operation.go says which calls there are. A file holds a document of the configuration, or a part of the data.
//
// What S3 accepts, refuses and answers is here a second time, beside the driver in providers/aws: neither imports the other, so that a
// mistake of the driver is a refused call here. The recordings of test/recordings verify this package.
package s3
