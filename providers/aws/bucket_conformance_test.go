package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

func init() {
	trials = append(trials, func(b *backdoor, region string) drivertest.Trial { return Kind(b, region) })
}

func Kind(b *backdoor, region string) *drivertest.Kind[v1alpha1.BucketParameters] {
	return &drivertest.Kind[v1alpha1.BucketParameters]{
		Name: "Bucket",
		RefusedNames: []string{
			"my", strings.Repeat("a", 64), "Photos", "photos_2026", "-photos", "photos-", "two..dots", "192.168.5.4", "xn--photos", "sthree-photos",
			"amzn-s3-demo-photos", "photos-s3alias", "photos--ol-s3", "photos.mrap", "photos--use1-az4--x-s3", "photos--use1-az4--xa-s3", "photos--table-s3",
			"photos-an", "photos-123456789012-an", "123456789012-eu-central-1-an",
		},
		OddNames:     []string{"1photos", "photos--2026", "photos.example.com", "192.168.5.4.5"},
		Full:         fieldedit.AWSBucket(region).Full,
		Minimal:      func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields:       fieldedit.AWSBucket(region).Fields,
		Reads:        14 + len(awstest.NamedSorts), // one, and one for each aspect: versioning, publicAccess, encryption, requesterPays, cors, website, lifecycle, logging, object ownership, acceleration, Object Lock, notifications, policy
		MinimalReads: 1,
		Lists:        true,
		GlobalNames:  true,
		Contents:     true,
		Cloud: drivertest.Backdoor{
			Edit:    b.editBucket,
			Labels:  b.bucketLabels,
			Relabel: b.relabelBucket,
			Entries: map[string]drivertest.Entries{"aws.policy": b.policyEntries()},
			Remove: func(t testing.TB, name string) {
				defer b.uncounted()()
				awstest.Do(t, b.S3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
			},
			Fill: func(t testing.TB, name string) {
				defer b.uncounted()()
				awstest.Do(t, b.S3.PutObject, &s3.PutObjectInput{Bucket: &name, Key: new("a"), Body: strings.NewReader("x")})
			},
			Hide: func(_ testing.TB, name, f string) func() {
				if strings.HasPrefix(f, "website.") { // both fields have one call
					return nil
				}
				if strings.HasPrefix(f, "aws.notifications.") {
					return b.only(name, "GetBucketNotificationConfiguration")
				}
				if sort, is := awstest.NamedSorts[f]; is {
					return b.only(name, "ListBucket"+sort.Call+"Configurations")
				}
				return b.only(name, map[string]string{
					"versioning": "GetBucketVersioning", "publicAccess": "GetPublicAccessBlock", "encryption.key": "GetBucketEncryption",
					"retention.days": "GetObjectLockConfiguration", "retention.locked": "GetObjectLockConfiguration", "aws.objectLock": "GetObjectLockConfiguration",
					"logging.bucket": "GetBucketLogging", "logging.prefix": "GetBucketLogging",
					"aws.transferAcceleration": "GetBucketAccelerateConfiguration", "aws.policy": "GetBucketPolicy",
					"aws.bucketKey": "GetBucketEncryption", "aws.blockedEncryptionTypes": "GetBucketEncryption",
					"aws.replication.role": "GetBucketReplication", "aws.replication.rules": "GetBucketReplication",
					"aws.objectOwnership": "GetBucketOwnershipControls", "requesterPays": "GetBucketRequestPayment", "cors": "GetBucketCors",
					"lifecycle": "GetBucketLifecycleConfiguration",
				}[f])
			},
			Refuse: func(_ testing.TB, name, f string) func() {
				if strings.HasPrefix(f, "website.") {
					return nil
				}
				if strings.HasPrefix(f, "aws.notifications.") {
					return b.only(name, "PutBucketNotificationConfiguration")
				}
				if sort, is := awstest.NamedSorts[f]; is {
					return b.only(name, "PutBucket"+sort.Call+"Configuration")
				}
				return b.only(name, map[string]string{
					"versioning": "PutBucketVersioning", "publicAccess": "PutPublicAccessBlock",
					"encryption.key": "PutBucketEncryption", "tags": "PutBucketTagging",
					"retention.days": "PutObjectLockConfiguration", "retention.locked": "PutObjectLockConfiguration", "aws.objectLock": "PutObjectLockConfiguration",
					"logging.prefix": "PutBucketLogging", "logging.bucket": "PutBucketLogging",
					"aws.transferAcceleration": "PutBucketAccelerateConfiguration", "aws.policy": "PutBucketPolicy",
					"aws.bucketKey": "PutBucketEncryption", "aws.blockedEncryptionTypes": "PutBucketEncryption",
					"aws.replication.role": "PutBucketReplication", "aws.replication.rules": "PutBucketReplication",
					"aws.objectOwnership": "PutBucketOwnershipControls", "requesterPays": "PutBucketRequestPayment", "cors": "PutBucketCors",
					"lifecycle": "PutBucketLifecycleConfiguration",
				}[f])
			},
		},
	}
}

// policyEntries reaches the statements of a policy.
func (b *backdoor) policyEntries() drivertest.Entries {
	in := fieldedit.PolicyEntries()
	in.Of = func(t testing.TB, name string) map[string]string {
		defer b.uncounted()()
		out, err := b.S3.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: &name})
		if err != nil {
			return map[string]string{}
		}
		return fieldedit.StatementTexts(fieldedit.StatementsIn(*out.Policy, name))
	}
	in.Set = func(t testing.TB, name string, entries map[string]string) {
		defer b.uncounted()()
		if len(entries) == 0 {
			awstest.Do(t, b.S3.DeleteBucketPolicy, &s3.DeleteBucketPolicyInput{Bucket: &name})
			return
		}
		awstest.Do(t, b.S3.PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &name, Policy: new(fieldedit.PolicyDocument(fieldedit.StatementsOf(entries), name))})
	}
	return in
}

func (b *backdoor) editBucket(t testing.TB, name, f string, value any) {
	defer b.uncounted()()
	switch f {
	case "versioning":
		awstest.Do(t, b.S3.PutBucketVersioning, &s3.PutBucketVersioningInput{Bucket: &name,
			VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatus(value.(string))}})
	case "publicAccess":
		on := new(value == "Blocked")
		awstest.Do(t, b.S3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{Bucket: &name,
			PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
				BlockPublicAcls: on, IgnorePublicAcls: on, BlockPublicPolicy: on, RestrictPublicBuckets: on}})
	case "encryption.key", "aws.bucketKey", "aws.blockedEncryptionTypes":
		b.editEncryption(t, name, f, value)
	case "website.redirectAllRequestsTo":
		to := &s3types.RedirectAllRequestsTo{HostName: new(value.(string))}
		if protocol, host, named := strings.Cut(value.(string), "://"); named {
			to = &s3types.RedirectAllRequestsTo{HostName: &host, Protocol: s3types.Protocol(protocol)}
		}
		awstest.Do(t, b.S3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &name, WebsiteConfiguration: &s3types.WebsiteConfiguration{RedirectAllRequestsTo: to}})
	case "website.indexDocument", "website.errorDocument":
		in := &s3types.WebsiteConfiguration{IndexDocument: &s3types.IndexDocument{Suffix: new("index.html")}}
		if site, err := b.S3.GetBucketWebsite(t.Context(), &s3.GetBucketWebsiteInput{Bucket: &name}); err == nil {
			in.IndexDocument, in.ErrorDocument = site.IndexDocument, site.ErrorDocument
		}
		if f == "website.indexDocument" {
			in.IndexDocument = &s3types.IndexDocument{Suffix: new(value.(string))}
		} else {
			in.ErrorDocument = &s3types.ErrorDocument{Key: new(value.(string))}
		}
		awstest.Do(t, b.S3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &name, WebsiteConfiguration: in})
	case "lifecycle":
		b.editLifecycle(t, name, value.([]v1alpha1.LifecycleRule))
	case "cors":
		rules := []s3types.CORSRule{}
		for _, r := range value.([]v1alpha1.CORSRule) {
			rules = append(rules, s3types.CORSRule{ID: new("theirs"), AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods, AllowedHeaders: r.AllowedHeaders, ExposeHeaders: r.ExposeHeaders, MaxAgeSeconds: r.MaxAgeSeconds})
		}
		awstest.Do(t, b.S3.PutBucketCors, &s3.PutBucketCorsInput{Bucket: &name, CORSConfiguration: &s3types.CORSConfiguration{CORSRules: rules}})
	case "requesterPays":
		payer := map[bool]s3types.Payer{true: s3types.PayerRequester, false: s3types.PayerBucketOwner}[value.(bool)]
		awstest.Do(t, b.S3.PutBucketRequestPayment, &s3.PutBucketRequestPaymentInput{Bucket: &name, RequestPaymentConfiguration: &s3types.RequestPaymentConfiguration{Payer: payer}})
	case "retention.days", "retention.locked":
		b.editRetention(t, name, f, value)
	case "logging.bucket", "logging.prefix":
		b.editLogging(t, name, f, value.(string))
	case "aws.transferAcceleration":
		awstest.Do(t, b.S3.PutBucketAccelerateConfiguration, &s3.PutBucketAccelerateConfigurationInput{Bucket: &name,
			AccelerateConfiguration: &s3types.AccelerateConfiguration{Status: s3types.BucketAccelerateStatus(value.(string))}})
	case "aws.notifications.eventBridge", "aws.notifications.queues", "aws.notifications.topics", "aws.notifications.functions":
		b.editNotifications(t, name, f, value)
	case "aws.replication.role", "aws.replication.rules":
		b.editReplication(t, name, f, value)
	case "aws.metrics", "aws.intelligentTiering", "aws.analytics", "aws.inventory":
		b.editNamed(t, name, f, value)
	case "aws.objectOwnership":
		awstest.Do(t, b.S3.PutBucketOwnershipControls, &s3.PutBucketOwnershipControlsInput{Bucket: &name, OwnershipControls: &s3types.OwnershipControls{
			Rules: []s3types.OwnershipControlsRule{{ObjectOwnership: s3types.ObjectOwnership(value.(string))}}}})
	default:
		t.Fatalf("no way to edit %s", f)
	}
}

func (b *backdoor) bucketLabels(t testing.TB, name string) map[string]string {
	defer b.uncounted()()
	tags := map[string]string{}
	for _, tag := range awstest.Do(t, b.S3.GetBucketTagging, &s3.GetBucketTaggingInput{Bucket: &name}).TagSet {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

func (b *backdoor) relabelBucket(t testing.TB, name string, labels map[string]string) {
	defer b.uncounted()()
	var set []s3types.Tag
	for k, v := range labels {
		set = append(set, s3types.Tag{Key: &k, Value: &v})
	}
	awstest.Do(t, b.S3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: set}})
}
