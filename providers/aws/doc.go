// Package aws drives Amazon Web Services: buckets are S3 buckets, databases are RDS instances.
//
// It has what is of the whole driver: driver.go opens sessions, description.go says what the driver has and joins the kinds of the services, and
// budget.go and quota.go how AWS counts. Each service has a package of its own (s3, rds), around a table with a row for each field. What they
// share is below them, in session: the identity, the calls and what AWS's errors mean. A service imports no other.
//
// The tests here are of the driver as a whole: the conformance suite, and how sessions are reached.
package aws
