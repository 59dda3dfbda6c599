package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/test/system"
)

// amazon is AWS in other people's hands.
type amazon struct {
	s3  *s3.Client
	rds *rds.Client
}

// call makes a call that must succeed.
func call[I, O, Opt any](t *testing.T, do func(context.Context, *I, ...func(*Opt)) (*O, error), in *I) *O {
	t.Helper()
	out, err := do(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (a *amazon) makeBucket(t *testing.T, name string, tags map[string]string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: system.AWSRegion, Tags: s3Tags(tags),
	}})
}

func s3Tags(tags map[string]string) []s3types.Tag {
	var out []s3types.Tag
	for k, v := range tags {
		out = append(out, s3types.Tag{Key: &k, Value: &v})
	}
	return out
}

func (a *amazon) bucketTags(t *testing.T, name string) map[string]string {
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

func (a *amazon) tagBucket(t *testing.T, name string, tags map[string]string) {
	t.Helper()
	all := a.bucketTags(t, name)
	for k, v := range tags {
		if all[k] = v; v == "" {
			delete(all, k)
		}
	}
	call(t, a.s3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: s3Tags(all)}})
}

func (a *amazon) version(t *testing.T, name string, on bool) {
	t.Helper()
	status := s3types.BucketVersioningStatusSuspended
	if on {
		status = s3types.BucketVersioningStatusEnabled
	}
	call(t, a.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{
		Bucket: &name, VersioningConfiguration: &s3types.VersioningConfiguration{Status: status}})
}

func (a *amazon) publish(t *testing.T, name string, on bool) {
	t.Helper()
	block := awssdk.Bool(!on)
	call(t, a.s3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{
		Bucket: &name, PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
			BlockPublicAcls: block, BlockPublicPolicy: block, IgnorePublicAcls: block, RestrictPublicBuckets: block,
		}})
}

func (a *amazon) encrypt(t *testing.T, name, key string) {
	t.Helper()
	call(t, a.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{
		Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
			Rules: []s3types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{
				SSEAlgorithm: s3types.ServerSideEncryptionAwsKms, KMSMasterKeyID: &key,
			}}},
		}})
}

func (a *amazon) dropBucket(t *testing.T, name string) {
	t.Helper()
	call(t, a.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
}

func (a *amazon) putObject(t *testing.T, bucket, key string) {
	t.Helper()
	call(t, a.s3.PutObject, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("content")})
}

func (a *amazon) dropObject(t *testing.T, bucket, key string) {
	t.Helper()
	call(t, a.s3.DeleteObject, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
}

func (a *amazon) makeDatabase(t *testing.T, name string, tags map[string]string) {
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
func (a *amazon) rest(t *testing.T, name string) {
	t.Helper()
	until(t, name+" is available", func() bool { return *a.instance(t, name).DBInstanceStatus == "available" })
}

func (a *amazon) instance(t *testing.T, name string) *rdstypes.DBInstance {
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

func (a *amazon) databaseTags(t *testing.T, name string) map[string]string {
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

func (a *amazon) tagDatabase(t *testing.T, name string, tags map[string]string) {
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

func (a *amazon) modify(t *testing.T, name string, in rds.ModifyDBInstanceInput) {
	t.Helper()
	a.rest(t, name)
	in.DBInstanceIdentifier, in.ApplyImmediately = &name, awssdk.Bool(true)
	call(t, a.rds.ModifyDBInstance, &in)
}

func (a *amazon) retain(t *testing.T, name string, days int) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{BackupRetentionPeriod: awssdk.Int32(int32(days))})
}

func (a *amazon) protect(t *testing.T, name string, on bool) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{DeletionProtection: &on})
}

func (a *amazon) resize(t *testing.T, name, size string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{DBInstanceClass: &size})
}

func (a *amazon) grow(t *testing.T, name string, gib int) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{AllocatedStorage: awssdk.Int32(int32(gib))})
}

func (a *amazon) upgrade(t *testing.T, name, version string) {
	t.Helper()
	a.modify(t, name, rds.ModifyDBInstanceInput{EngineVersion: &version, AllowMajorVersionUpgrade: awssdk.Bool(true)})
}

func (a *amazon) dropDatabase(t *testing.T, name string) {
	t.Helper()
	a.rest(t, name)
	call(t, a.rds.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: awssdk.Bool(true)})
	until(t, name+" is gone", func() bool { return a.instance(t, name) == nil })
}

func (a *amazon) snapshots(t *testing.T, database string) []string {
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
