package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// payersCost is what it costs that requesters pay. The owner of the bucket goes on to pay for what the owner requests.
var payersCost = driver.Cost{
	Text:   "clients of other accounts stay out until they send the header x-amz-request-payer, and anonymous clients stay out for good; the others notice nothing",
	Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/RequesterPaysBuckets.html",
}

// paymentRow is who pays for requests.
var paymentRow = table.Field("requesterPays",
	func(s *v1alpha1.BucketParameters) *bool { return s.RequesterPays },
	func(b *bucket) *bool { return b.requesterPays },
	func(p *params, v bool) { p.requesterPays = &v },
).EffectOf(func(from *bool, to bool, _ *bucket) (driver.Effect, string) {
	if to && (from == nil || !*from) {
		return driver.Interrupts, ""
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes false"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes true: clients have to agree to pay", Cost: payersCost})

func (b aspects) readPayment(ctx context.Context, name string, into *bucket) error {
	out, err := session.Call(ctx, b.Session, "GetBucketRequestPayment", b.s3.GetBucketRequestPayment,
		&s3.GetBucketRequestPaymentInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil {
		return err
	}
	into.requesterPays = new(out.Payer == types.PayerRequester)
	return nil
}

func (b aspects) writePayment(ctx context.Context, name string, p *params) error {
	payer := types.PayerBucketOwner
	if *p.requesterPays {
		payer = types.PayerRequester
	}
	_, err := session.Call(ctx, b.Session, "PutBucketRequestPayment", b.s3.PutBucketRequestPayment, &s3.PutBucketRequestPaymentInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), RequestPaymentConfiguration: &types.RequestPaymentConfiguration{Payer: payer},
	})
	return err
}
