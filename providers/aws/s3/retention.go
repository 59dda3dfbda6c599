package s3

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// retentionCost is what it costs that object versions are retained.
var retentionCost = driver.Cost{
	Text:   "existing object versions keep what they have, and a deletion without a version leaves a delete marker as before",
	Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-managing.html",
}

// What can't be taken back. https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
const (
	lockStays   = "Object Lock stays on the bucket for good: nobody can suspend its versioning any more, nor send logs of access to it"
	lockInstead = "set it to true, or take it out of the spec; to be rid of it create another Bucket and move the objects"
	compliance  = "nobody can delete object versions that are written from then on before their period ends, not even the root user"
)

// retentionRows are Object Lock and the default retention of new object versions. S3 has one call for all three.
var retentionRows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Written(table.Field("retention.days", portable.WantedRetentionDays,
		func(b *bucket) *int32 { return b.retentionDays },
		func(p *params, v int32) { p.retentionDays = &v },
	).Reported(func(b *bucket) *int32 {
		if aws.ToInt32(b.retentionDays) == 0 {
			return nil
		}
		return b.retentionDays
	}).Equal(func(want, have int32) bool { return want == have }, "`retention: {}` is no default retention"), portable.RetentionText).
		EffectOf(objectLockEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it changes in mode GOVERNANCE, or shrinks, or ends: existing object versions keep what they have"},
			driver.PossibleEffect{Effect: driver.Irreversible, When: "it is set on a bucket without Object Lock, which stays on it for good, or grows in mode COMPLIANCE", Cost: retentionCost}),

	table.Field("retention.locked", portable.WantedRetentionLock,
		func(b *bucket) *bool { return b.retentionLocked },
		func(p *params, v bool) { p.retentionLocked = &v },
	).Reported(func(b *bucket) *bool {
		if aws.ToInt32(b.retentionDays) == 0 {
			return nil
		}
		return b.retentionLocked
	}).Equal(func(want, have bool) bool { return want == have }, "`true` is the mode COMPLIANCE, `false` GOVERNANCE").
		EffectOf(func(_ *bool, to bool, _ *bucket) (driver.Effect, string) {
			if to {
				return driver.Irreversible, compliance
			}
			return driver.Online, "object versions that were written before stay locked until their period ends"
		},
			driver.PossibleEffect{Effect: driver.Online, When: "it becomes false: existing object versions keep what they have"},
			driver.PossibleEffect{Effect: driver.Irreversible, When: "it becomes true: " + compliance, Cost: retentionCost}),

	table.Field("aws.objectLock",
		func(s *v1alpha1.BucketParameters) *bool { return block(s).ObjectLock },
		func(b *bucket) *bool { return b.objectLock },
		func(p *params, v bool) { p.objectLock = &v },
	).
		EffectOf(func(_ *bool, to bool, _ *bucket) (driver.Effect, string) {
			if to {
				return driver.Irreversible, lockStays
			}
			return driver.Impossible, "S3 can't switch Object Lock off: " + lockInstead
		},
			driver.PossibleEffect{Effect: driver.Irreversible, When: "it becomes true: " + lockStays},
			driver.PossibleEffect{Effect: driver.Impossible, When: "it becomes false", Instead: lockInstead}),
}

// objectLockEffect goes by whether the bucket has Object Lock, which nobody can switch off.
func objectLockEffect(from *int32, to int32, have *bucket) (driver.Effect, string) {
	before := aws.ToInt32(from)
	switch {
	case to == 0:
		return driver.Online, "object versions that are there stay until their period ends, and the bucket keeps Object Lock"
	case before == 0 && !aws.ToBool(have.objectLock):
		return driver.Irreversible, lockStays
	case to > before && aws.ToBool(have.retentionLocked):
		return driver.Irreversible, compliance
	}
	return driver.Online, "it applies to object versions that are written from then on"
}

// retention reads and writes Object Lock and the default retention.
type retention aspects

func (b retention) part() table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{"retention.days", "retention.locked", "aws.objectLock"}, Taken: table.Names{"objectLock", "retentionDays", "retentionLocked"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			rule, on, err := b.read(ctx, req.Name)
			if err != nil {
				return err
			}
			into.objectLock, into.retentionDays, into.retentionLocked = &on, daysOf(rule), new(rule != nil && rule.Mode == types.ObjectLockRetentionModeCompliance)
			return nil
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
			return "", b.write(ctx, req.Name, have.retentionDays != nil, params)
		},
	}
}

// hasPeriod reports whether a rule retains new versions for a period. One may have an event hold alone, which is another protection: neither read, set nor taken away here.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DefaultRetention.html
func hasPeriod(rule *types.DefaultRetention) bool {
	return rule != nil && (rule.Mode != "" || rule.Days != nil || rule.Years != nil)
}

// daysOf returns the days of a rule: 0 without a period. Years are no number of days that S3 names.
func daysOf(rule *types.DefaultRetention) *int32 {
	switch {
	case !hasPeriod(rule):
		return new(int32(0))
	case rule.Days == nil:
		return new(portable.InexpressibleRetention)
	}
	return rule.Days
}

// read returns the rule of a bucket, nil if it has none, and whether the bucket has Object Lock.
func (b retention) read(ctx context.Context, name string) (rule *types.DefaultRetention, on bool, err error) {
	out, err := session.Call(ctx, b.Session, "GetObjectLockConfiguration", b.s3.GetObjectLockConfiguration,
		&s3.GetObjectLockConfigurationInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	switch {
	case session.ErrorCode(err) == "ObjectLockConfigurationNotFoundError":
		return nil, false, nil
	case err != nil || out.ObjectLockConfiguration == nil:
		return nil, false, err
	case out.ObjectLockConfiguration.Rule != nil:
		rule = out.ObjectLockConfiguration.Rule.DefaultRetention
	}
	return rule, true, nil
}

// write switches Object Lock on, and changes days and mode, and keeps the one that is not in the spec. A new bucket is known to have no rule, so it is not read. Where no rule is
// wanted, the bucket keeps Object Lock if it has it, and gets none otherwise: S3 can't switch it off.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLockConfiguration.html
func (b retention) write(ctx context.Context, name string, isNew bool, p *params) error {
	var rule *types.DefaultRetention
	on := false
	if !isNew {
		var err error
		if rule, on, err = b.read(ctx, name); err != nil {
			return err
		}
	}
	configuration := &types.ObjectLockConfiguration{ObjectLockEnabled: types.ObjectLockEnabledEnabled}
	if wanted := p.rule(rule); wanted != nil {
		configuration.Rule = &types.ObjectLockRule{DefaultRetention: wanted}
	}
	switch {
	case p.retentionLocked != nil && p.retentionDays == nil && !hasPeriod(rule):
		return table.Fields{"retention.locked", "retention.days"}.Refuse("the bucket has no retention that could be locked: set spec.retention.days, too")
	case configuration.Rule == nil && !on && !aws.ToBool(p.objectLock):
		return nil
	}
	_, err := session.Call(ctx, b.Session, "PutObjectLockConfiguration", b.s3.PutObjectLockConfiguration, &s3.PutObjectLockConfigurationInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), ObjectLockConfiguration: configuration,
	})
	return adviseState(err, "the bucket keeps no old versions, which Object Lock needs: set spec.versioning to Enabled")
}

// rule is what is asked for in place of a rule, nil for none. The event hold of others stays.
func (p *params) rule(was *types.DefaultRetention) *types.DefaultRetention {
	rule := types.DefaultRetention{Mode: types.ObjectLockRetentionModeGovernance}
	if was != nil {
		rule.DefaultEventHold = was.DefaultEventHold
	}
	switch {
	case p.retentionDays != nil && *p.retentionDays == 0 || p.retentionDays == nil && !hasPeriod(was):
		if rule.Mode = ""; rule.DefaultEventHold == nil {
			return nil
		}
		return &rule
	case hasPeriod(was):
		rule = *was
	}
	if p.retentionDays != nil {
		rule.Days, rule.Years = p.retentionDays, nil
	}
	if p.retentionLocked != nil {
		rule.Mode = types.ObjectLockRetentionModeGovernance
		if *p.retentionLocked {
			rule.Mode = types.ObjectLockRetentionModeCompliance
		}
	}
	return &rule
}

// adviseState says what to do about the state of a bucket, before the words of S3.
func adviseState(err error, advice string) error {
	if session.ErrorCode(err) != "InvalidBucketState" {
		return err
	}
	e := *session.AsError(err)
	e.Message = fmt.Sprintf("%s; Amazon S3 says: %s", advice, e.Message)
	return &e
}

// checkRetention refuses suspended versioning beside Object Lock, which needs versions, and a retention without it.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-managing.html
func checkRetention(spec *v1alpha1.BucketParameters) error {
	locks, retains := block(spec).ObjectLock, portable.Retains(spec)
	suspended := spec.Versioning != nil && *spec.Versioning == v1alpha1.VersioningSuspended
	switch {
	case retains && locks != nil && !*locks:
		return table.Fields{"aws.objectLock", "retention.days"}.Refuse(
			"retention.days switches Object Lock on in Amazon S3: set aws.objectLock to true, or take it out of the spec")
	case retains && suspended:
		return table.Fields{"versioning", "retention.days"}.Refuse(
			"retention.days needs versioning Enabled in Amazon S3, whose Object Lock keeps versions: set versioning to Enabled, or take it out of the spec")
	case aws.ToBool(locks) && suspended:
		return table.Fields{"versioning", "aws.objectLock"}.Refuse(
			"aws.objectLock needs versioning Enabled, because it keeps versions: set versioning to Enabled, or take it out of the spec")
	}
	return nil
}

// creationLock says whether a new bucket has Object Lock from the beginning, which also switches its versioning on: so a spec needs to say nothing of that.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
func creationLock(spec *v1alpha1.BucketParameters) *bool {
	if portable.Retains(spec) || aws.ToBool(block(spec).ObjectLock) {
		return new(true)
	}
	return nil
}
