// Package localcloud is a strict stand-in for the parts of AWS and Google Cloud that Mooring
// drives: S3, RDS and STS behind one AWS endpoint; Cloud Storage, Cloud SQL Admin and the makers of
// access tokens behind one Google endpoint. It verifies signatures and tokens, keeps the
// clouds' states, defaults, quotas and oddities, and errs on the side of being harsher than
// they are. Database instances are real PostgreSQL and MariaDB servers on loopback.
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
// Every call lands in a Ledger; Faults make calls fail in the ways networks and clouds do.
//
//	cloud, err := localcloud.Start(localcloud.Options{})
//	defer cloud.Close()
//	keys := cloud.AWSKeys("123456789012")
//	... point an SDK at cloud.AWSEndpoint() ...
//	cloud.Ledger.Count(localcloud.Filter{Service: "s3", Write: localcloud.Writes})
//
// Whom the clouds trust is for tests to say: TrustIssuer makes them know a Kubernetes cluster by the keys that sign its tokens,
// AWSRole and GCPPool let ServiceAccounts in, GCPServiceAccount says who may act as whom. An Issuer stands in for the cluster.
// Sessions and tokens that the clouds hand out begin and end by Options.SessionNow; AWSSessions and GCPTokens, and Caller and Tags of
// the ledger's calls, show who came as whom.
//
// The same as a program is test/localcloud/serve, for other languages and for trying things out by hand.
//
// One file holds one service; package engine holds the database servers; cloud.go, access.go, ledger.go
// and fault.go hold what the services share.
package localcloud
