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
// RDS has no API for the certificate authorities of its servers: it publishes them at
// https://truststore.pki.rds.amazonaws.com. Endpoint.Certificates is therefore empty.
package aws
