package storage

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const retentionInstead = "set spec.retention.days to at least what the bucket has and spec.retention.locked to true, or create another Bucket"

// What it costs that objects are retained for longer, and that the period is locked.
var (
	retentionCost = driver.Cost{
		Text:   "clients can't delete or replace objects until the period ends, and this includes objects that are in the bucket now",
		Source: "https://cloud.google.com/storage/docs/bucket-lock",
	}
	lockCost = driver.Cost{
		Text:   "nobody can ever shorten or remove the period, and the bucket can't be deleted before all its objects are old enough",
		Source: "https://cloud.google.com/storage/docs/bucket-lock",
	}
)

// retentionRows are the retention policy of a bucket and its lock. https://cloud.google.com/storage/docs/bucket-lock
var retentionRows = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	table.Written(table.Field("retention.days", portable.WantedRetentionDays, haveRetention,
		func(p *parameters, v int32) { p.RetentionDays = &v },
	).Reported(func(b *bucket) *int32 {
		if days := haveRetention(b); days != nil && *days != 0 {
			return days
		}
		return nil
	}).Equal(func(want, have int32) bool { return want == have }, "`retention: {}` is no retention policy"), portable.RetentionText).
		EffectOf(retentionEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it shrinks or ends, and is not locked"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it grows, and is not locked: clients can't delete or replace objects for longer", Cost: retentionCost},
			driver.PossibleEffect{Effect: driver.Irreversible, When: "it grows, and is locked", Cost: lockCost},
			driver.PossibleEffect{Effect: driver.Impossible, When: "it shrinks or ends, and is locked", Instead: retentionInstead}),

	table.Field("retention.locked", portable.WantedRetentionLock,
		func(b *bucket) *bool { return &retentionOf(b).IsLocked },
		func(p *parameters, v bool) { p.RetentionLocked = &v },
	).Reported(func(b *bucket) *bool {
		if b.RetentionPolicy == nil {
			return nil
		}
		return &b.RetentionPolicy.IsLocked
	}).EffectOf(func(_ *bool, to bool, _ *bucket) (driver.Effect, string) {
		if to {
			return driver.Irreversible, ""
		}
		return driver.Impossible, "nobody can unlock a retention policy; " + retentionInstead
	},
		driver.PossibleEffect{Effect: driver.Irreversible, When: "it becomes true", Cost: lockCost},
		driver.PossibleEffect{Effect: driver.Impossible, When: "it becomes false", Instead: retentionInstead}),
}

// retentionOf returns the retention policy of a bucket; one of no time if there is none.
func retentionOf(b *bucket) *storage.RetentionPolicy {
	return cmp.Or(b.RetentionPolicy, &storage.RetentionPolicy{})
}

// haveRetention returns the days of a bucket. Other tools may set a period of no whole days.
func haveRetention(b *bucket) *int32 {
	period := retentionOf(b).RetentionPeriod
	if period%oneDay != 0 {
		return new(portable.InexpressibleRetention)
	}
	return new(int32(period / oneDay))
}

// retentionEffect goes by the bucket where it has no whole days.
func retentionEffect(from *int32, to int32, have *bucket) (driver.Effect, string) {
	before, after := retentionOf(have).RetentionPeriod, time.Duration(to)*oneDay
	if from != nil && *from != portable.InexpressibleRetention {
		before = time.Duration(*from) * oneDay
	}
	switch locked := retentionOf(have).IsLocked; {
	case before == untoldPeriod && locked && to > 0:
		return driver.Irreversible, fmt.Sprintf("the policy is locked: if its period is longer than %d days, nobody can shorten it, and it stays as it is", to)
	case before == untoldPeriod && to > 0:
		return driver.Interrupts, ""
	case before == untoldPeriod && locked:
		return driver.Impossible, "the bucket retains objects by a locked policy, which nobody can remove; " + retentionInstead
	case after < before && locked:
		return driver.Impossible, fmt.Sprintf("the bucket retains objects for %s by a locked policy, which nobody can shorten or remove; %s", inDays(before), retentionInstead)
	case after < before, before == untoldPeriod:
		return driver.Online, ""
	case locked:
		return driver.Irreversible, ""
	default:
		return driver.Interrupts, ""
	}
}

func inDays(d time.Duration) string {
	if d%oneDay != 0 {
		return d.String()
	}
	return fmt.Sprintf("%d days", d/oneDay)
}

// newRetention is what a creation says of the retention: nothing if there is to be none. The lock has a call of its own.
func newRetention(p *parameters, attrs *storage.BucketAttrs) {
	if *p.RetentionDays > 0 {
		attrs.RetentionPolicy = changedRetention(p)
	}
}

// changedRetention is what a patch says of the retention: a period of 0 removes it.
func changedRetention(p *parameters) *storage.RetentionPolicy {
	return &storage.RetentionPolicy{RetentionPeriod: time.Duration(*p.RetentionDays) * oneDay}
}

// lock locks the retention policy of a bucket of that metageneration, if that is asked for.
func (b *buckets) lock(ctx context.Context, name string, metageneration int64, params *parameters) error {
	if params.RetentionLocked == nil || !*params.RetentionLocked {
		return nil
	}
	_, err := session.Do(ctx, b.Caller, "buckets.lockRetentionPolicy", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.handle(name).If(storage.BucketConditions{MetagenerationMatch: metageneration}).LockRetentionPolicy(ctx)
	})
	return err
}

// changesBesideLock reports whether a patch has more to say than the lock, which it can't say.
func (p *parameters) changesBesideLock(changes []driver.Change) bool {
	return p.RetentionLocked == nil || len(changes) > 1
}

const eitherRetention = "Cloud Storage has either retention or versioning in a bucket: set spec.versioning to Suspended, or spec.retention to {}"

// checkRetention refuses versioning beside a retention, as the considerations of the page have it.
// https://cloud.google.com/storage/docs/object-versioning
func checkRetention(spec *v1alpha1.BucketParameters) error {
	if !portable.Retains(spec) || spec.Versioning == nil || *spec.Versioning != v1alpha1.VersioningEnabled {
		return nil
	}
	return table.Fields{"versioning", "retention.days"}.Refuse("%s", eitherRetention)
}

// checkRetained refuses the same where one of the two is in the bucket, and not in the spec. Nor is there a policy to lock where the bucket has none.
func checkRetained(have *bucket, p *parameters) error {
	versions, retains := have.VersioningEnabled, have.RetentionPolicy != nil
	if p.VersioningEnabled != nil {
		versions = *p.VersioningEnabled
	}
	if p.RetentionDays != nil {
		retains = *p.RetentionDays > 0
	}
	switch {
	case !retains && p.RetentionLocked != nil && *p.RetentionLocked:
		return session.Invalid("the bucket has no retention that could be locked: set spec.retention.days, too")
	case versions && retains && (p.VersioningEnabled != nil || p.RetentionDays != nil):
		return session.Invalid("%s", eitherRetention)
	}
	return nil
}

// untoldPeriod stands for the period of a mirror that can't tell it, because it is no whole number of days.
const untoldPeriod = -time.Nanosecond

// retentionIn is the retention policy that a mirror shows; nil if it shows none.
func retentionIn(mirror *v1alpha1.BucketParameters) *storage.RetentionPolicy {
	days, locked := portable.WantedRetentionDays(mirror), portable.WantedRetentionLock(mirror)
	if days == nil || *days == 0 {
		return nil
	}
	period := time.Duration(*days) * oneDay
	if *days == portable.InexpressibleRetention {
		period = untoldPeriod
	}
	return &storage.RetentionPolicy{RetentionPeriod: period, IsLocked: locked != nil && *locked}
}
