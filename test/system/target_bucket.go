package system

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func init() {
	Targets = append(Targets,
		BucketTarget("aws", "s3", newAWSBuckets, Operations{
			Observe: "GetBucketTagging", Create: "CreateBucket", CreateMore: []string{"CreateBucket", "PutBucketVersioning"},
			Mark: "PutBucketTagging", Delete: "DeleteBucket", ObserveMore: []string{"GetBucketVersioning", "GetObjectLockConfiguration", "GetPublicAccessBlock", "GetBucketEncryption", "GetBucketOwnershipControls", "GetBucketRequestPayment", "GetBucketCors", "GetBucketWebsite", "GetBucketLifecycleConfiguration", "GetBucketLogging", "GetBucketAccelerateConfiguration", "GetBucketNotificationConfiguration", "GetBucketPolicy", "GetBucketReplication", "ListBucketMetricsConfigurations", "ListBucketIntelligentTieringConfigurations", "ListBucketAnalyticsConfigurations", "ListBucketInventoryConfigurations"},
		}, "s3"),
		BucketTarget("gcp", "storage", newGCPBuckets, Operations{
			Observe: "buckets.get", Create: "buckets.insert", CreateMore: []string{"buckets.insert"},
			Mark: "buckets.patch", Delete: "buckets.delete", ObserveMore: []string{"buckets.getIamPolicy", "notifications.list"},
		}, "gcs"))
}

// FullBucket declares all that a bucket can have.
func FullBucket(c *Cloud) v1alpha1.BucketParameters {
	full := v1alpha1.BucketParameters{
		Location:      new(c.Region()),
		Versioning:    new(v1alpha1.VersioningEnabled),
		PublicAccess:  new(v1alpha1.PublicAccessBlocked),
		Encryption:    &v1alpha1.Encryption{Key: new(c.Key("a"))},
		Tags:          map[string]v1alpha1.TagValue{"team": "a", "env": "test"},
		ForceDestroy:  new(false),
		RequesterPays: new(false),
		Lifecycle:     []v1alpha1.LifecycleRule{{Name: "rule-1", AbortUploadsAfterDays: new(int32(7))}},
		Website:       &v1alpha1.BucketWebsite{IndexDocument: new("index.html"), ErrorDocument: new("error.html")},
		Logging:       &v1alpha1.BucketLogging{Bucket: new("access-logs-" + c.Region()), Prefix: new("photos/")},
		CORS:          []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://a.example.com"}, AllowedMethods: []string{"GET"}}},
	}
	switch c.Name {
	case "aws":
		full.AWS = &v1alpha1.BucketAWS{ObjectOwnership: new("BucketOwnerEnforced"), BucketKey: new(false), BlockedEncryptionTypes: []string{}, TransferAcceleration: new("Suspended"), ObjectLock: new(false), Notifications: fullNotifications(c),
			Policy: []v1alpha1.PolicyStatement{}, Replication: &v1alpha1.BucketReplicationAWS{
				Role: new("arn:aws:iam::" + c.Account + ":role/shop-replication"), Rules: []v1alpha1.ReplicationRuleAWS{{Name: "photos", Priority: new(int32(1)), Prefix: new("photos/"), Bucket: "shop-copies"}},
			}}
		nameConfigurations(c, full.AWS, "photos/")
	case "gcp":
		full.GCP = fullStorage()
	}
	return full
}

// fullNotifications are whom S3 tells what happens to a bucket that declares everything.
func fullNotifications(c *Cloud) *v1alpha1.BucketNotificationsAWS {
	entry := func(name, service, destination string, events ...string) []v1alpha1.BucketNotificationAWS {
		return []v1alpha1.BucketNotificationAWS{{Name: name, ARN: "arn:aws:" + service + ":" + c.Region() + ":111111111111:" + destination, Events: events}}
	}
	return &v1alpha1.BucketNotificationsAWS{
		EventBridge: new(true),
		Queues:      entry("uploads", "sqs", "uploads", "s3:ObjectCreated:*"),
		Topics:      entry("deleted", "sns", "events", "s3:ObjectRemoved:*"),
		Functions:   entry("tags", "lambda", "function:audit", "s3:ObjectTagging:*"),
	}
}

// nameConfigurations sets the configurations that S3 keeps by their names, one of each sort, for the objects whose names begin with a prefix.
func nameConfigurations(c *Cloud, block *v1alpha1.BucketAWS, prefix string) {
	filter := v1alpha1.BucketObjectFilterAWS{Prefix: &prefix}
	block.Metrics = []v1alpha1.BucketMetricsAWS{{Name: "ours", BucketObjectFilterAWS: filter}}
	block.IntelligentTiering = []v1alpha1.BucketIntelligentTieringAWS{{Name: "ours", BucketObjectFilterAWS: filter, Status: new("Disabled"),
		Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: new(int32(90))}}}
	reports := "access-logs-" + c.Region()
	block.Analytics = []v1alpha1.BucketAnalyticsAWS{{Name: "ours", BucketObjectFilterAWS: filter, Export: &v1alpha1.BucketAnalyticsExportAWS{Bucket: reports}}}
	block.Inventory = []v1alpha1.BucketInventoryAWS{{Name: "ours", Enabled: new(true), Prefix: &prefix, Frequency: "Weekly", IncludedObjectVersions: "All",
		Destination: v1alpha1.BucketInventoryDestinationAWS{Bucket: reports, Format: "CSV"}}}
}

// BucketTarget is the kind Bucket in a cloud, whose connection Secrets are of a type.
func BucketTarget(cloud, service string, console func(*Cloud) Console, operations Operations, secret string) Target {
	declare := func(parameters func(*Cloud) v1alpha1.BucketParameters) func(*Cloud, metav1.ObjectMeta) client.Object {
		return func(c *Cloud, at metav1.ObjectMeta) client.Object {
			b := &v1alpha1.Bucket{ObjectMeta: at}
			b.Spec.ProviderConfigRef, b.Spec.BucketParameters = c.Ref(), parameters(c)
			return b
		}
	}
	return Target{
		Kind: "Bucket", Cloud: cloud, Service: service, Operations: operations, Console: console,
		New:     func() v1alpha1.ResourceObject { return &v1alpha1.Bucket{} },
		Minimal: declare(func(*Cloud) v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} }),
		Typical: declare(typicalBucket), Full: declare(FullBucket),
		Connect: func(o client.Object, secret string) {
			o.(*v1alpha1.Bucket).Spec.Connection = &v1alpha1.Connection{SecretName: secret}
		},
		SecretType: corev1.SecretType("servicebinding.io/" + secret),
		SetDeletionPolicy: func(o client.Object, p v1alpha1.DeletionPolicy) {
			o.(*v1alpha1.Bucket).Spec.DeletionPolicy = p
		},
		SetTags: func(o client.Object, tags map[string]v1alpha1.TagValue) { o.(*v1alpha1.Bucket).Spec.Tags = tags },
		More:    func(o client.Object) { o.(*v1alpha1.Bucket).Spec.Versioning = new(v1alpha1.VersioningEnabled) },
		Edit: func(o client.Object) {
			b := o.(*v1alpha1.Bucket)
			b.Spec.Versioning = new(v1alpha1.VersioningSuspended)
			if b.Spec.AWS != nil && b.Spec.AWS.Replication != nil {
				b.Spec.AWS.Replication.Rules = []v1alpha1.ReplicationRuleAWS{} // S3 copies versions
			}
			b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "sales"}
		},
		Field: "tags.theirs", Mirror: `"1"`,
	}
}

func typicalBucket(*Cloud) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "shop"}}
}
