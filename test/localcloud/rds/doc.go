// Package rds stands in for Amazon RDS: instances, their snapshots and automated backups, parameter groups, read
// replicas and blue/green deployments, on the servers of package engine. parameter.go has a line for each parameter
// that a call sets, an instance holds, and an answer shows; what is checked or comes later is in create.go and
// modify.go. describe.go has a row for each call that answers with a list, resource.go one for each type of resource,
// with the words about one that does not exist. Settle brings everything to the state of a time.
//
// What RDS accepts, refuses and answers is here a second time, beside the driver in providers/aws: neither imports the
// other, so that a mistake of the driver is a refused call here. The recordings of test/recordings verify this package.
package rds
