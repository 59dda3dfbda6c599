package localcloud

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

func TestS3Acceleration(t *testing.T) {
	cloud, _ := startAWS(t, Durations{})
	ctx := context.Background()
	client := s3.New(s3Client(cloud, ownAccount, "eu-west-1").Options(), func(o *s3.Options) { o.UsePathStyle = true }) // a name with a dot has no host here
	makeBucket(t, client, "fast")
	makeBucket(t, client, "fast.example.com")
	put := func(name string, status types.BucketAccelerateStatus) error {
		_, err := client.PutBucketAccelerateConfiguration(ctx, &s3.PutBucketAccelerateConfigurationInput{
			Bucket: &name, AccelerateConfiguration: &types.AccelerateConfiguration{Status: status},
		})
		return err
	}
	for _, want := range []types.BucketAccelerateStatus{"", "Enabled", "Suspended"} {
		if want != "" {
			wantCode(t, put("fast", want), "")
		}
		if got := check.Need(client.GetBucketAccelerateConfiguration(ctx, &s3.GetBucketAccelerateConfigurationInput{Bucket: new("fast")}))(t).Status; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	wantCode(t, put("fast", "Off"), "MalformedXML")
	wantCode(t, put("fast.example.com", "Suspended"), "InvalidRequest")
	wantCode(t, put("no-such-fast", "Enabled"), "NoSuchBucket")
}
