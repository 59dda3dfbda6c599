package localcloud_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// Tokens that no service gave out.
var foreignTokens = []string{"!", "no-token-of-yours", "2", base64.RawURLEncoding.EncodeToString([]byte("2")), base64.URLEncoding.EncodeToString([]byte("bucket-0"))}

func TestS3PagesOfBuckets(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1")
	for i := range 3 {
		check.Need(client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(fmt.Sprintf("bucket-%d", i)),
			CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: "eu-west-1"}}))(t)
	}
	check.Need(sdk.S3(cloud, sdk.OwnAccount, "us-east-1").CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("elsewhere")}))(t)
	cloud.SetPageLimit(2)
	here := aws.String("eu-west-1")
	first := check.Need(client.ListBuckets(ctx, &s3.ListBucketsInput{BucketRegion: here, MaxBuckets: aws.Int32(1000)}))(t)
	second := check.Need(client.ListBuckets(ctx, &s3.ListBucketsInput{BucketRegion: here, ContinuationToken: first.ContinuationToken}))(t)
	var names []string
	for _, b := range append(first.Buckets, second.Buckets...) {
		names = append(names, *b.Name+" "+aws.ToString(b.BucketRegion))
	}
	if want := []string{"bucket-0 eu-west-1", "bucket-1 eu-west-1", "bucket-2 eu-west-1"}; !slices.Equal(names, want) || second.ContinuationToken != nil {
		t.Errorf("got %q, then token %v; want %q", names, second.ContinuationToken, want)
	}
	for _, token := range foreignTokens {
		_, err := client.ListBuckets(ctx, &s3.ListBucketsInput{ContinuationToken: &token})
		sdk.WantCode(t, err, "InvalidArgument")
	}
	for _, size := range []int32{0, 10001} {
		_, err := client.ListBuckets(ctx, &s3.ListBucketsInput{MaxBuckets: &size})
		sdk.WantCode(t, err, "InvalidArgument")
	}
	_, err := client.ListBuckets(ctx, &s3.ListBucketsInput{BucketRegion: aws.String("us-east-1")}) // at another region's endpoint
	sdk.WantCode(t, err, "InvalidArgument")
}

func TestRDSPagesOfInstances(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	for i := range 3 {
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("page-"+strconv.Itoa(i))))(t)
	}
	cloud.SetPageLimit(2)
	first := check.Need(client.DescribeDBInstances(ctx, nil))(t)
	second := check.Need(client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{Marker: first.Marker}))(t)
	if len(first.DBInstances) != 2 || len(second.DBInstances) != 1 || second.Marker != nil {
		t.Errorf("got pages of %d and %d, then marker %v", len(first.DBInstances), len(second.DBInstances), second.Marker)
	}
	for _, marker := range foreignTokens {
		_, err := client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{Marker: &marker})
		sdk.WantCode(t, err, "InvalidParameterValue")
	}
}

func TestGooglePages(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	for i := range 3 {
		g.CreateBucket(t, fmt.Sprintf("bucket-%d", i), nil)
	}
	g.SetPageLimit(2)
	first, err := g.SQL.Instances.List("acme").Do()
	sdk.WantGCP(t, err, 0, "")
	if first.NextPageToken != "" {
		t.Errorf("an empty list has the token %q", first.NextPageToken)
	}
	for _, token := range foreignTokens {
		_, err := g.SQL.Instances.List("acme").PageToken(token).Do()
		sdk.WantGCP(t, err, 400, "invalidParameter")
		it := g.Storage.Buckets(context.Background(), "acme")
		it.PageInfo().Token = token
		_, err = it.Next()
		sdk.WantGCP(t, err, 400, "invalidParameter")
	}
	it := g.Storage.Buckets(context.Background(), "acme")
	if _, err := it.Next(); err != nil || it.PageInfo().Remaining() != 1 || it.PageInfo().Token == "" {
		t.Errorf("the first page has one bucket and %d more, then token %q, error %v", it.PageInfo().Remaining(), it.PageInfo().Token, err)
	}
}
