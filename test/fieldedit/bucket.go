package fieldedit

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// Ids of keys.
const (
	awsKey      = "0d9f3a7e-1111-4222-8333-944455556666"
	otherAWSKey = "1e8f3a7e-1111-4222-8333-944455556666"
)

func init() {
	add("Bucket", "aws", AWSBucket("eu-central-1"))
	add("Bucket", "gcp", GCPBucket("europe-west3"))
}

// corsRules are rules for origins, as all are written that mean the same. Their headers are the same in both lists, of which Cloud Storage has one.
func corsRules(origins ...string) []v1alpha1.CORSRule {
	headers := []string{"content-type", "etag"}
	return []v1alpha1.CORSRule{{
		AllowedOrigins: origins, AllowedMethods: []string{"GET", "PUT"}, AllowedHeaders: headers, ExposeHeaders: headers, MaxAgeSeconds: new(int32(600)),
	}}
}

// AWSBucket returns a bucket of S3 in a region.
func AWSBucket(region string) Kind[v1alpha1.BucketParameters] {
	keys := "arn:aws:kms:" + region + ":111111111111:key/"
	return Kind[v1alpha1.BucketParameters]{
		Full: func() v1alpha1.BucketParameters {
			return v1alpha1.BucketParameters{
				Location:      new(region),
				Versioning:    new(v1alpha1.VersioningEnabled),
				PublicAccess:  new(v1alpha1.PublicAccessBlocked),
				Encryption:    &v1alpha1.Encryption{Key: new(keys + awsKey)},
				Tags:          map[string]v1alpha1.TagValue{"team": "shop", "stage": "test"},
				RequesterPays: new(false),
				Logging:       &v1alpha1.BucketLogging{Bucket: new("access-logs-" + region), Prefix: new("photos/")},
				Website:       &v1alpha1.BucketWebsite{IndexDocument: new("index.html"), ErrorDocument: new("error.html")},
				CORS:          corsRules("https://a.example.com", "https://b.example.com"),
				Lifecycle:     lifecycleRules(),
				AWS: s3Named(region, &v1alpha1.BucketAWS{
					ObjectOwnership: new("BucketOwnerEnforced"),
					BucketKey:       new(true), BlockedEncryptionTypes: []string{"SSE-C"},
					TransferAcceleration: new("Suspended"), ObjectLock: new(false),
					Notifications: s3Notifications(region),
					Policy:        policyStatements(),
				}),
			}
		},
		Fields: slices.Concat([]drivertest.Field{
			{Name: "website.indexDocument", To: "home.html", Dependents: []string{"website.errorDocument"}},
			{Name: "website.errorDocument", To: "lost.html"},
			{Name: "website.redirectAllRequestsTo", To: "b.example.com", Given: map[string]any{
				"website.redirectAllRequestsTo": "https://a.example.com", "website.indexDocument": nil, "website.errorDocument": nil}},
			{Name: "cors", To: slices.Concat(corsRules("https://c.example.com"), corsRules("*")), Same: []any{[]v1alpha1.CORSRule{{
				AllowedOrigins: []string{"https://b.example.com", "https://a.example.com"}, AllowedMethods: []string{"PUT", "GET"},
				AllowedHeaders: []string{"ETag", "Content-Type"}, ExposeHeaders: []string{"ETag", "Content-Type"}, MaxAgeSeconds: new(int32(600))}}}},
			retentionDays(nil), retentionLocked(nil), objectLock,
			{Name: "logging.bucket", To: "audit-logs-" + region, Dependents: []string{"logging.prefix"}, ReadWith: []string{"logging.prefix"}},
			{Name: "logging.prefix", To: "pictures/", ReadWith: []string{"logging.bucket"}},
			{Name: "requesterPays", To: true, Effect: driver.Interrupts, DriftEffect: driver.Online},
			{Name: "lifecycle", To: otherLifecycleRules(), Same: []any{sameLifecycleRules("STANDARD_IA")}},
			{Name: "aws.objectOwnership", To: "ObjectWriter", DriftEffect: driver.Interrupts},
			policyField,
			{Name: "aws.transferAcceleration", To: "Enabled", DriftEffect: driver.Interrupts},
			{Name: "versioning", To: "Suspended"},
			{Name: "publicAccess", To: "Allowed", Safe: "Blocked"},
			{Name: "encryption.key", To: keys + otherAWSKey, Same: []any{awsKey}, ReadWith: []string{"aws.bucketKey", "aws.blockedEncryptionTypes"}},
			{Name: "aws.bucketKey", To: false, ReadWith: []string{"encryption.key", "aws.blockedEncryptionTypes"}},
			{Name: "aws.blockedEncryptionTypes", To: []string{}, Single: "S3 can block one sort", DriftEffect: driver.Interrupts, ReadWith: []string{"encryption.key", "aws.bucketKey"}},
			{Name: "tags", To: map[string]string{"CostCenter": "Team Shop", "a.b/c:d@e": "x=y+z"}},
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
		}, s3NotificationFields(region), s3ReplicationFields(), s3NamedFields(region)),
		More: slices.Concat([]Step{
			{Field: "requesterPays", From: true, To: false, Effect: driver.Online},
			{Field: "aws.objectOwnership", From: "BucketOwnerPreferred", To: "BucketOwnerEnforced", Effect: driver.Interrupts},
			{Field: "aws.transferAcceleration", From: "Enabled", To: "Suspended", Effect: driver.Interrupts},
			{Field: "aws.blockedEncryptionTypes", From: []string{}, To: []string{"SSE-C"}, Effect: driver.Interrupts},
		}, lifecycleSteps, archiveSteps, s3RetentionSteps, s3TieringSteps),
	}
}

// GCPBucket returns a bucket of Cloud Storage in a location.
func GCPBucket(location string) Kind[v1alpha1.BucketParameters] {
	keys := "projects/mooring-test/locations/" + location + "/keyRings/r/cryptoKeys/"
	return Kind[v1alpha1.BucketParameters]{
		Full: func() v1alpha1.BucketParameters {
			return v1alpha1.BucketParameters{
				Location: new(location), Versioning: new(v1alpha1.VersioningEnabled), PublicAccess: new(v1alpha1.PublicAccessBlocked),
				Encryption:    &v1alpha1.Encryption{Key: new(keys + "one")},
				Tags:          map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
				RequesterPays: new(false),
				Logging:       &v1alpha1.BucketLogging{Bucket: new("access-logs"), Prefix: new("photos/")},
				Website:       &v1alpha1.BucketWebsite{IndexDocument: new("index.html"), ErrorDocument: new("error.html")},
				CORS:          corsRules("https://a.example.com", "https://b.example.com"),
				Lifecycle:     lifecycleRules(),
				GCP:           fullStorage(),
			}
		},
		Fields: append([]drivertest.Field{
			{Name: "location", To: "europe-west1", Effect: driver.Impossible},
			{Name: "versioning", To: "Suspended"},
			{Name: "publicAccess", To: "Allowed", Safe: "Blocked"},
			{Name: "encryption.key", To: keys + "two"},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
			retentionDays(new("Suspended")), retentionLocked(new("Suspended")),
			{Name: "logging.bucket", To: "audit-logs", Dependents: []string{"logging.prefix"}},
			{Name: "logging.prefix", To: "pictures/"},
			{Name: "website.indexDocument", To: "home.html", Dependents: []string{"website.errorDocument"}},
			{Name: "website.errorDocument", To: "lost.html"},
			{Name: "cors", To: slices.Concat(corsRules("https://c.example.com"), corsRules("*")), Same: []any{[]v1alpha1.CORSRule{{
				AllowedOrigins: []string{"https://b.example.com", "https://a.example.com"}, AllowedMethods: []string{"PUT", "GET"},
				AllowedHeaders: []string{"ETag", "Content-Type"}, ExposeHeaders: []string{"ETag", "Content-Type"}, MaxAgeSeconds: new(int32(600))}}}},
			{Name: "requesterPays", To: true, Effect: driver.Interrupts, DriftEffect: driver.Online},
			{Name: "lifecycle", To: otherLifecycleRules(), Same: []any{sameLifecycleRules("NEARLINE")}},
			{Name: "gcp.storageClass", To: "COLDLINE", Given: map[string]any{"gcp.autoclass.enabled": nil}, Stuck: "a bucket with Autoclass keeps STANDARD"},
		}, storageOnlyFields...),
		More: slices.Concat([]Step{{Field: "requesterPays", From: true, To: false, Effect: driver.Online}}, lifecycleSteps, storageOnlySteps, retentionSteps),
	}
}
