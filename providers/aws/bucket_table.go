package aws

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A bucket is what S3 says of one: an aspect that was not read is nil.
type bucket struct {
	region       string
	tags         map[string]string
	versioning   *v1alpha1.Versioning
	publicAccess *v1alpha1.PublicAccess
	key          *string
	ownership    *string

	requesterPays *bool
	cors          *[]v1alpha1.CORSRule
	index         *string
	errorDocument *string
	redirects     bool // all requests, in place of documents
}

// bucketParams are the values to write, aspect by aspect; nil leaves one alone.
type bucketParams struct {
	tags         table.Delta
	versioning   *v1alpha1.Versioning
	publicAccess *v1alpha1.PublicAccess
	key          *string
	ownership    *string

	requesterPays *bool
	cors          []v1alpha1.CORSRule
	index         *string
	errorDocument *string
}

// bucketTable has a row for each field of a bucket that S3 keeps. location and tags come with the read that
// every observation makes; every other row has an aspect, with calls of its own.
var bucketTable = table.Table[v1alpha1.BucketParameters, bucket, bucketParams]{
	table.Field("location",
		func(s *v1alpha1.BucketParameters) *string { return s.Location },
		func(b *bucket) *string { return aws.String(b.region) },
		func(*bucketParams, string) {}, // S3 takes it at creation only, from the connection's region
	).Immutable("create another Bucket with the new location and move the data"),

	table.Field("versioning",
		func(s *v1alpha1.BucketParameters) *v1alpha1.Versioning { return s.Versioning },
		func(b *bucket) *v1alpha1.Versioning { return b.versioning },
		func(p *bucketParams, v v1alpha1.Versioning) { p.versioning = &v },
	),

	table.Field("publicAccess",
		func(s *v1alpha1.BucketParameters) *v1alpha1.PublicAccess { return s.PublicAccess },
		func(b *bucket) *v1alpha1.PublicAccess { return b.publicAccess },
		func(p *bucketParams, v v1alpha1.PublicAccess) { p.publicAccess = &v },
	).Safe(v1alpha1.PublicAccessBlocked),

	table.Field("encryption.key",
		driver.WantedKey,
		func(b *bucket) *string { return b.key },
		func(p *bucketParams, v string) { p.key = &v },
	).Reported(func(b *bucket) *string { return unlessOwn(b.key) }).
		Equal(sameKey, "a key that the bucket names by its id or alias alone is the same; `encryption: {}` is S3's own key").
		Refers(driver.ReferenceKey),

	paymentRow,
	corsRow,
	websiteRows[0],
	websiteRows[1],
	ownershipRow,

	table.Entries("tags",
		func(s *v1alpha1.BucketParameters) map[string]string { return wantTags(s.Tags) },
		func(b *bucket) map[string]string { return ownTags(b.tags) },
		func(p *bucketParams, d table.Delta) { p.tags = d },
	),
}

// sameKey compares KMS keys. S3 reports a key as whoever set it wrote it: ARN, id, or alias.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html
func sameKey(want, have string) bool {
	return want == have || have != "" && (strings.HasSuffix(want, "/"+have) || strings.HasSuffix(want, ":"+have))
}

// unlessOwn returns a customer's key, nil if it is the cloud's own.
func unlessOwn(key *string) *string {
	if aws.ToString(key) == "" {
		return nil
	}
	return key
}
