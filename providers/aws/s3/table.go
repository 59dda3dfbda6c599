package s3

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// A bucket is what S3 says of one: an aspect that was not read is nil.
type bucket struct {
	region       string
	tags         map[string]string
	untagged     bool // a store did not say which tags it has
	versioning   *v1alpha1.Versioning
	publicAccess *v1alpha1.PublicAccess
	ownership    *string

	key       *string
	bucketKey *bool
	blocked   []string

	acceleration *string
	logBucket    *string
	logPrefix    *string
	policy       *policy

	objectLock      *bool
	retentionDays   *int32
	retentionLocked *bool

	requesterPays *bool
	cors          *[]v1alpha1.CORSRule
	index         *string
	errorDocument *string
	lifecycle     *[]v1alpha1.LifecycleRule
	redirects     bool // all requests, in place of documents
	redirectTo    *string

	eventBridge               *bool
	queues, topics, functions *[]notified
	metrics                   *[]v1alpha1.BucketMetricsAWS
	tierings                  *[]tiering
	analyses                  *[]analysis
	inventories               *[]inventory

	replicationRole  *string // by which to compare what a spec wants
	replicatesBy     *string
	replicationRules *[]replicationRule
}

// params are the values to write, aspect by aspect; nil leaves one alone.
type params struct {
	tags         table.Delta
	versioning   *v1alpha1.Versioning
	publicAccess *v1alpha1.PublicAccess
	ownership    *string

	key       *string
	bucketKey *bool
	blocked   []string

	acceleration *string
	logBucket    *string
	logPrefix    *string
	policy       table.Delta

	objectLock      *bool
	retentionDays   *int32
	retentionLocked *bool

	requesterPays *bool
	cors          []v1alpha1.CORSRule
	index         *string
	errorDocument *string
	redirectTo    *string
	lifecycle     []v1alpha1.LifecycleRule

	eventBridge               *bool
	queues, topics, functions table.Members[notified]
	metrics                   table.Members[v1alpha1.BucketMetricsAWS]
	tierings                  table.Members[tiering]
	analyses                  table.Members[analysis]
	inventories               table.Members[inventory]

	replicationRole  *string
	replicationRules table.Members[replicationRule]
}

// rows has a row for each field of a bucket that S3 keeps. location and tags come with the read that
// every observation makes; every other row has an aspect, with calls of its own.
var rows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Field("location",
		func(s *v1alpha1.BucketParameters) *string { return s.Location },
		func(b *bucket) *string { return aws.String(b.region) },
		func(*params, string) {}, // S3 takes it at creation only, from the connection's region
	).Immutable("create another Bucket with the new location and move the data"),

	table.Field("versioning",
		func(s *v1alpha1.BucketParameters) *v1alpha1.Versioning { return s.Versioning },
		func(b *bucket) *v1alpha1.Versioning { return b.versioning },
		func(p *params, v v1alpha1.Versioning) { p.versioning = &v },
	),

	table.Field("publicAccess",
		func(s *v1alpha1.BucketParameters) *v1alpha1.PublicAccess { return s.PublicAccess },
		func(b *bucket) *v1alpha1.PublicAccess { return b.publicAccess },
		func(p *params, v v1alpha1.PublicAccess) { p.publicAccess = &v },
	).Safe(v1alpha1.PublicAccessBlocked),

	encryptionRows[0],
	encryptionRows[1],
	encryptionRows[2],
	paymentRow,
	corsRow,
	websiteRows[0],
	websiteRows[1],
	websiteRows[2],
	loggingRows[0],
	loggingRows[1],
	retentionRows[0],
	retentionRows[1],
	retentionRows[2],
	lifecycleRow,
	policyRow,
	ownershipRow,
	accelerationRow,
	notificationRows[0],
	notificationRows[1],
	notificationRows[2],
	notificationRows[3],
	replicationRows[0],
	replicationRows[1],
	metrics.row(),
	tieringRow,
	analysisRow,
	inventoryRow,

	table.Entries("tags",
		func(s *v1alpha1.BucketParameters) map[string]string { return session.WantTags(s.Tags) },
		func(b *bucket) map[string]string { return session.OwnTags(b.tags) },
		func(p *params, d table.Delta) { p.tags = d },
	),
}
