package s3_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestS3Acceleration(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx := context.Background()
	client := s3.New(sdk.S3(cloud, sdk.OwnAccount, "eu-west-1").Options(), func(o *s3.Options) { o.UsePathStyle = true }) // a name with a dot has no host here
	sdk.MakeBucket(t, client, "fast")
	sdk.MakeBucket(t, client, "fast.example.com")
	put := func(name string, status types.BucketAccelerateStatus) error {
		_, err := client.PutBucketAccelerateConfiguration(ctx, &s3.PutBucketAccelerateConfigurationInput{
			Bucket: &name, AccelerateConfiguration: &types.AccelerateConfiguration{Status: status},
		})
		return err
	}
	for _, want := range []types.BucketAccelerateStatus{"", "Enabled", "Suspended"} {
		if want != "" {
			sdk.WantCode(t, put("fast", want), "")
		}
		if got := check.Need(client.GetBucketAccelerateConfiguration(ctx, &s3.GetBucketAccelerateConfigurationInput{Bucket: new("fast")}))(t).Status; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	sdk.WantCode(t, put("fast", "Off"), "MalformedXML")
	sdk.WantCode(t, put("fast.example.com", "Suspended"), "InvalidRequest")
	sdk.WantCode(t, put("no-such-fast", "Enabled"), "NoSuchBucket")
}
