package fieldedit

import (
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// Full declares no retention: it would keep what tests write from being deleted, and Cloud Storage has none beside versioning.

// retentionDays is the edit of the period. versioning is the other value that a retention needs; nil if it needs none.
func retentionDays(versioning *string) drivertest.Field {
	f := drivertest.Field{Name: "retention.days", To: 30, Dependents: []string{"retention.locked"}, Given: map[string]any{"retention.days": 7}}
	if versioning != nil {
		f.Given["versioning"] = *versioning
		f.Effect, f.DriftEffect = driver.Interrupts, driver.Online
	} else {
		f.Given["aws.objectLock"] = nil // which a retention switches on
		f.ReadWith = []string{"retention.locked", "aws.objectLock"}
	}
	return f
}

// retentionLocked is the edit of the lock.
func retentionLocked(versioning *string) drivertest.Field {
	f := drivertest.Field{Name: "retention.locked", To: true, Effect: driver.Irreversible, Given: map[string]any{"retention.locked": false, "retention.days": 7}}
	if versioning != nil {
		f.Given["versioning"] = *versioning
		f.NoDrift = "nobody can unlock a retention policy"
	} else {
		f.Given["aws.objectLock"] = nil
		f.ReadWith, f.DriftEffect = []string{"retention.days", "aws.objectLock"}, driver.Online
	}
	return f
}

// objectLock is the edit of Object Lock of S3.
var objectLock = drivertest.Field{
	Name: "aws.objectLock", To: true, Effect: driver.Irreversible, ReadWith: []string{"retention.days", "retention.locked"},
	NoDrift: "nobody can switch Object Lock off",
}

var s3RetentionSteps = []Step{
	{Field: "aws.objectLock", From: true, To: false, Effect: driver.Impossible},
	{Field: "retention.days", From: 7, To: 30, Effect: driver.Irreversible, Given: map[string]any{"retention.locked": true, "aws.objectLock": nil}},
	{Field: "retention.locked", From: true, To: false, Effect: driver.Online, Given: map[string]any{"retention.days": 7, "aws.objectLock": nil}},
}

var retentionSteps = []Step{
	{Field: "retention.days", From: 30, To: 7, Effect: driver.Online, Given: map[string]any{"versioning": "Suspended"}},
	{Field: "retention.days", From: 7, To: 30, Effect: driver.Irreversible, Given: map[string]any{"versioning": "Suspended", "retention.locked": true}},
	{Field: "retention.days", From: 30, To: 7, Effect: driver.Impossible, Given: map[string]any{"versioning": "Suspended", "retention.locked": true}},
	{Field: "retention.locked", From: true, To: false, Effect: driver.Impossible, Given: map[string]any{"versioning": "Suspended", "retention.days": 7}},
}
