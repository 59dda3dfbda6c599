// Package cloudwatch stands in for Amazon CloudWatch, for the one metric that Mooring reads: how far a read replica of RDS lags behind. The
// values are package rds's; the delay after which a metric shows them, and the protocol, are here.
package cloudwatch
