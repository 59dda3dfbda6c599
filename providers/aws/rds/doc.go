// Package rds drives instances and snapshots of Amazon RDS.
//
// Databases and Snapshots are all that the driver registers, beside Quotas. instance.go says what a database does and joins its parts, table.go
// has a row for each field; replica.go, restore.go and bluegreen.go make an instance of another one, and snapshot.go has the second kind. The
// group files have the DB parameter groups that belong to one instance, and the options and roles that it has. check.go refuses what RDS would,
// errors.go says what its error codes mean, and refusal.go which field a refusal is about.
//
// A service gets a session.Session: its calls go through session.Call. This package knows nothing of the other services.
//
// A look at an instance costs one read. Nothing is written unless it was asked for by name. A list takes rds:DescribeDBInstances, as a look at one
// instance does, and lacks nothing.
//
// RDS has no API for the certificate authorities of its servers: it publishes them at
// https://truststore.pki.rds.amazonaws.com. Endpoint.Certificates is therefore empty, and a provider config can name a ConfigMap with them.
package rds
