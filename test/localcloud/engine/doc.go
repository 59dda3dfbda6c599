// Package engine runs the database servers behind the instances of the local cloud: real PostgreSQL and MariaDB servers
// on loopback (MariaDB stands for MySQL too), or bare listeners for tests that need no data. It starts, stops, moves
// and copies them, keeps the logs of their writes, sets users and parameters, and has one follow another.
//
// It knows no cloud: no API, no status, no clock of a cloud. A service says what it wants as a Spec, and waits by a Job.
// What only a cloud decides, such as when a change reaches the server, is the service's.
package engine
