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

// block returns the settings that only S3 has.
func block(s *v1alpha1.BucketParameters) v1alpha1.BucketAWS {
	if s.AWS == nil {
		return v1alpha1.BucketAWS{}
	}
	return *s.AWS
}

// noListsCost is what it costs that access control lists lose their effect. AWS keeps them: they have it again when the setting changes back.
var noListsCost = driver.Cost{
	Text:   "who has access by an ACL alone stays out until a policy lets them in; the others notice nothing",
	Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-migrating-acls-prerequisites.html",
}

// listsReturn is what it does that access control lists count again: S3 keeps those from before.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
const listsReturn = "ACLs count again: whoever has access by an ACL of the bucket or of an object, from before or from now on, can use it"

// ownershipRow is who owns what others write to a bucket, and whether access control lists count.
var ownershipRow = table.Field("aws.objectOwnership",
	func(s *v1alpha1.BucketParameters) *string { return block(s).ObjectOwnership },
	func(b *bucket) *string { return b.ownership },
	func(p *params, v string) { p.ownership = &v },
).Equal(func(want, have string) bool { return want == have }, "a bucket without ownership controls is `ObjectWriter`").
	EffectOf(func(from *string, to string, _ *bucket) (driver.Effect, string) {
		enforced := string(types.ObjectOwnershipBucketOwnerEnforced)
		switch {
		case from == nil:
			return driver.Online, ""
		case to == enforced && *from != enforced:
			return driver.Interrupts, ""
		case to != enforced && *from == enforced:
			return driver.Online, listsReturn
		}
		return driver.Online, ""
	},
		driver.PossibleEffect{Effect: driver.Online, When: "ACLs keep their effect, or get it back: who has access by an ACL that is still there has it again"},
		driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes BucketOwnerEnforced: ACLs lose their effect", Cost: noListsCost})

// readOwnership takes a bucket without controls for what it does: each account owns what it writes. No recording shows such a bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
func (b aspects) readOwnership(ctx context.Context, name string, into *bucket) error {
	out, err := session.Call(ctx, b.Session, "GetBucketOwnershipControls", b.s3.GetBucketOwnershipControls,
		&s3.GetBucketOwnershipControlsInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil && session.ErrorCode(err) != "OwnershipControlsNotFoundError" {
		return err
	}
	into.ownership = new(string(types.ObjectOwnershipObjectWriter))
	if err == nil && out.OwnershipControls != nil && len(out.OwnershipControls.Rules) > 0 {
		into.ownership = new(string(out.OwnershipControls.Rules[0].ObjectOwnership))
	}
	return nil
}

func (b aspects) writeOwnership(ctx context.Context, name string, p *params) error {
	_, err := session.Call(ctx, b.Session, "PutBucketOwnershipControls", b.s3.PutBucketOwnershipControls, &s3.PutBucketOwnershipControlsInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(),
		OwnershipControls: &types.OwnershipControls{Rules: []types.OwnershipControlsRule{{ObjectOwnership: types.ObjectOwnership(*p.ownership)}}},
	})
	return err
}
