package system

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// awsConsole is AWS as people use it beside Mooring.
type awsConsole struct {
	s3  *s3.Client
	rds *rds.Client
}

func newAWSConsole(local *localcloud.Cloud, account string) Console {
	id, secret := local.AWSKeys(account)
	cfg := awssdk.Config{
		Region: AWSRegion, Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
		BaseEndpoint: awssdk.String(local.AWSEndpoint()),
	}
	return &awsConsole{s3: s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }), rds: rds.NewFromConfig(cfg)}
}

// call makes a call that must succeed.
func call[I, O, Opt any](t testing.TB, do func(context.Context, *I, ...func(*Opt)) (*O, error), in *I) *O {
	t.Helper()
	out, err := do(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Names implements Console.
func (a *awsConsole) Names(t testing.TB) (names []string) {
	t.Helper()
	for _, b := range call(t, a.s3.ListBuckets, &s3.ListBucketsInput{}).Buckets {
		names = append(names, *b.Name)
	}
	for _, i := range call(t, a.rds.DescribeDBInstances, &rds.DescribeDBInstancesInput{}).DBInstances {
		names = append(names, *i.DBInstanceIdentifier)
	}
	slices.Sort(names)
	return names
}

// MakeBucket implements Console.
func (a *awsConsole) MakeBucket(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: AWSRegion, Tags: s3Tags(tags),
	}})
}

// MakeBucketIn implements Console.
func (a *awsConsole) MakeBucketIn(t testing.TB, name, location string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: s3types.BucketLocationConstraint(location),
	}})
}

// BucketLocation implements Console.
func (a *awsConsole) BucketLocation(t testing.TB, name string) string {
	t.Helper()
	return string(call(t, a.s3.GetBucketLocation, &s3.GetBucketLocationInput{Bucket: &name}).LocationConstraint)
}

func s3Tags(tags map[string]string) []s3types.Tag {
	var out []s3types.Tag
	for k, v := range tags {
		out = append(out, s3types.Tag{Key: &k, Value: &v})
	}
	return out
}

// BucketTags implements Console.
func (a *awsConsole) BucketTags(t testing.TB, name string) map[string]string {
	t.Helper()
	out, err := a.s3.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: &name})
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "NoSuchBucket" {
		return nil
	} else if ok && e.ErrorCode() == "NoSuchTagSet" {
		return map[string]string{}
	}
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, tag := range out.TagSet {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

// TagBucket implements Console.
func (a *awsConsole) TagBucket(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	all := a.BucketTags(t, name)
	for k, v := range tags {
		if all[k] = v; v == "" {
			delete(all, k)
		}
	}
	call(t, a.s3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: s3Tags(all)}})
}

// SetVersioning implements Console.
func (a *awsConsole) SetVersioning(t testing.TB, name string, on bool) {
	t.Helper()
	status := s3types.BucketVersioningStatusSuspended
	if on {
		status = s3types.BucketVersioningStatusEnabled
	}
	call(t, a.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{
		Bucket: &name, VersioningConfiguration: &s3types.VersioningConfiguration{Status: status}})
}

// SetPublic implements Console.
func (a *awsConsole) SetPublic(t testing.TB, name string, on bool) {
	t.Helper()
	block := awssdk.Bool(!on)
	call(t, a.s3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{
		Bucket: &name, PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
			BlockPublicAcls: block, BlockPublicPolicy: block, IgnorePublicAcls: block, RestrictPublicBuckets: block,
		}})
}

// SetEncryption implements Console.
func (a *awsConsole) SetEncryption(t testing.TB, name, key string) {
	t.Helper()
	call(t, a.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{
		Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
			Rules: []s3types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{
				SSEAlgorithm: s3types.ServerSideEncryptionAwsKms, KMSMasterKeyID: &key,
			}}},
		}})
}

// DeleteBucket implements Console.
func (a *awsConsole) DeleteBucket(t testing.TB, name string) {
	t.Helper()
	call(t, a.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
}

// PutObject implements Console.
func (a *awsConsole) PutObject(t testing.TB, bucket, key string) {
	t.Helper()
	call(t, a.s3.PutObject, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("content")})
}

// DeleteObject implements Console.
func (a *awsConsole) DeleteObject(t testing.TB, bucket, key string) {
	t.Helper()
	call(t, a.s3.DeleteObject, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
}

// MakeDatabase implements Console.
func (a *awsConsole) MakeDatabase(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	var list []rdstypes.Tag
	for k, v := range tags {
		list = append(list, rdstypes.Tag{Key: &k, Value: &v})
	}
	call(t, a.rds.CreateDBInstance, &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: &name, Engine: awssdk.String("postgres"), EngineVersion: awssdk.String("16"),
		DBInstanceClass: awssdk.String("db.t4g.micro"), AllocatedStorage: awssdk.Int32(20),
		MasterUsername: awssdk.String("postgres"), MasterUserPassword: awssdk.String("somebody-elses"), Tags: list,
	})
	a.rest(t, name)
}

// rest waits until an instance is at rest.
func (a *awsConsole) rest(t testing.TB, name string) {
	t.Helper()
	until(t, name+" is available", func() bool { return *a.instance(t, name).DBInstanceStatus == "available" })
}

func (a *awsConsole) instance(t testing.TB, name string) *rdstypes.DBInstance {
	t.Helper()
	out, err := a.rds.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name})
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "DBInstanceNotFound" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return &out.DBInstances[0]
}

// DatabaseTags implements Console.
func (a *awsConsole) DatabaseTags(t testing.TB, name string) map[string]string {
	t.Helper()
	in := a.instance(t, name)
	if in == nil {
		return nil
	}
	tags := map[string]string{}
	for _, tag := range in.TagList {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

// TagDatabase implements Console.
func (a *awsConsole) TagDatabase(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	arn := a.instance(t, name).DBInstanceArn
	var set []rdstypes.Tag
	var remove []string
	for k, v := range tags {
		if v == "" {
			remove = append(remove, k)
		} else {
			set = append(set, rdstypes.Tag{Key: &k, Value: &v})
		}
	}
	if len(set) > 0 {
		call(t, a.rds.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: set})
	}
	if len(remove) > 0 {
		call(t, a.rds.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: arn, TagKeys: remove})
	}
}

func (a *awsConsole) modify(t testing.TB, name string, in rds.ModifyDBInstanceInput) {
	t.Helper()
	a.rest(t, name)
	in.DBInstanceIdentifier, in.ApplyImmediately = &name, awssdk.Bool(true)
	call(t, a.rds.ModifyDBInstance, &in)
}

// SetRetention implements Console.
func (a *awsConsole) SetRetention(t testing.TB, name string, days int) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{BackupRetentionPeriod: awssdk.Int32(int32(days))})
}

// SetProtection implements Console.
func (a *awsConsole) SetProtection(t testing.TB, name string, on bool) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{DeletionProtection: &on})
}

// SetSize implements Console.
func (a *awsConsole) SetSize(t testing.TB, name, size string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{DBInstanceClass: &size})
}

// SetStorage implements Console.
func (a *awsConsole) SetStorage(t testing.TB, name string, gib int) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{AllocatedStorage: awssdk.Int32(int32(gib))})
}

// SetVersion implements Console.
func (a *awsConsole) SetVersion(t testing.TB, name, version string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{EngineVersion: &version, AllowMajorVersionUpgrade: awssdk.Bool(true)})
}

// DeleteDatabase implements Console.
func (a *awsConsole) DeleteDatabase(t testing.TB, name string) {
	t.Helper()
	a.rest(t, name)
	call(t, a.rds.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: awssdk.Bool(true)})
	until(t, name+" is gone", func() bool { return a.instance(t, name) == nil })
}

// Snapshots implements Console.
func (a *awsConsole) Snapshots(t testing.TB, database string) []string {
	t.Helper()
	out := call(t, a.rds.DescribeDBSnapshots, &rds.DescribeDBSnapshotsInput{DBInstanceIdentifier: &database})
	var names []string
	for _, s := range out.DBSnapshots {
		if *s.Status == "available" {
			names = append(names, *s.DBSnapshotIdentifier)
		}
	}
	return names
}

// MakeMySQL implements Console.
func (a *awsConsole) MakeMySQL(t testing.TB, name string) {
	t.Helper()
	call(t, a.rds.CreateDBInstance, &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: &name, Engine: awssdk.String("mysql"), DBInstanceClass: awssdk.String("db.t4g.micro"),
		AllocatedStorage: awssdk.Int32(20), MasterUsername: awssdk.String("keeper"), MasterUserPassword: awssdk.String("somebody-elses"),
	})
	a.rest(t, name)
}
