package s3

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// blockedInNew are the kinds of encryption that S3 blocks on a new bucket. Where it does not yet, as in Bahrain, the first observation shows it.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-s3-c-encryption-setting-faq.html
var blockedInNew = []string{string(types.EncryptionTypeSseC)}

// blockedCost is what it costs that a kind of encryption is blocked.
var blockedCost = driver.Cost{
	Text:   "S3 answers 403 to clients that write objects with keys of their own (SSE-C), until they leave them out; the others notice nothing",
	Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/blocking-unblocking-s3-c-encryption-gpb.html",
}

// encryptionRows are how a bucket encrypts new objects. S3 has one rule for all of it, and one call.
var encryptionRows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Field("encryption.key",
		portable.WantedBucketKey,
		func(b *bucket) *string { return b.key },
		func(p *params, v string) { p.key = &v },
	).Reported(func(b *bucket) *string { return session.NonEmpty(b.key) }).
		Equal(sameKey, "a key that the bucket names by its id or alias alone is the same; `encryption: {}` is S3's own key").
		Refers(driver.ReferenceKey),

	table.Field("aws.bucketKey",
		func(s *v1alpha1.BucketParameters) *bool { return block(s).BucketKey },
		func(b *bucket) *bool { return b.bucketKey },
		func(p *params, v bool) { p.bucketKey = &v }),

	blockedRow(),
}

// blockedRow are the kinds of encryption that a bucket refuses.
func blockedRow() *table.Scalar[v1alpha1.BucketParameters, bucket, params, []string] {
	row := table.SetApart("aws.blockedEncryptionTypes",
		func(s *v1alpha1.BucketParameters) []string { return block(s).BlockedEncryptionTypes },
		func(b *bucket) []string { return b.blocked },
		func(p *params, v []string) { p.blocked = v })
	return row.Equal(slices.Equal[[]string], "another order; `NONE` is `[]`").EffectOf(func(from *[]string, to []string, _ *bucket) (driver.Effect, string) {
		for _, kind := range to {
			if from == nil || !slices.Contains(*from, kind) {
				return driver.Interrupts, ""
			}
		}
		return driver.Online, ""
	},
		driver.PossibleEffect{Effect: driver.Online, When: "it blocks nothing more"},
		driver.PossibleEffect{Effect: driver.Interrupts, When: "it blocks more: clients that write with it are refused", Cost: blockedCost})
}

// sameKey compares KMS keys. S3 reports a key as whoever set it wrote it: ARN, id, or alias.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html
func sameKey(want, have string) bool {
	return want == have || have != "" && (strings.HasSuffix(want, "/"+have) || strings.HasSuffix(want, ":"+have))
}

// encryptionPart reads and writes the rule that a bucket encrypts by. A value that is refused keeps none of the others away.
func encryptionPart(b aspects) table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{"encryption.key", "aws.bucketKey", "aws.blockedEncryptionTypes"}, Taken: table.Names{"key", "bucketKey", "blocked"}, Blind: true,
		Refuses: func(err error) bool { return driver.CodeOf(err) == driver.Invalid },
		Read: func(ctx context.Context, req *request, into *bucket) error {
			return b.readEncryption(ctx, req.Name, into)
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
			return "", b.writeEncryption(ctx, req.Name, have.key != nil, params)
		},
	}
}

// encryptionRule returns the rule that a bucket encrypts by. Every bucket has just one, if only S3's own.
func (b aspects) encryptionRule(ctx context.Context, name string) (types.ServerSideEncryptionRule, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketEncryption", b.s3.GetBucketEncryption,
		&s3.GetBucketEncryptionInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	switch {
	case err != nil && session.ErrorCode(err) == "ServerSideEncryptionConfigurationNotFoundError": // other makers of S3
	case err != nil:
		return types.ServerSideEncryptionRule{}, err
	case out.ServerSideEncryptionConfiguration != nil && len(out.ServerSideEncryptionConfiguration.Rules) > 0:
		return out.ServerSideEncryptionConfiguration.Rules[0], nil
	}
	return types.ServerSideEncryptionRule{}, nil
}

// managedKey is the key of AWS KMS that encrypts where a rule asks for one and names none. Others of another account can't use it, so it is not S3's own, which asks for no permission.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html#aws-managed-customer-managed-keys
const managedKey = "alias/aws/s3"

// keyOf returns the key by which a rule encrypts; an empty one is S3's own.
func keyOf(by *types.ServerSideEncryptionByDefault) *string {
	switch {
	case by == nil, by.KMSMasterKeyID == nil && by.SSEAlgorithm != types.ServerSideEncryptionAwsKms && by.SSEAlgorithm != types.ServerSideEncryptionAwsKmsDsse:
		return new("")
	case by.KMSMasterKeyID == nil:
		return new(managedKey)
	}
	return by.KMSMasterKeyID
}

func (b aspects) readEncryption(ctx context.Context, name string, into *bucket) error {
	rule, err := b.encryptionRule(ctx, name)
	if err != nil {
		return err
	}
	into.key = keyOf(rule.ApplyServerSideEncryptionByDefault)
	into.bucketKey = new(aws.ToBool(rule.BucketKeyEnabled))
	into.blocked = []string{}
	if blocked := rule.BlockedEncryptionTypes; blocked != nil {
		for _, kind := range blocked.EncryptionType {
			if kind != types.EncryptionTypeNone {
				into.blocked = append(into.blocked, string(kind))
			}
		}
	}
	return nil
}

// writeEncryption changes what is asked for, and keeps what else the rule says. So the rule is read before, unless all of it is known: S3 does
// not say what becomes of the blocked kinds where a call leaves them out.
func (b aspects) writeEncryption(ctx context.Context, name string, isNew bool, p *params) error {
	if strings.HasPrefix(aws.ToString(p.key), "projects/") { // S3 would take it, and fail each write of an object
		return session.Invalid("encryption.key names a key of Cloud KMS, but the bucket is in Amazon S3; name a key of AWS KMS")
	}
	var rule types.ServerSideEncryptionRule
	if !isNew || p.blocked == nil {
		var err error
		if rule, err = b.encryptionRule(ctx, name); err != nil {
			return err
		}
	}
	p.change(&rule)
	_, err := session.Call(ctx, b.Session, "PutBucketEncryption", b.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(),
		ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{Rules: []types.ServerSideEncryptionRule{rule}},
	})
	return err
}

// change puts what is asked for into a rule. Without a key S3 takes its own.
func (p *params) change(rule *types.ServerSideEncryptionRule) {
	was := rule.ApplyServerSideEncryptionByDefault
	if p.key != nil || was == nil {
		rule.ApplyServerSideEncryptionByDefault = &types.ServerSideEncryptionByDefault{SSEAlgorithm: types.ServerSideEncryptionAes256}
	}
	if aws.ToString(p.key) != "" {
		by := &types.ServerSideEncryptionByDefault{SSEAlgorithm: types.ServerSideEncryptionAwsKms, KMSMasterKeyID: p.key}
		if was != nil && was.SSEAlgorithm == types.ServerSideEncryptionAwsKmsDsse {
			by.SSEAlgorithm = was.SSEAlgorithm
		}
		rule.ApplyServerSideEncryptionByDefault = by
	}
	if p.bucketKey != nil {
		rule.BucketKeyEnabled = p.bucketKey
	}
	if p.blocked != nil {
		rule.BlockedEncryptionTypes = &types.BlockedEncryptionTypes{EncryptionType: []types.EncryptionType{}}
		for _, kind := range p.blocked {
			rule.BlockedEncryptionTypes.EncryptionType = append(rule.BlockedEncryptionTypes.EncryptionType, types.EncryptionType(kind))
		}
		if len(p.blocked) == 0 {
			rule.BlockedEncryptionTypes.EncryptionType = []types.EncryptionType{types.EncryptionTypeNone}
		}
	}
}
