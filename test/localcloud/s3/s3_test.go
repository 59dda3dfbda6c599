package s3_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestS3CreateBucket(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	sdk.MakeBucket(t, sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "taken")
	sdk.MakeBucket(t, sdk.S3(cloud, sdk.OtherAccount, "eu-west-1"), "foreign")
	check.Need(sdk.S3(cloud, sdk.OwnAccount, "us-east-1").CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: aws.String("virginia")}))(t)
	in := func(location string) *types.CreateBucketConfiguration {
		return &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(location)}
	}
	tags := func(pairs ...string) *types.CreateBucketConfiguration {
		c := in("eu-west-1")
		for i := 0; i < len(pairs); i += 2 {
			c.Tags = append(c.Tags, types.Tag{Key: &pairs[i], Value: &pairs[i+1]})
		}
		return c
	}
	for name, test := range map[string]struct {
		region, bucket string
		configuration  *types.CreateBucketConfiguration
		want           string
	}{
		"us-east-1 without location":             {"us-east-1", "a-new", nil, ""},
		"us-east-1 with its own location":        {"us-east-1", "b-new", in("us-east-1"), "InvalidLocationConstraint"},
		"us-east-1 for another region":           {"us-east-1", "c-new", in("eu-west-1"), ""},
		"elsewhere without location":             {"eu-west-1", "d-new", nil, "IllegalLocationConstraintException"},
		"elsewhere for another region":           {"eu-west-1", "e-new", in("eu-north-1"), "IllegalLocationConstraintException"},
		"EU":                                     {"eu-west-1", "f-new", in("EU"), ""},
		"unknown location":                       {"us-east-1", "g-new", in("mars-1"), "InvalidLocationConstraint"},
		"own again":                              {"eu-west-1", "taken", in("eu-west-1"), "BucketAlreadyOwnedByYou"},
		"own of us-east-1 again":                 {"us-east-1", "virginia", nil, ""},
		"own of us-east-1 again, from elsewhere": {"eu-west-1", "virginia", in("eu-west-1"), "BucketAlreadyOwnedByYou"},
		"somebody else's":                        {"eu-west-1", "foreign", in("eu-west-1"), "BucketAlreadyExists"},
		"upper case":                             {"eu-west-1", "Nope", in("eu-west-1"), "InvalidBucketName"},
		"too short":                              {"eu-west-1", "ab", in("eu-west-1"), "InvalidBucketName"},
		"an address":                             {"eu-west-1", "192.168.1.1", in("eu-west-1"), "InvalidBucketName"},
		"reserved prefix":                        {"eu-west-1", "xn--bucket", in("eu-west-1"), "InvalidBucketName"},
		"tags":                                   {"eu-west-1", "tagged", tags("a", "1", "b", "2"), ""},
		"system tag":                             {"eu-west-1", "h-new", tags("aws:x", "1"), "InvalidTag"},
		"tag twice":                              {"eu-west-1", "i-new", tags("a", "1", "a", "2"), "InvalidTag"},
	} {
		t.Run(name, func(t *testing.T) {
			client := sdk.S3(cloud, sdk.OwnAccount, test.region)
			_, err := client.CreateBucket(context.Background(), &s3.CreateBucketInput{
				Bucket: aws.String(test.bucket), CreateBucketConfiguration: test.configuration,
			})
			sdk.WantCode(t, err, test.want)
		})
	}
	cloud.LimitS3(1)
	_, err := sdk.S3(cloud, sdk.OwnAccount, "us-east-1").CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: aws.String("one-more")})
	sdk.WantCode(t, err, "TooManyBuckets")
}

func TestS3HeadBucket(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	sdk.MakeBucket(t, sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "here")
	for name, test := range map[string]struct {
		account, region, bucket, owner string
		status                         int
		at                             string
	}{
		"there":          {sdk.OwnAccount, "eu-west-1", "here", "", 200, "eu-west-1"},
		"expected owner": {sdk.OwnAccount, "eu-west-1", "here", sdk.OwnAccount, 200, "eu-west-1"},
		"other owner":    {sdk.OwnAccount, "eu-west-1", "here", sdk.OtherAccount, 403, "eu-west-1"},
		"other region":   {sdk.OwnAccount, "eu-north-1", "here", "", 301, "eu-west-1"},
		"other account":  {sdk.OtherAccount, "eu-west-1", "here", "", 403, "eu-west-1"},
		"absent":         {sdk.OwnAccount, "eu-west-1", "nowhere", "", 404, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := &s3.HeadBucketInput{Bucket: aws.String(test.bucket)}
			if test.owner != "" {
				in.ExpectedBucketOwner = aws.String(test.owner)
			}
			out, err := sdk.S3(cloud, test.account, test.region).HeadBucket(context.Background(), in)
			if test.status == http.StatusOK {
				if err != nil || *out.BucketRegion != test.at {
					t.Errorf("got %v, %v", out, err)
				}
				return
			}
			if response := sdk.WantHTTP(t, err, test.status); response.Response.Header.Get("X-Amz-Bucket-Region") != test.at {
				t.Errorf("got region %q, want %q", response.Response.Header.Get("X-Amz-Bucket-Region"), test.at)
			}
		})
	}
}

// Each aspect of a bucket: what a new one has, what is accepted, what comes back, what unset says.
func TestS3Aspects(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("aspects")
	sdk.MakeBucket(t, client, *name)

	t.Run("versioning", func(t *testing.T) {
		put := func(status types.BucketVersioningStatus) error {
			_, err := client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
				Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: status},
			})
			return err
		}
		for _, want := range []types.BucketVersioningStatus{"", "Enabled", "Suspended"} {
			if want != "" {
				sdk.WantCode(t, put(want), "")
			}
			if got := check.Need(client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: name}))(t).Status; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		sdk.WantCode(t, put("Off"), "MalformedXML")
	})

	t.Run("tagging", func(t *testing.T) {
		get := func() ([]types.Tag, error) {
			out, err := client.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: name})
			if err != nil {
				return nil, err
			}
			return out.TagSet, nil
		}
		put := func(tags ...types.Tag) error {
			if tags == nil {
				tags = []types.Tag{}
			}
			_, err := client.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: name, Tagging: &types.Tagging{TagSet: tags}})
			return err
		}
		_, err := get()
		sdk.WantCode(t, err, "NoSuchTagSet")
		sdk.WantCode(t, put(types.Tag{Key: aws.String("a"), Value: aws.String("1")}), "")
		sdk.WantCode(t, put(types.Tag{Key: aws.String("b"), Value: aws.String("2 + @")}), "")
		if got := check.Need(get())(t); len(got) != 1 || *got[0].Key != "b" || *got[0].Value != "2 + @" {
			t.Errorf("got %v", got)
		}
		sdk.WantCode(t, put(types.Tag{Key: aws.String("AWS:x"), Value: aws.String("1")}), "InvalidTag")
		sdk.WantCode(t, put(), "")
		_, err = get()
		sdk.WantCode(t, err, "NoSuchTagSet")
		sdk.WantCode(t, put(types.Tag{Key: aws.String("c"), Value: aws.String("3")}), "")
		check.Need(client.DeleteBucketTagging(ctx, &s3.DeleteBucketTaggingInput{Bucket: name}))(t)
		_, err = get()
		sdk.WantCode(t, err, "NoSuchTagSet")
	})

	t.Run("encryption", func(t *testing.T) {
		get := func() string {
			rule := check.Need(client.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: name}))(t).ServerSideEncryptionConfiguration.Rules[0]
			by := rule.ApplyServerSideEncryptionByDefault
			return fmt.Sprint(by.SSEAlgorithm, " ", aws.ToString(by.KMSMasterKeyID), " ", *rule.BucketKeyEnabled)
		}
		put := func(algorithm, key string, bucketKey bool) error {
			by := &types.ServerSideEncryptionByDefault{SSEAlgorithm: types.ServerSideEncryption(algorithm)}
			if key != "" {
				by.KMSMasterKeyID = aws.String(key)
			}
			_, err := client.PutBucketEncryption(ctx, &s3.PutBucketEncryptionInput{
				Bucket: name, ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{
					Rules: []types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: by, BucketKeyEnabled: aws.Bool(bucketKey)}},
				},
			})
			return err
		}
		if got := get(); got != "AES256  false" {
			t.Errorf("a new bucket has %q", got)
		}
		const arn = "arn:aws:kms:eu-west-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666"
		for _, key := range []string{arn, "alias/mine", ""} {
			sdk.WantCode(t, put("aws:kms", key, true), "")
			if got := get(); got != "aws:kms "+key+" true" {
				t.Errorf("got %q for %q", got, key)
			}
		}
		sdk.WantCode(t, put("AES256", arn, false), "InvalidArgument")
		sdk.WantCode(t, put("rot13", "", false), "MalformedXML")
		check.Need(client.DeleteBucketEncryption(ctx, &s3.DeleteBucketEncryptionInput{Bucket: name}))(t)
		if got := get(); got != "AES256  false" {
			t.Errorf("unset is %q", got)
		}
	})

	t.Run("public access block", func(t *testing.T) {
		get := func() (types.PublicAccessBlockConfiguration, error) {
			out, err := client.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: name})
			if err != nil {
				return types.PublicAccessBlockConfiguration{}, err
			}
			return *out.PublicAccessBlockConfiguration, nil
		}
		all := func(acls, ignore, policy, restrict bool) types.PublicAccessBlockConfiguration {
			return types.PublicAccessBlockConfiguration{
				BlockPublicAcls: &acls, IgnorePublicAcls: &ignore, BlockPublicPolicy: &policy, RestrictPublicBuckets: &restrict,
			}
		}
		ignoring := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".noSmithyDocumentSerde" }, cmp.Ignore())
		if diff := cmp.Diff(all(true, true, true, true), check.Need(get())(t), ignoring); diff != "" {
			t.Error("a new bucket: ", diff)
		}
		asked := types.PublicAccessBlockConfiguration{BlockPublicAcls: aws.Bool(true)}
		check.Need(client.PutPublicAccessBlock(ctx, &s3.PutPublicAccessBlockInput{Bucket: name, PublicAccessBlockConfiguration: &asked}))(t)
		if diff := cmp.Diff(all(true, false, false, false), check.Need(get())(t), ignoring); diff != "" {
			t.Error("what is left out is off: ", diff)
		}
		check.Need(client.DeletePublicAccessBlock(ctx, &s3.DeletePublicAccessBlockInput{Bucket: name}))(t)
		_, err := get()
		sdk.WantCode(t, err, "NoSuchPublicAccessBlockConfiguration")
	})

	t.Run("ownership", func(t *testing.T) {
		get := func() (types.ObjectOwnership, error) {
			out, err := client.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: name})
			if err != nil {
				return "", err
			}
			return out.OwnershipControls.Rules[0].ObjectOwnership, nil
		}
		if got := check.Need(get())(t); got != "BucketOwnerEnforced" {
			t.Errorf("a new bucket has %q", got)
		}
		check.Need(client.PutBucketOwnershipControls(ctx, &s3.PutBucketOwnershipControlsInput{
			Bucket: name, OwnershipControls: &types.OwnershipControls{Rules: []types.OwnershipControlsRule{{ObjectOwnership: "ObjectWriter"}}},
		}))(t)
		if got := check.Need(get())(t); got != "ObjectWriter" {
			t.Errorf("got %q", got)
		}
		check.Need(client.DeleteBucketOwnershipControls(ctx, &s3.DeleteBucketOwnershipControlsInput{Bucket: name}))(t)
		_, err := get()
		sdk.WantCode(t, err, "OwnershipControlsNotFoundError")
	})

	t.Run("not implemented", func(t *testing.T) {
		_, err := client.GetBucketMetadataTableConfiguration(ctx, &s3.GetBucketMetadataTableConfigurationInput{Bucket: name})
		sdk.WantCode(t, err, "NotImplemented")
	})
}

// Accounts have a namespace of their own for the names of buckets in all regions but two.
func TestRegionsWithoutANamespaceOfTheAccount(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	for region, has := range map[string]bool{"eu-west-1": true, "me-south-1": false, "me-central-1": false} {
		name := "shop-" + sdk.OwnAccount + "-" + region + "-an"
		_, err := sdk.S3(cloud, sdk.OwnAccount, region).CreateBucket(t.Context(), &s3.CreateBucketInput{
			Bucket: &name, BucketNamespace: types.BucketNamespaceAccountRegional,
			CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(region)},
		})
		if (err == nil) != has {
			t.Errorf("%s: %v", region, err)
		}
	}
}
