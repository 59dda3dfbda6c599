package s3

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type inventory = v1alpha1.BucketInventoryAWS

// inventories write lists of objects.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryConfiguration.html
var inventories = namedSort[inventory, types.InventoryConfiguration]{
	field: "aws.inventory", param: "inventories",
	want:   func(s v1alpha1.BucketAWS) []inventory { return s.Inventory },
	have:   func(b *bucket) **[]inventory { return &b.inventories },
	change: func(p *params) *table.Members[inventory] { return &p.inventories },
	name:   func(i inventory) string { return i.Name },
	alike:  alikeInventory,
	from:   inventoryFrom,
	list: func(ctx context.Context, b aspects, bucket string, token *string) ([]types.InventoryConfiguration, *string, error) {
		out, err := session.Call(ctx, b.Session, "ListBucketInventoryConfigurations", b.s3.ListBucketInventoryConfigurations,
			&s3.ListBucketInventoryConfigurationsInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return out.InventoryConfigurationList, more(out.IsTruncated, out.NextContinuationToken), nil
	},
	put: func(ctx context.Context, b aspects, bucket string, i inventory) error {
		_, err := session.Call(ctx, b.Session, "PutBucketInventoryConfiguration", b.s3.PutBucketInventoryConfiguration, &s3.PutBucketInventoryConfigurationInput{
			Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &i.Name, InventoryConfiguration: inventoryTo(i, policies(b).arn),
		})
		return err
	},
	remove: func(ctx context.Context, b aspects, bucket, name string) error {
		_, err := session.Call(ctx, b.Session, "DeleteBucketInventoryConfiguration", b.s3.DeleteBucketInventoryConfiguration,
			&s3.DeleteBucketInventoryConfigurationInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &name})
		return err
	},
	advice: destinationAdvice,
}

var inventoryRow = inventories.row().Equal("`optionalFields` in another order, and `enabled` unset is true; "+sameNamed).RefersIn("destination.bucket", driver.ReferenceBucket).AndIn("destination.encryption.keyARN", driver.ReferenceKey)

func alikeInventory(i inventory) inventory {
	if i.Enabled == nil {
		i.Enabled = new(true)
	}
	i.Prefix, i.OptionalFields = session.NonEmpty(i.Prefix), slices.Sorted(slices.Values(i.OptionalFields))
	to := &i.Destination
	if to.AccountID, to.Prefix = session.NonEmpty(to.AccountID), session.NonEmpty(to.Prefix); to.Encryption != nil {
		to.Encryption = &v1alpha1.BucketInventoryEncryptionAWS{KeyARN: session.NonEmpty(to.Encryption.KeyARN)}
	}
	return i
}

// checkInventories refuses keys of another region than the bucket's.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/configure-inventory.html#configure-inventory-kms-key-policy
func checkInventories(spec *v1alpha1.BucketParameters, location string) (problems []error) {
	for _, i := range block(spec).Inventory {
		if e := i.Destination.Encryption; e != nil {
			problems = append(problems, session.CheckKey("aws.inventory", e.KeyARN, location))
		}
	}
	return problems
}

// inventoryTo returns an entry as S3 takes it, with the ARN of its bucket.
func inventoryTo(i inventory, arn func(bucket string) string) *types.InventoryConfiguration {
	i = alikeInventory(i)
	to := &types.InventoryS3BucketDestination{
		Bucket: new(arn(i.Destination.Bucket)), AccountId: i.Destination.AccountID, Prefix: i.Destination.Prefix, Format: types.InventoryFormat(i.Destination.Format),
	}
	if e := i.Destination.Encryption; e != nil && e.KeyARN != nil {
		to.Encryption = &types.InventoryEncryption{SSEKMS: &types.SSEKMS{KeyId: e.KeyARN}}
	} else if e != nil {
		to.Encryption = &types.InventoryEncryption{SSES3: &types.SSES3{}}
	}
	c := &types.InventoryConfiguration{
		Id: &i.Name, IsEnabled: i.Enabled, IncludedObjectVersions: types.InventoryIncludedObjectVersions(i.IncludedObjectVersions),
		Schedule: &types.InventorySchedule{Frequency: types.InventoryFrequency(i.Frequency)}, Destination: &types.InventoryDestination{S3BucketDestination: to},
	}
	if i.Prefix != nil {
		c.Filter = &types.InventoryFilter{Prefix: i.Prefix}
	}
	for _, field := range i.OptionalFields {
		c.OptionalFields = append(c.OptionalFields, types.InventoryOptionalField(field))
	}
	return c
}

// inventoryFrom returns an entry as a spec says it.
func inventoryFrom(c types.InventoryConfiguration) inventory {
	i := inventory{Name: aws.ToString(c.Id), Enabled: new(aws.ToBool(c.IsEnabled)), IncludedObjectVersions: string(c.IncludedObjectVersions)}
	if c.Schedule != nil {
		i.Frequency = string(c.Schedule.Frequency)
	}
	if c.Filter != nil {
		i.Prefix = session.NonEmpty(c.Filter.Prefix)
	}
	for _, field := range c.OptionalFields {
		i.OptionalFields = append(i.OptionalFields, string(field))
	}
	if c.Destination == nil || c.Destination.S3BucketDestination == nil {
		return i
	}
	to := c.Destination.S3BucketDestination
	i.Destination = v1alpha1.BucketInventoryDestinationAWS{
		Bucket: in(to.Bucket), AccountID: session.NonEmpty(to.AccountId), Prefix: session.NonEmpty(to.Prefix), Format: string(to.Format),
	}
	if e := to.Encryption; e != nil {
		i.Destination.Encryption = &v1alpha1.BucketInventoryEncryptionAWS{}
		if e.SSEKMS != nil {
			i.Destination.Encryption.KeyARN = session.NonEmpty(e.SSEKMS.KeyId)
		}
	}
	return i
}
