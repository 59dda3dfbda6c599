// Package engine runs the database servers behind the instances of the local cloud: real PostgreSQL and MariaDB servers
// on loopback (MariaDB stands for MySQL too), or bare listeners for tests that need no data. It starts, stops, moves
// and copies them, keeps the logs of their writes, sets users and parameters, and has one follow another.
//
// Snapshots and backups hold the data of those servers, and what is restored from them has the rows, users and passwords of the time. PostgreSQL servers with
// automated backups keep the log of their writes, so that an instance can be restored or cloned to a point in time by the cloud's clock
// (Options.Now, Options.LogInterval). MariaDB, which stands for MySQL too, keeps none: it can be cloned as it is, and a point in time is refused.
//
// What parameter groups of RDS and flags of Cloud SQL set reaches the servers when it would in the cloud, as far as their engine has it: MariaDB leaves out what only MySQL has,
// and the clouds' own parameters (rds.*, cloudsql.*) do nothing. What takes memory is bounded (max_connections at 500, shared_buffers at 16 MiB), and what a server here
// needs as it is stays so, such as fsync and performance_schema. The log of the server, in Options.Dir, has a line for each of these that begins with "local cloud:".
//
// Read replicas follow their source by the replication of PostgreSQL and of MariaDB, and refuse writes until they are promoted.
//
// A blue/green deployment of RDS has a green instance that follows in the same way. Its switchover ends all connections to the blue one, waits until the green one has all writes that were acknowledged, and
// gives it the address of the blue one, which goes on read-only at another. A version is a label: both run the server that is installed.
//
// It knows no cloud: no API, no status, no clock of a cloud. A service says what it wants as a Spec, and waits by a Job.
// What only a cloud decides, such as when a change reaches the server, is the service's.
package engine
