package system

import (
	"errors"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// awsBuckets are the buckets of S3, as people use them beside Mooring.
type awsBuckets struct{ s3 *s3.Client }

func newAWSBuckets(c *Cloud) Console {
	return &awsBuckets{s3.NewFromConfig(awsConfig(c), func(o *s3.Options) { o.UsePathStyle = true })}
}

// Names implements Console.
func (a *awsBuckets) Names(t testing.TB) (names []string) {
	t.Helper()
	for _, b := range call(t, a.s3.ListBuckets, &s3.ListBucketsInput{}).Buckets {
		names = append(names, *b.Name)
	}
	return names
}

// Make implements Console.
func (a *awsBuckets) Make(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: AWSRegion, Tags: s3Tags(tags),
	}})
}

// MakeIn implements BucketConsole.
func (a *awsBuckets) MakeIn(t testing.TB, name, location string) {
	t.Helper()
	call(t, a.s3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: s3types.BucketLocationConstraint(location),
	}})
}

// Location implements BucketConsole.
func (a *awsBuckets) Location(t testing.TB, name string) string {
	t.Helper()
	return string(call(t, a.s3.GetBucketLocation, &s3.GetBucketLocationInput{Bucket: &name}).LocationConstraint)
}

func s3Tags(tags map[string]string) []s3types.Tag {
	var out []s3types.Tag
	for k, v := range tags {
		out = append(out, s3types.Tag{Key: &k, Value: &v})
	}
	return out
}

// Tags implements Console.
func (a *awsBuckets) Tags(t testing.TB, name string) map[string]string {
	t.Helper()
	out, err := a.s3.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: &name})
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "NoSuchBucket" {
		return nil
	} else if ok && e.ErrorCode() == "NoSuchTagSet" {
		return map[string]string{}
	}
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, tag := range out.TagSet {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

// Tag implements Console.
func (a *awsBuckets) Tag(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	all := a.Tags(t, name)
	for k, v := range tags {
		if all[k] = v; v == "" {
			delete(all, k)
		}
	}
	call(t, a.s3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: s3Tags(all)}})
}

// SetVersioning implements BucketConsole.
func (a *awsBuckets) SetVersioning(t testing.TB, name string, on bool) {
	t.Helper()
	status := s3types.BucketVersioningStatusSuspended
	if on {
		status = s3types.BucketVersioningStatusEnabled
	}
	call(t, a.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{
		Bucket: &name, VersioningConfiguration: &s3types.VersioningConfiguration{Status: status}})
}

// SetPublic implements BucketConsole.
func (a *awsBuckets) SetPublic(t testing.TB, name string, on bool) {
	t.Helper()
	block := awssdk.Bool(!on)
	call(t, a.s3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{
		Bucket: &name, PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
			BlockPublicAcls: block, BlockPublicPolicy: block, IgnorePublicAcls: block, RestrictPublicBuckets: block,
		}})
}

// SetEncryption implements BucketConsole.
func (a *awsBuckets) SetEncryption(t testing.TB, name, key string) {
	t.Helper()
	call(t, a.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{
		Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
			Rules: []s3types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{
				SSEAlgorithm: s3types.ServerSideEncryptionAwsKms, KMSMasterKeyID: &key,
			}}},
		}})
}

// Set implements BucketConsole.
func (a *awsBuckets) Set(t testing.TB, name, field string, value any) {
	t.Helper()
	switch field {
	case "website.indexDocument":
		call(t, a.s3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &name, WebsiteConfiguration: &s3types.WebsiteConfiguration{
			IndexDocument: &s3types.IndexDocument{Suffix: new(value.(string))}, ErrorDocument: &s3types.ErrorDocument{Key: new("lost.html")},
		}})
	case "abac":
		call(t, a.s3.PutBucketAbac, &s3.PutBucketAbacInput{Bucket: &name, AbacStatus: &s3types.AbacStatus{Status: value.(s3types.BucketAbacStatus)}})
	case "lifecycle":
		rules := []s3types.LifecycleRule{}
		for _, r := range value.([]v1alpha1.LifecycleRule) {
			rules = append(rules, s3types.LifecycleRule{ID: &r.Name, Status: "Enabled", Filter: &s3types.LifecycleRuleFilter{Prefix: r.Prefix},
				AbortIncompleteMultipartUpload: &s3types.AbortIncompleteMultipartUpload{DaysAfterInitiation: r.AbortUploadsAfterDays}})
		}
		call(t, a.s3.PutBucketLifecycleConfiguration, &s3.PutBucketLifecycleConfigurationInput{Bucket: &name, LifecycleConfiguration: &s3types.BucketLifecycleConfiguration{Rules: rules}})
	case "cors":
		rules := []s3types.CORSRule{}
		for _, r := range value.([]v1alpha1.CORSRule) {
			rules = append(rules, s3types.CORSRule{AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods})
		}
		call(t, a.s3.PutBucketCors, &s3.PutBucketCorsInput{Bucket: &name, CORSConfiguration: &s3types.CORSConfiguration{CORSRules: rules}})
	case "requesterPays":
		payer := map[bool]s3types.Payer{true: s3types.PayerRequester, false: s3types.PayerBucketOwner}[value.(bool)]
		call(t, a.s3.PutBucketRequestPayment, &s3.PutBucketRequestPaymentInput{Bucket: &name, RequestPaymentConfiguration: &s3types.RequestPaymentConfiguration{Payer: payer}})
	case "aws.objectOwnership":
		call(t, a.s3.PutBucketOwnershipControls, &s3.PutBucketOwnershipControlsInput{Bucket: &name, OwnershipControls: &s3types.OwnershipControls{
			Rules: []s3types.OwnershipControlsRule{{ObjectOwnership: s3types.ObjectOwnership(value.(string))}},
		}})
	case "logging.bucket":
		call(t, a.s3.PutBucketLogging, &s3.PutBucketLoggingInput{Bucket: &name, BucketLoggingStatus: &s3types.BucketLoggingStatus{
			LoggingEnabled: &s3types.LoggingEnabled{TargetBucket: new(value.(string)), TargetPrefix: new("pictures/")},
		}})
	case "aws.transferAcceleration":
		call(t, a.s3.PutBucketAccelerateConfiguration, &s3.PutBucketAccelerateConfigurationInput{
			Bucket: &name, AccelerateConfiguration: &s3types.AccelerateConfiguration{Status: s3types.BucketAccelerateStatus(value.(string))},
		})
	case "aws.notifications.eventBridge": // who knows of no entries writes a document without them
		document := &s3types.NotificationConfiguration{}
		if value.(bool) {
			document.EventBridgeConfiguration = &s3types.EventBridgeConfiguration{}
		}
		call(t, a.s3.PutBucketNotificationConfiguration, &s3.PutBucketNotificationConfigurationInput{Bucket: &name, NotificationConfiguration: document})
	case "aws.replication.role", "aws.replication.rules": // of rules it is the bucket of the first one
		document := call(t, a.s3.GetBucketReplication, &s3.GetBucketReplicationInput{Bucket: &name}).ReplicationConfiguration
		if field == "aws.replication.role" {
			document.Role = new(value.(string))
		} else {
			document.Rules[0].Destination.Bucket = new("arn:aws:s3:::" + value.(string))
		}
		call(t, a.s3.PutBucketReplication, &s3.PutBucketReplicationInput{Bucket: &name, ReplicationConfiguration: document})
	case "aws.metrics": // who takes away the filter of an entry
		call(t, a.s3.PutBucketMetricsConfiguration, &s3.PutBucketMetricsConfigurationInput{
			Bucket: &name, Id: new(value.(string)), MetricsConfiguration: &s3types.MetricsConfiguration{Id: new(value.(string))}})
	case "aws.intelligentTiering": // who takes away the filter of an entry that moves nothing
		call(t, a.s3.PutBucketIntelligentTieringConfiguration, &s3.PutBucketIntelligentTieringConfigurationInput{Bucket: &name, Id: new(value.(string)),
			IntelligentTieringConfiguration: &s3types.IntelligentTieringConfiguration{Id: new(value.(string)), Status: "Disabled",
				Tierings: []s3types.Tiering{{AccessTier: "ARCHIVE_ACCESS", Days: new(int32(90))}}}})
	case "aws.analytics": // who takes away all but the name of an entry
		call(t, a.s3.PutBucketAnalyticsConfiguration, &s3.PutBucketAnalyticsConfigurationInput{Bucket: &name, Id: new(value.(string)),
			AnalyticsConfiguration: &s3types.AnalyticsConfiguration{Id: new(value.(string)), StorageClassAnalysis: &s3types.StorageClassAnalysis{}}})
	case "aws.inventory": // who has an entry pause
		call(t, a.s3.PutBucketInventoryConfiguration, &s3.PutBucketInventoryConfigurationInput{Bucket: &name, Id: new(value.(v1alpha1.BucketInventoryAWS).Name),
			InventoryConfiguration: pausedInventory(value.(v1alpha1.BucketInventoryAWS))})
	case "aws.policy":
		if value == "" {
			call(t, a.s3.DeleteBucketPolicy, &s3.DeleteBucketPolicyInput{Bucket: &name})
			return
		}
		call(t, a.s3.PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &name, Policy: new(value.(string))})
	case "aws.bucketKey", "aws.blockedEncryptionTypes":
		a.setRule(t, name, field, value)
	default:
		t.Fatalf("no way to set %s", field)
	}
}

// pausedInventory is an inventory that writes no lists.
func pausedInventory(i v1alpha1.BucketInventoryAWS) *s3types.InventoryConfiguration {
	return &s3types.InventoryConfiguration{Id: &i.Name, IsEnabled: new(false), IncludedObjectVersions: s3types.InventoryIncludedObjectVersions(i.IncludedObjectVersions),
		Schedule: &s3types.InventorySchedule{Frequency: s3types.InventoryFrequency(i.Frequency)},
		Destination: &s3types.InventoryDestination{S3BucketDestination: &s3types.InventoryS3BucketDestination{
			Bucket: new("arn:aws:s3:::" + i.Destination.Bucket), Format: s3types.InventoryFormat(i.Destination.Format)}}}
}

// Delete implements Console.
func (a *awsBuckets) Delete(t testing.TB, name string) {
	t.Helper()
	call(t, a.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
}

// PutObject implements BucketConsole.
func (a *awsBuckets) PutObject(t testing.TB, bucket, key string) {
	t.Helper()
	call(t, a.s3.PutObject, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("content")})
}

// DeleteObject implements BucketConsole.
func (a *awsBuckets) DeleteObject(t testing.TB, bucket, key string) {
	t.Helper()
	call(t, a.s3.DeleteObject, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
}
