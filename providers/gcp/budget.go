package gcp

import "github.com/mooring-dev/mooring/providers/driver"

// budgets are the classes in which Google Cloud counts calls. Updates of a bucket's metadata are counted for each bucket.
// https://cloud.google.com/sql/quotas#admin-api-rate-limit https://cloud.google.com/storage/quotas#buckets
var budgets = []driver.Budget{
	{Name: "Cloud SQL calls", Service: "sqladmin"},
	{Name: "bucket creations and deletions", Service: "storage", Operations: []string{"buckets.insert", "buckets.delete"}},
	{Name: "bucket updates", Service: "storage", Operations: []string{"buckets.patch", "buckets.setIamPolicy", "buckets.lockRetentionPolicy"}, ByObject: true},
	{Name: "Cloud Storage calls", Service: "storage"},
}
