package s3

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// s3Classes are the exact names of the portable storage classes.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-class-intro.html
var s3Classes = map[v1alpha1.LifecycleStorageClass]types.TransitionStorageClass{
	v1alpha1.StorageInfrequent: types.TransitionStorageClassStandardIa, v1alpha1.StorageCold: types.TransitionStorageClassGlacierIr,
	v1alpha1.StorageArchive: types.TransitionStorageClassGlacier,
}

// portableClass returns the portable name of a storage class, or the exact one if there is none.
func portableClass(c v1alpha1.LifecycleStorageClass) v1alpha1.LifecycleStorageClass {
	for class, exact := range s3Classes {
		if string(exact) == string(c) {
			return class
		}
	}
	return c
}

// exactClass returns S3's own name of a storage class.
func exactClass(c v1alpha1.LifecycleStorageClass) types.TransitionStorageClass {
	if exact, ok := s3Classes[c]; ok {
		return exact
	}
	return types.TransitionStorageClass(c)
}

// lifecycleLacks are parts of rules that only Cloud Storage has. Rules are matched as JSON, whose names are in order.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
var lifecycleLacks = []driver.Lack{
	{Field: "lifecycle", Match: `"suffix":`, Values: "a rule with suffix", Why: "Amazon S3 has no rules for the ends of names", Instead: "give the objects a common prefix or tag, and set that in spec.lifecycle"},
	{Field: "lifecycle", Match: `"allVersions":true`, Values: "a rule with allVersions", Why: "Amazon S3 counts the days of noncurrent versions from when they became so",
		Instead: "remove allVersions, and set noncurrentVersions in spec.lifecycle"},
	{Field: "lifecycle", Match: `"storageClass":"(NEARLINE|COLDLINE|ARCHIVE)"`, Values: "a storage class of Google Cloud", Why: "the bucket is in Amazon S3",
		Instead: "name Infrequent, Cold or Archive in spec.lifecycle, or a class of Amazon S3"},
	{Field: "lifecycle", Match: `"noncurrentVersions":\{"expireAfterDays":0[,}]`, Values: "0 days for noncurrent versions", Why: "Amazon S3 keeps them for a day at least",
		Instead: "set noncurrentVersions.expireAfterDays to 1 or more in spec.lifecycle"},
}

// bucketLacks are what buckets have in other clouds and not in S3.
var bucketLacks = slices.Concat(session.KeyLacks, lifecycleLacks)

var s3Lifecycle = portable.Lifecycle{Class: portableClass}

// What it costs that rules begin to delete objects, or to move them where they can't be read.
var (
	deletionCost = driver.Cost{
		Text: "this includes objects that are in the bucket now: S3 looks for them once a day, from the next midnight UTC on, and nobody can bring them back, " +
			"except that a bucket with versioning keeps objects as noncurrent versions",
		Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-expire-general-considerations.html",
	}
	archiveCost = driver.Cost{
		Text:   "clients can't read such objects until somebody restores a copy, which takes minutes to hours (DEEP_ARCHIVE: up to 48 hours); other objects are read as before",
		Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/restoring-objects-retrieval-options.html",
	}
)

// lifecycleRow is when objects are deleted, and when they move.
var lifecycleRow = table.Alike(table.Rules("lifecycle",
	func(s *v1alpha1.BucketParameters) []v1alpha1.LifecycleRule { return s.Lifecycle },
	func(b *bucket) *[]v1alpha1.LifecycleRule { return b.lifecycle },
	func(p *params, v []v1alpha1.LifecycleRule) { p.lifecycle = v },
	func(r v1alpha1.LifecycleRule) v1alpha1.LifecycleRule { return r }, ""),
	s3Lifecycle.Same, "names, order, and how actions are spread over rules count for nothing; Infrequent is STANDARD_IA, Cold GLACIER_IR, Archive GLACIER",
).EffectOf(func(from *[]v1alpha1.LifecycleRule, to []v1alpha1.LifecycleRule, _ *bucket) (driver.Effect, string) {
	var before []v1alpha1.LifecycleRule
	if from != nil {
		before = *from
	}
	moves, deletions := s3Lifecycle.Moves(before, to, v1alpha1.StorageArchive, "DEEP_ARCHIVE"), s3Lifecycle.Deletions(before, to)
	switch {
	case deletions != "" && moves != "":
		return driver.Irreversible, fmt.Sprintf("%s, which keeps readers away, and %s", moves, deletions)
	case deletions != "":
		return driver.Irreversible, deletions
	case moves != "":
		return driver.Interrupts, moves
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "nothing more is deleted, and nothing more moves to Archive or DEEP_ARCHIVE"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "more objects move to Archive or DEEP_ARCHIVE, or earlier", Cost: archiveCost},
	driver.PossibleEffect{Effect: driver.Irreversible, When: "more objects or noncurrent versions are deleted, or earlier", Cost: deletionCost})

// lifecycleOf returns the rules of a bucket and the size from which objects move; nothing if there are no rules.
func lifecycleOf(ctx context.Context, b aspects, name string) (*s3.GetBucketLifecycleConfigurationOutput, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketLifecycleConfiguration", b.s3.GetBucketLifecycleConfiguration,
		&s3.GetBucketLifecycleConfigurationInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if session.ErrorCode(err) == "NoSuchLifecycleConfiguration" {
		return &s3.GetBucketLifecycleConfigurationOutput{}, nil
	}
	return out, err
}

// checkLifecycle refuses rules that can't stand beside each other. S3 takes most of them, and does what it likes.
func checkLifecycle(spec *v1alpha1.BucketParameters) error {
	if clash := portable.LifecycleConflict(spec.Lifecycle); clash != "" {
		return table.Fields{"lifecycle"}.Refuse("%s", clash)
	}
	return nil
}

// lifecyclePart reads and writes the rules.
func lifecyclePart(b aspects) table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{"lifecycle"}, Taken: table.Names{"lifecycle"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			out, err := lifecycleOf(ctx, b, req.Name)
			if err != nil {
				return err
			}
			rules := make([]v1alpha1.LifecycleRule, 0, len(out.Rules))
			for _, r := range out.Rules {
				rules = append(rules, ruleFrom(r))
			}
			into.lifecycle = &rules
			return nil
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
			if err := checkLifecycle(&req.Spec); err != nil {
				return "", err
			}
			return "", adviseLifecycle(writeLifecycle(ctx, b, req.Name, have.lifecycle != nil, params.lifecycle))
		},
	}
}

// writeLifecycle replaces all rules, and keeps the size from which objects move: S3 takes its default for what is not sent. A new bucket is known to
// have no rules, so it is not read. S3 takes no empty list: none is a call of its own.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html (x-amz-transition-default-minimum-object-size)
func writeLifecycle(ctx context.Context, b aspects, name string, isNew bool, want []v1alpha1.LifecycleRule) error {
	if len(want) == 0 {
		_, err := session.Call(ctx, b.Session, "DeleteBucketLifecycle", b.s3.DeleteBucketLifecycle,
			&s3.DeleteBucketLifecycleInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
		return err
	}
	var size types.TransitionDefaultMinimumObjectSize
	if !isNew {
		out, err := lifecycleOf(ctx, b, name)
		if err != nil {
			return err
		}
		size = out.TransitionDefaultMinimumObjectSize
	}
	rules := make([]types.LifecycleRule, 0, len(want))
	for _, r := range want {
		rules = append(rules, ruleTo(r))
	}
	_, err := session.Call(ctx, b.Session, "PutBucketLifecycleConfiguration", b.s3.PutBucketLifecycleConfiguration, &s3.PutBucketLifecycleConfigurationInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules},
		TransitionDefaultMinimumObjectSize: size,
	})
	return err
}

// adviseLifecycle says what to do about rules that S3 refuses: its words name no field of the spec.
func adviseLifecycle(err error) error {
	if err == nil || driver.CodeOf(err) != driver.Invalid {
		return err
	}
	e := *session.AsError(err)
	e.Message = "correct spec.lifecycle (rules of different names, storage classes in the order from warm to cold, deletion after the last move). Amazon S3 says: " + e.Message
	return &e
}

// ruleTo returns a rule as S3 takes it.
func ruleTo(r v1alpha1.LifecycleRule) types.LifecycleRule {
	rule := types.LifecycleRule{ID: &r.Name, Status: types.ExpirationStatusEnabled, Filter: filterTo(r)}
	switch {
	case r.ExpireAfterDays != nil:
		rule.Expiration = &types.LifecycleExpiration{Days: r.ExpireAfterDays}
	case aws.ToBool(r.RemoveExpiredDeleteMarkers):
		rule.Expiration = &types.LifecycleExpiration{ExpiredObjectDeleteMarker: r.RemoveExpiredDeleteMarkers}
	}
	for _, t := range r.Transitions {
		rule.Transitions = append(rule.Transitions, types.Transition{Days: t.AfterDays, StorageClass: exactClass(t.StorageClass)})
	}
	if old := r.NoncurrentVersions; old != nil {
		if old.ExpireAfterDays != nil {
			rule.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: old.ExpireAfterDays, NewerNoncurrentVersions: old.Keep}
		}
		for _, t := range old.Transitions {
			rule.NoncurrentVersionTransitions = append(rule.NoncurrentVersionTransitions,
				types.NoncurrentVersionTransition{NoncurrentDays: t.AfterDays, StorageClass: exactClass(t.StorageClass)})
		}
	}
	if r.AbortUploadsAfterDays != nil {
		rule.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: r.AbortUploadsAfterDays}
	}
	return rule
}

// filterTo returns the objects that a rule applies to as S3 takes them: one condition alone, or several in an element of their own.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleRuleFilter.html
func filterTo(r v1alpha1.LifecycleRule) *types.LifecycleRuleFilter {
	tags := s3Tags(session.WantTags(r.Tags))
	conditions := len(tags)
	for _, set := range []bool{aws.ToString(r.Prefix) != "", r.LargerThanBytes != nil, r.SmallerThanBytes != nil} {
		if set {
			conditions++
		}
	}
	switch {
	case conditions > 1:
		return &types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Prefix: r.Prefix, Tags: tags, ObjectSizeGreaterThan: r.LargerThanBytes, ObjectSizeLessThan: r.SmallerThanBytes}}
	case len(tags) == 1:
		return &types.LifecycleRuleFilter{Tag: &tags[0]}
	case conditions == 0:
		return &types.LifecycleRuleFilter{Prefix: new("")}
	}
	return &types.LifecycleRuleFilter{Prefix: r.Prefix, ObjectSizeGreaterThan: r.LargerThanBytes, ObjectSizeLessThan: r.SmallerThanBytes}
}

// ruleFrom returns a rule of S3 as a spec says it, or what stands for one that a spec can't say.
func ruleFrom(r types.LifecycleRule) v1alpha1.LifecycleRule {
	if why := inexpressible(r); why != "" {
		return portable.InexpressibleRule(fmt.Sprintf("rule %q: %s", aws.ToString(r.ID), why))
	}
	rule := v1alpha1.LifecycleRule{Name: aws.ToString(r.ID)}
	filterFrom(r, &rule)
	if e := r.Expiration; e != nil {
		rule.ExpireAfterDays = e.Days
		if aws.ToBool(e.ExpiredObjectDeleteMarker) {
			rule.RemoveExpiredDeleteMarkers = e.ExpiredObjectDeleteMarker
		}
	}
	for _, t := range r.Transitions {
		rule.Transitions = append(rule.Transitions, v1alpha1.LifecycleTransition{AfterDays: t.Days, StorageClass: portableClass(v1alpha1.LifecycleStorageClass(t.StorageClass))})
	}
	old := v1alpha1.NoncurrentVersions{}
	if e := r.NoncurrentVersionExpiration; e != nil {
		old.ExpireAfterDays, old.Keep = e.NoncurrentDays, e.NewerNoncurrentVersions
	}
	for _, t := range r.NoncurrentVersionTransitions {
		old.Transitions = append(old.Transitions, v1alpha1.LifecycleTransition{AfterDays: t.NoncurrentDays, StorageClass: portableClass(v1alpha1.LifecycleStorageClass(t.StorageClass))})
	}
	portable.SortTransitions(rule.Transitions)
	portable.SortTransitions(old.Transitions)
	if old.ExpireAfterDays != nil || old.Transitions != nil {
		rule.NoncurrentVersions = &old
	}
	if abort := r.AbortIncompleteMultipartUpload; abort != nil {
		rule.AbortUploadsAfterDays = abort.DaysAfterInitiation
	}
	return rule
}

// inexpressible says why a spec can't say a rule; empty if it can.
func inexpressible(r types.LifecycleRule) string {
	switch {
	case r.Status != types.ExpirationStatusEnabled:
		return "it is disabled"
	case r.Expiration != nil && r.Expiration.Date != nil:
		return "it deletes objects on " + r.Expiration.Date.UTC().Format("2006-01-02")
	case r.NoncurrentVersionExpiration != nil && r.NoncurrentVersionExpiration.NoncurrentDays == nil:
		return "it deletes noncurrent versions without a number of days"
	}
	for _, t := range r.Transitions {
		switch {
		case t.Date != nil:
			return fmt.Sprintf("it moves objects to %s on %s", t.StorageClass, t.Date.UTC().Format("2006-01-02"))
		case t.Days == nil:
			return fmt.Sprintf("it moves objects to %s without a number of days", t.StorageClass)
		}
	}
	for _, t := range r.NoncurrentVersionTransitions {
		if t.NewerNoncurrentVersions != nil || t.NoncurrentDays == nil {
			return fmt.Sprintf("it moves noncurrent versions to %s and keeps %d where they are", t.StorageClass, aws.ToInt32(t.NewerNoncurrentVersions))
		}
	}
	return ""
}

// filterFrom reads the objects that a rule applies to. Rules of former times have their prefix beside the filter.
func filterFrom(r types.LifecycleRule, into *v1alpha1.LifecycleRule) {
	prefix := r.Prefix //nolint:staticcheck // deprecated, and there may be such rules
	var tags []types.Tag
	if f := r.Filter; f != nil {
		prefix, into.LargerThanBytes, into.SmallerThanBytes = f.Prefix, f.ObjectSizeGreaterThan, f.ObjectSizeLessThan
		if f.Tag != nil {
			tags = []types.Tag{*f.Tag}
		}
		if f.And != nil {
			prefix, into.LargerThanBytes, into.SmallerThanBytes, tags = f.And.Prefix, f.And.ObjectSizeGreaterThan, f.And.ObjectSizeLessThan, f.And.Tags
		}
	}
	into.Prefix, into.Tags = session.NonEmpty(prefix), specTags(tags)
}
