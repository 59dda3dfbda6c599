// Package monitoring stands in for Cloud Monitoring, for the one metric that Mooring reads: how far a read replica of Cloud SQL lags behind.
// The values are package sql's; the delay after which a metric shows them, and the filter, are here.
package monitoring
