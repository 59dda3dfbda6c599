// Package sql has the database servers of Cloud SQL, which it calls instances, and their backups.
//
// DatabaseKind and SnapshotKind are all that the driver needs of it. A session gets one adapter of each, whose table says of each field how a spec says it, how an
// instance reports it, and how a call sends it. A file holds one setting of an instance: its rows, what its change does, and what Cloud SQL is known
// to refuse. table.go has the plain ones. Cloud SQL runs one operation at a time on an instance (operation.go). The initial database
// (initial.go), the administrator (login.go) and the connection pool (pool.go) have calls of their own, which follow.
//
// Other files hold ways to get or lose an instance: restore.go and clone.go, replica.go, upgrade.go, final_backup.go and keep.go for what outlives it,
// vanished.go for what is left of one that somebody deleted. How far a replica lags behind is a metric of Cloud Monitoring (lag.go).
package sql
