// Package localcloud is a strict stand-in for the parts of AWS and Google Cloud that Mooring
// drives: S3, RDS and STS behind one AWS endpoint; Cloud Storage, Cloud SQL Admin and the makers of
// access tokens behind one Google endpoint. It verifies signatures and tokens, keeps the
// clouds' states, defaults, quotas and oddities, and errs on the side of being harsher than
// they are. Database instances are real PostgreSQL and MariaDB servers on loopback.
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
// This package starts the clouds and lets a test say what no API can (control_aws.go, control_gcp.go). A service is a package: s3, rds, sts,
// cloudwatch and secretsmanager behind the endpoint of package amazon; storage, sql and monitoring behind that of package google. What
// services share is in cloud, traffic and oidc, the database servers in engine. A service's tests reach it as a driver does, by package sdk;
// check has what does not know a cloud.
//
// What a cloud accepts stands in rows: documents of S3 (s3/document.go), calls with lists and parameters of RDS (rds/describe.go, parameter.go),
// members of a bucket (storage/field.go) and settings of an instance (sql/setting.go). A rule stands once here, and once with the driver or in
// the schema of the API: a service imports no driver, for it must not inherit the driver's mistakes. What both take from one source is what the
// SDK has as data: names and enumerations. Names, locations and versions are compared by test/rules. ADR 42 says which rule stands where.
package localcloud
