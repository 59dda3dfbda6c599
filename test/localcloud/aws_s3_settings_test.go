package localcloud

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func TestS3RequestPayment(t *testing.T) {
	cloud, _ := startAWS(t, Durations{})
	ctx, client, name := context.Background(), s3Client(cloud, ownAccount, "eu-west-1"), aws.String("payment")
	makeBucket(t, client, *name)
	put := func(payer types.Payer) error {
		_, err := client.PutBucketRequestPayment(ctx, &s3.PutBucketRequestPaymentInput{
			Bucket: name, RequestPaymentConfiguration: &types.RequestPaymentConfiguration{Payer: payer},
		})
		return err
	}
	for _, want := range []types.Payer{"", types.PayerRequester, types.PayerBucketOwner} {
		if want != "" {
			wantCode(t, put(want), "")
		} else {
			want = types.PayerBucketOwner
		}
		if got := need(client.GetBucketRequestPayment(ctx, &s3.GetBucketRequestPaymentInput{Bucket: name}))(t).Payer; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	wantCode(t, put("Everybody"), "MalformedXML")
	_, err := client.GetBucketRequestPayment(ctx, &s3.GetBucketRequestPaymentInput{Bucket: aws.String("no-such-payment")})
	wantCode(t, err, "NoSuchBucket")
}
