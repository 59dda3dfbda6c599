package storage

import (
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/providers/driver"
)

// uniformCost is what it costs that ACLs lose their effect.
var uniformCost = driver.Cost{
	Text:   "who has access by an ACL alone stays out until a policy lets them in; the others notice nothing",
	Source: "https://cloud.google.com/storage/docs/uniform-bucket-level-access",
}

const uniformInstead = "set spec.gcp.uniformAccess to true, or create another Bucket without uniform access and move the objects there"

// uniformRow is whether IAM alone decides about access. https://cloud.google.com/storage/docs/uniform-bucket-level-access
var uniformRow = plain("gcp.uniformAccess", "UniformAccess", func(b *bucket) *bool { return &b.UniformBucketLevelAccess.Enabled }).EffectOf(uniformEffect,
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes false: who has access by an ACL that is still there has it again"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes true: ACLs lose their effect, and after 90 days it can't become false any more", Cost: uniformCost},
	driver.PossibleEffect{Effect: driver.Impossible, When: "it becomes false, 90 days or more after it became true", Instead: uniformInstead})

func uniformEffect(_ *bool, to bool, have *bucket) (driver.Effect, string) {
	switch locked := have.UniformBucketLevelAccess.LockedTime; {
	case to:
		return driver.Interrupts, "ACLs lose their effect, and after 90 days that can't be taken back"
	case !locked.IsZero():
		return driver.Impossible, "uniform access was on for 90 days on " + locked.UTC().Format(time.DateOnly) + ", and can't be switched off since then; " + uniformInstead
	default:
		return driver.Online, "ACLs count again: whoever has access by an ACL of an object, from before or from now on, can use it; once uniform access was on for 90 days, Cloud Storage refuses this"
	}
}

// forgetFutureLock leaves the time from which uniform access can't be switched off only if that time has come: rows know no clock.
func forgetFutureLock(b *storage.BucketAttrs, now time.Time) {
	if now.Before(b.UniformBucketLevelAccess.LockedTime) {
		b.UniformBucketLevelAccess.LockedTime = time.Time{}
	}
}
