// Package aws drives Amazon Web Services: buckets are S3 buckets, databases are RDS instances.
//
// bucket.go and database.go hold what a kind does, bucket_table.go and database_table.go its fields;
// session.go holds clients, deadlines and retries, errors.go what AWS's errors mean, tags.go the
// ownership mark among the tags of others. identity.go goes the steps to the identity that signs the calls, signer.go
// replaces what AWS no longer takes.
//
// A look at a converged bucket costs one read and one more for each declared aspect; a look at an instance costs
// one read. Nothing is written unless it was asked for by name.
//
// A list costs one read a page. Of buckets it has those of the session's region, and neither tags nor any other aspect: S3 lists none. It
// takes the permission s3:ListAllMyBuckets, which Mooring's policies do not grant, because the controller does not list. A list of
// instances takes rds:DescribeDBInstances, as a look at one does, and lacks nothing.
//
// RDS has no API for the certificate authorities of its servers: it publishes them at
// https://truststore.pki.rds.amazonaws.com. Endpoint.Certificates is therefore empty, and a provider config can name a ConfigMap with them.
package aws
