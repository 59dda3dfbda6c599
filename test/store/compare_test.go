package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/store"
)

// A question is put to the stand-in of S3 and to versitygw. The bucket is new.
type question struct {
	name string
	ask  func(ctx context.Context, c *s3.Client, bucket string) (string, error)
	// Where the two disagree: what each answers, who is right, and by what: a recording of S3, or its documentation.
	standIn, versitygw, right, source string
}

const (
	s3Right  = "the stand-in"
	recorded = "recording of S3, "
	s3Docs   = "https://docs.aws.amazon.com/AmazonS3/latest/"
)

// questions are about what the driver relies on, as far as versitygw has it.
var questions = []question{
	{name: "tags of a bucket without", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &b})
		return "", err
	}},
	{name: "tags of no bucket", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: new(b + "-not")})
		return "", err
	}},
	{name: "tags with the prefix aws:", ask: putTags("aws:x", "y"), standIn: "InvalidTag", versitygw: "-", right: s3Right,
		source: recorded + "test_create_bucket_with_tags_exc, tags-key-aws-prefix"},
	{name: "the same tag twice", ask: putTags("x", "y", "x", "z")},
	{name: "versioning of a new bucket", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		out, err := c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &b})
		return "status " + statusOf(out), err
	}},
	{name: "versioning in lower case", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: &b, VersioningConfiguration: &s3types.VersioningConfiguration{Status: "enabled"}})
		return "", err
	}},
	{name: "CORS of a bucket without", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: &b})
		return "", err
	}},
	{name: "no more CORS of a bucket without", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.DeleteBucketCors(ctx, &s3.DeleteBucketCorsInput{Bucket: &b})
		return "", err
	}},
	{name: "the case of headers in CORS", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.PutBucketCors(ctx, &s3.PutBucketCorsInput{Bucket: &b, CORSConfiguration: &s3types.CORSConfiguration{CORSRules: []s3types.CORSRule{{
			AllowedOrigins: []string{"https://a.example.com"}, AllowedMethods: []string{"GET"}, AllowedHeaders: []string{"X-Amz-Meta-A"}}}}})
		if err != nil {
			return "", err
		}
		out, err := c.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: &b})
		if err != nil {
			return "", err
		}
		return out.CORSRules[0].AllowedHeaders[0], nil
	}},
	{name: "the web site of a bucket without", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetBucketWebsite(ctx, &s3.GetBucketWebsiteInput{Bucket: &b})
		return "", err
	}},
	{name: "the policy of a bucket without", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: &b})
		return "", err
	}},
	{name: "object ownership of a new bucket", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		out, err := c.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: &b})
		if err != nil {
			return "", err
		}
		return string(out.OwnershipControls.Rules[0].ObjectOwnership), nil
	}},
	{name: "Object Lock of a bucket without", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: &b})
		return "", err
	}},
	{name: "Object Lock without versions", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.PutObjectLockConfiguration(ctx, &s3.PutObjectLockConfigurationInput{Bucket: &b, ObjectLockConfiguration: &s3types.ObjectLockConfiguration{ObjectLockEnabled: "Enabled"}})
		return "", err
	}},
	{name: "no versions beside Object Lock", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		locked := b + "-locked"
		if _, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &locked, ObjectLockEnabledForBucket: new(true)}); err != nil {
			return "", err
		}
		_, err := c.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: &locked, VersioningConfiguration: &s3types.VersioningConfiguration{Status: "Suspended"}})
		return "", err
	}},
	{name: "a bucket with contents is deleted", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		if _, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: &b, Key: new("a"), Body: strings.NewReader("x")}); err != nil {
			return "", err
		}
		_, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b})
		return "", err
	}},
	{name: "a bucket is created twice", standIn: "-", versitygw: "BucketAlreadyOwnedByYou", right: s3Right,
		source: recorded + "test_create_bucket_with_tags_us_east_1_idempotency, create-bucket-with-no-tags: us-east-1 alone says that all is well", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
			_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &b})
			return "", err
		}},
	{name: "a bucket with two dots in a row", standIn: "InvalidBucketName", versitygw: "-", right: s3Right, source: s3Docs + "userguide/bucketnamingrules.html", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: new(b + "..dots")})
		return "", err
	}},
	{name: "a bucket whose name S3 reserves", standIn: "InvalidBucketName", versitygw: "-", right: s3Right, source: s3Docs + "userguide/bucketnamingrules.html", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: new("xn--" + b)})
		return "", err
	}},
	{name: "us-east-1 as a location", ask: func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: new(b + "-there"), CreateBucketConfiguration: &s3types.CreateBucketConfiguration{LocationConstraint: "us-east-1"}})
		return "", err
	}},
	{name: "another owner is expected", ask: expecting("999999999999")},
	{name: "an owner is expected that is none", standIn: "InvalidBucketOwnerAWSAccountID", versitygw: "AccessDenied", right: s3Right,
		source: recorded + "test_get_bucket_policy_invalid_account_id[abcd]: versitygw names owners by their access keys, so it can't tell", ask: expecting("abcd")},
	{name: "a list goes on from a token that nobody gave", standIn: "InvalidArgument", versitygw: "-", right: s3Right,
		source: s3Docs + "API/API_ListBuckets.html: a token is S3's own. No recording has a wrong one", ask: func(ctx context.Context, c *s3.Client, _ string) (string, error) {
			_, err := c.ListBuckets(ctx, &s3.ListBucketsInput{MaxBuckets: new(int32(1000)), ContinuationToken: new("no token of yours")})
			return "", err
		}},
}

func putTags(pairs ...string) func(context.Context, *s3.Client, string) (string, error) {
	return func(ctx context.Context, c *s3.Client, b string) (string, error) {
		var set []s3types.Tag
		for i := 0; i < len(pairs); i += 2 {
			set = append(set, s3types.Tag{Key: &pairs[i], Value: &pairs[i+1]})
		}
		_, err := c.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: &b, Tagging: &s3types.Tagging{TagSet: set}})
		return "", err
	}
}

func expecting(owner string) func(context.Context, *s3.Client, string) (string, error) {
	return func(ctx context.Context, c *s3.Client, b string) (string, error) {
		_, err := c.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: &b, ExpectedBucketOwner: &owner})
		return "", err
	}
}

func statusOf(out *s3.GetBucketVersioningOutput) string {
	if out == nil {
		return ""
	}
	return string(out.Status)
}

// answer is what a server says, in a word.
func (q question) answer(t *testing.T, c *s3.Client, bucket string) string {
	t.Helper()
	store.Do(t, c.CreateBucket, &s3.CreateBucketInput{Bucket: &bucket})
	value, err := q.ask(t.Context(), c, bucket)
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	if value == "" {
		return "-"
	}
	return value
}

// The stand-in and versitygw were made by different people from the same documentation. Where they disagree, the table says who is right, and by what.
func TestStandInAgainstVersitygw(t *testing.T) {
	cloud, err := localcloud.Start(localcloud.Options{ListenersOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	id, key := cloud.AWSKeys("111111111111")
	standIn := s3.NewFromConfig(awssdk.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(id, key, ""), BaseEndpoint: new(cloud.AWSEndpoint())},
		func(o *s3.Options) { o.UsePathStyle = true })
	other := store.Start(t, store.Options{}).Client(store.Tenant)
	for i, q := range questions {
		t.Run(q.name, func(t *testing.T) {
			bucket := fmt.Sprintf("question-%d", i)
			ours, theirs := q.answer(t, standIn, bucket), q.answer(t, other, bucket)
			switch disagree := ours != theirs; {
			case disagree && q.right == "":
				t.Errorf("the stand-in answers %q and versitygw %q: find out who is right, and write it down", ours, theirs)
			case !disagree && q.right != "":
				t.Errorf("both answer %q by now: take that out of the table", ours)
			case disagree && (ours != q.standIn || theirs != q.versitygw || q.source == ""):
				t.Errorf("the stand-in answers %q and versitygw %q; the table says %q and %q, by %q", ours, theirs, q.standIn, q.versitygw, q.source)
			}
		})
	}
}
