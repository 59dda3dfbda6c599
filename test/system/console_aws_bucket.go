package system

import (
	"errors"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// awsBuckets are the buckets of S3, as people use them beside Mooring.
type awsBuckets struct{ s3 *s3.Client }

func newAWSBuckets(c *Cloud) Console {
	return &awsBuckets{s3.NewFromConfig(awsConfig(c), func(o *s3.Options) { o.UsePathStyle = true })}
}

// Names implements Console.
func (a *awsBuckets) Names(t testing.TB) (names []string) {
	t.Helper()
	for _, b := range call(t, a.s3.ListBuckets, &s3.ListBucketsInput{}).Buckets {
		names = append(names, *b.Name)
	}
	return names
}

// Make implements Console.
func (a *awsBuckets) Make(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: AWSRegion, Tags: s3Tags(tags),
	}})
}

// MakeIn implements BucketConsole.
func (a *awsBuckets) MakeIn(t testing.TB, name, location string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: s3types.BucketLocationConstraint(location),
	}})
}

// Location implements BucketConsole.
func (a *awsBuckets) Location(t testing.TB, name string) string {
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

// Tags implements Console.
func (a *awsBuckets) Tags(t testing.TB, name string) map[string]string {
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

// Tag implements Console.
func (a *awsBuckets) Tag(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	all := a.Tags(t, name)
	for k, v := range tags {
		if all[k] = v; v == "" {
			delete(all, k)
		}
	}
	call(t, a.s3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: s3Tags(all)}})
}

// SetVersioning implements BucketConsole.
func (a *awsBuckets) SetVersioning(t testing.TB, name string, on bool) {
	t.Helper()
	status := s3types.BucketVersioningStatusSuspended
	if on {
		status = s3types.BucketVersioningStatusEnabled
	}
	call(t, a.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{
		Bucket: &name, VersioningConfiguration: &s3types.VersioningConfiguration{Status: status}})
}

// SetPublic implements BucketConsole.
func (a *awsBuckets) SetPublic(t testing.TB, name string, on bool) {
	t.Helper()
	block := awssdk.Bool(!on)
	call(t, a.s3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{
		Bucket: &name, PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
			BlockPublicAcls: block, BlockPublicPolicy: block, IgnorePublicAcls: block, RestrictPublicBuckets: block,
		}})
}

// SetEncryption implements BucketConsole.
func (a *awsBuckets) SetEncryption(t testing.TB, name, key string) {
	t.Helper()
	call(t, a.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{
		Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
			Rules: []s3types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{
				SSEAlgorithm: s3types.ServerSideEncryptionAwsKms, KMSMasterKeyID: &key,
			}}},
		}})
}

// Set implements BucketConsole.
func (a *awsBuckets) Set(t testing.TB, name, field string, value any) {
	t.Helper()
	switch field {
	case "website.indexDocument":
		call(t, a.s3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &name, WebsiteConfiguration: &s3types.WebsiteConfiguration{
			IndexDocument: &s3types.IndexDocument{Suffix: new(value.(string))}, ErrorDocument: &s3types.ErrorDocument{Key: new("lost.html")},
		}})
	case "cors":
		rules := []s3types.CORSRule{}
		for _, r := range value.([]v1alpha1.CORSRule) {
			rules = append(rules, s3types.CORSRule{AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods})
		}
		call(t, a.s3.PutBucketCors, &s3.PutBucketCorsInput{Bucket: &name, CORSConfiguration: &s3types.CORSConfiguration{CORSRules: rules}})
	case "requesterPays":
		payer := map[bool]s3types.Payer{true: s3types.PayerRequester, false: s3types.PayerBucketOwner}[value.(bool)]
		call(t, a.s3.PutBucketRequestPayment, &s3.PutBucketRequestPaymentInput{Bucket: &name, RequestPaymentConfiguration: &s3types.RequestPaymentConfiguration{Payer: payer}})
	case "aws.objectOwnership":
		call(t, a.s3.PutBucketOwnershipControls, &s3.PutBucketOwnershipControlsInput{Bucket: &name, OwnershipControls: &s3types.OwnershipControls{
			Rules: []s3types.OwnershipControlsRule{{ObjectOwnership: s3types.ObjectOwnership(value.(string))}},
		}})
	default:
		t.Fatalf("no way to set %s", field)
	}
}

// Delete implements Console.
func (a *awsBuckets) Delete(t testing.TB, name string) {
	t.Helper()
	call(t, a.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
}

// PutObject implements BucketConsole.
func (a *awsBuckets) PutObject(t testing.TB, bucket, key string) {
	t.Helper()
	call(t, a.s3.PutObject, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("content")})
}

// DeleteObject implements BucketConsole.
func (a *awsBuckets) DeleteObject(t testing.TB, bucket, key string) {
	t.Helper()
	call(t, a.s3.DeleteObject, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
}
