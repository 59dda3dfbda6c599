// Package secretsmanager stands in for AWS Secrets Manager, for the secrets that RDS manages: it lets a caller read the current version.
// The secrets are package rds's.
package secretsmanager
