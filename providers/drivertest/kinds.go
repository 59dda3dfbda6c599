package drivertest

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// Buckets returns the part of a session that is about buckets, for tests that call it with a bucket's own parameters.
func Buckets(s driver.Session) table.External[v1alpha1.BucketParameters] {
	return table.Of[v1alpha1.BucketParameters](s, "Bucket")
}

// Databases returns the part of a session that is about databases.
func Databases(s driver.Session) table.External[v1alpha1.DatabaseParameters] {
	return table.Of[v1alpha1.DatabaseParameters](s, "Database")
}
