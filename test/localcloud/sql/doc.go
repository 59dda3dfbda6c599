// Package sql stands in for the Cloud SQL Admin API, in its versions v1 and v1beta4: instances, their operations, backups, databases and
// users, read replicas and certificate authorities, on the servers of package engine. sql.go has the routes. Every change is an operation,
// which ends when its time has come and the server has done its part.
//
// What Cloud SQL accepts, refuses and answers is here a second time, beside the driver in providers/gcp: neither imports the other, so that
// a mistake of the driver is a refused call here. The recordings of test/recordings verify this package.
package sql
