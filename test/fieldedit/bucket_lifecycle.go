package fieldedit

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// lifecycleRules are rules that move objects and abort uploads, with the names that a cloud without names of rules gives them.
func lifecycleRules() []v1alpha1.LifecycleRule {
	return []v1alpha1.LifecycleRule{
		{
			Name: "rule-1", Prefix: new("logs/"), AbortUploadsAfterDays: new(int32(7)),
			Transitions:        []v1alpha1.LifecycleTransition{{AfterDays: new(int32(30)), StorageClass: "Infrequent"}, {AfterDays: new(int32(90)), StorageClass: "Cold"}},
			NoncurrentVersions: &v1alpha1.NoncurrentVersions{Transitions: []v1alpha1.LifecycleTransition{{AfterDays: new(int32(30)), StorageClass: "Infrequent"}}},
		},
		{Name: "rule-2", AbortUploadsAfterDays: new(int32(14))},
	}
}

// otherLifecycleRules do something else.
func otherLifecycleRules() []v1alpha1.LifecycleRule {
	return []v1alpha1.LifecycleRule{{Name: "rule-1", Prefix: new("tmp/"), Transitions: []v1alpha1.LifecycleTransition{{AfterDays: new(int32(0)), StorageClass: "Cold"}}}}
}

// sameLifecycleRules do what lifecycleRules do: in another order, with other names, an exact storage class, and each action in a rule of its own.
func sameLifecycleRules(infrequent v1alpha1.LifecycleStorageClass) []v1alpha1.LifecycleRule {
	logs := new("logs/")
	move := func(days int32, to v1alpha1.LifecycleStorageClass) []v1alpha1.LifecycleTransition {
		return []v1alpha1.LifecycleTransition{{AfterDays: &days, StorageClass: to}}
	}
	return []v1alpha1.LifecycleRule{
		{Name: "uploads", AbortUploadsAfterDays: new(int32(14))},
		{Name: "cold", Prefix: logs, Transitions: move(90, "Cold")},
		{Name: "old", Prefix: logs, NoncurrentVersions: &v1alpha1.NoncurrentVersions{Transitions: move(30, infrequent)}},
		{Name: "seldom", Prefix: logs, Transitions: move(30, infrequent)},
		{Name: "uploads of logs", Prefix: logs, AbortUploadsAfterDays: new(int32(7))},
	}
}

// deletingRules delete objects and their noncurrent versions after so many days.
func deletingRules(days int32) []v1alpha1.LifecycleRule {
	return []v1alpha1.LifecycleRule{{Name: "rule-1", ExpireAfterDays: new(days), NoncurrentVersions: &v1alpha1.NoncurrentVersions{ExpireAfterDays: new(days), Keep: new(int32(3))}}}
}

// lifecycleSteps are edits that delete more, and less.
var lifecycleSteps = []Step{
	{Field: "lifecycle", From: lifecycleRules(), To: deletingRules(30), Effect: driver.Irreversible},
	{Field: "lifecycle", From: deletingRules(30), To: deletingRules(7), Effect: driver.Irreversible},
	{Field: "lifecycle", From: deletingRules(7), To: deletingRules(30), Effect: driver.Online},
	{Field: "lifecycle", From: deletingRules(7), To: lifecycleRules(), Effect: driver.Online},
}

// archiveSteps are edits that move objects where they can't be read in S3, and end that.
var archiveSteps = []Step{
	{Field: "lifecycle", From: otherLifecycleRules(), To: archivingRules(), Effect: driver.Interrupts},
	{Field: "lifecycle", From: archivingRules(), To: otherLifecycleRules(), Effect: driver.Online},
}

func archivingRules() []v1alpha1.LifecycleRule {
	return []v1alpha1.LifecycleRule{{Name: "rule-1", Transitions: []v1alpha1.LifecycleTransition{{AfterDays: new(int32(90)), StorageClass: "Archive"}}}}
}
