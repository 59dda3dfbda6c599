// Command mooring is the controller: it watches Buckets and Databases in a Kubernetes cluster and
// keeps what they stand for in AWS and Google Cloud as declared. Every flag can be given as an
// environment variable too: --sync-period is MOORING_SYNC_PERIOD.
package main
