// Package sql manages roles, grants and databases in PostgreSQL, MySQL and MariaDB, for every cloud. It knows no cloud
// and no Kubernetes.
//
// Wanted says what is declared for one server: logical databases, and users with their logins and levels of access. A
// Server is a session of an administrator. Its Read returns a Snapshot by a number of queries that does not grow with
// users. A Snapshot plans without calling anything: a Plan has the differences of one user or one logical database, and
// the statements that mend them in their order. Apply sends statements. Each of them may be lost, repeated or followed
// by a crash: the next Read and Plan go on from there.
//
// What belongs here is what both engines share: the messages, the names, the direct dialer with its address rules, and
// the error of a server that can't be reached. Packages postgres and mysql have the catalogs, the statements and the
// error tables of their engine.
//
// No password is in a statement: both engines take verifiers, which these packages compute.
package sql
