package s3

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// suspensionCost is what it costs that a bucket is no longer accelerated.
var suspensionCost = driver.Cost{
	Text:   "S3 refuses requests to the endpoint s3-accelerate.amazonaws.com until clients use the bucket's own endpoint; the others notice nothing",
	Source: "https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html",
}

// accelerationRow is whether clients may use the accelerated endpoint.
var accelerationRow = table.Field("aws.transferAcceleration",
	func(s *v1alpha1.BucketParameters) *string { return block(s).TransferAcceleration },
	func(b *bucket) *string { return b.acceleration },
	func(p *params, v string) { p.acceleration = &v },
).Equal(func(want, have string) bool { return want == have }, "a bucket that never was accelerated is `Suspended`").
	EffectOf(func(from *string, to string, _ *bucket) (driver.Effect, string) {
		if to == string(types.BucketAccelerateStatusSuspended) && from != nil && *from != to {
			return driver.Interrupts, ""
		}
		return driver.Online, ""
	},
		driver.PossibleEffect{Effect: driver.Online, When: "it becomes Enabled"},
		driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes Suspended: the accelerated endpoint takes no more requests", Cost: suspensionCost})

// acceleration reads and writes whether a bucket is accelerated.
type acceleration aspects

// read takes a bucket without a status for what it does. One with a dot in its name can't be accelerated, and S3 refuses both calls.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAccelerateConfiguration.html
func (b acceleration) read(ctx context.Context, name string, into *bucket) error {
	if strings.Contains(name, ".") {
		into.acceleration = new(string(types.BucketAccelerateStatusSuspended))
		return nil
	}
	out, err := session.Call(ctx, b.Session, "GetBucketAccelerateConfiguration", b.s3.GetBucketAccelerateConfiguration,
		&s3.GetBucketAccelerateConfigurationInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil {
		return err
	}
	into.acceleration = new(string(types.BucketAccelerateStatusSuspended))
	if out.Status != "" {
		into.acceleration = new(string(out.Status))
	}
	return nil
}

func (b acceleration) write(ctx context.Context, name string, p *params) error {
	if strings.Contains(name, ".") {
		return session.Invalid("S3 does not accelerate a bucket with a dot in its name, such as %q: set aws.transferAcceleration to Suspended, or create another Bucket without externalName and move the data", name)
	}
	_, err := session.Call(ctx, b.Session, "PutBucketAccelerateConfiguration", b.s3.PutBucketAccelerateConfiguration, &s3.PutBucketAccelerateConfigurationInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(),
		AccelerateConfiguration: &types.AccelerateConfiguration{Status: types.BucketAccelerateStatus(*p.acceleration)},
	})
	return err
}
