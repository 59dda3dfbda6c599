package mem_test

import (
	"maps"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

func init() {
	trials = append(trials, func(cloud *mem.Cloud) drivertest.Trial { return bucketKind(cloud) })
}

// notified sends all events to one place.
func notified(arn string) []v1alpha1.BucketNotificationAWS {
	return []v1alpha1.BucketNotificationAWS{{Name: "all", ARN: arn, Events: []string{"s3:ObjectCreated:*"}}}
}

// statements is a policy.
func statements(effect string) []v1alpha1.PolicyStatement {
	return []v1alpha1.PolicyStatement{{Sid: "A", Effect: effect, Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"111111111111"}}, Actions: []string{"s3:GetObject"}}}
}

// copied copies all objects to one bucket.
func copied(bucket string) []v1alpha1.ReplicationRuleAWS {
	return []v1alpha1.ReplicationRuleAWS{{Name: "all", Priority: new(int32(1)), Bucket: bucket, KMSEncryptedObjects: new(true), EncryptionKey: new("key-of-" + bucket)}}
}

func bucketKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.BucketParameters] {
	edit := func(t testing.TB, name string, change func(*mem.Bucket)) {
		t.Helper()
		if !mem.Buckets(cloud).Edit(account, name, change) {
			t.Fatalf("no bucket %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	kind := &drivertest.Kind[v1alpha1.BucketParameters]{
		Name: "Bucket",
		Full: func() v1alpha1.BucketParameters {
			return v1alpha1.BucketParameters{
				Location: new(region), Versioning: new(v1alpha1.VersioningEnabled), PublicAccess: new(v1alpha1.PublicAccessBlocked),
				Encryption: &v1alpha1.Encryption{Key: new("key-1")},
				Website:    &v1alpha1.BucketWebsite{IndexDocument: new("index.html")},
				Logging:    &v1alpha1.BucketLogging{Bucket: new("logs-1")},
				Retention:  &v1alpha1.BucketRetention{Days: new(int32(7))},
				CORS:       []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}},
				Lifecycle:  []v1alpha1.LifecycleRule{{Name: "tmp", ExpireAfterDays: new(int32(30))}},
				Tags:       map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
				AWS: &v1alpha1.BucketAWS{
					Policy: statements("Deny"), Metrics: []v1alpha1.BucketMetricsAWS{{Name: "a"}}, IntelligentTiering: []v1alpha1.BucketIntelligentTieringAWS{{Name: "a"}},
					Analytics: []v1alpha1.BucketAnalyticsAWS{{Name: "a"}}, Inventory: []v1alpha1.BucketInventoryAWS{{Name: "a"}},
					Notifications: &v1alpha1.BucketNotificationsAWS{Queues: notified("queue-1"), Topics: notified("topic-1"), Functions: notified("function-1")},
					Replication:   &v1alpha1.BucketReplicationAWS{Role: new("role-1"), Rules: copied("copies-1")},
				},
				GCP: &v1alpha1.BucketGCP{
					IAMBindings:   []v1alpha1.BucketIAMBinding{{Role: "roles/reader", Members: []string{"user:a"}}},
					Notifications: []v1alpha1.BucketNotificationGCP{{Topic: "topic-2"}},
					IPFilter:      &v1alpha1.BucketIPFilter{Networks: []v1alpha1.BucketIPFilterNetwork{{Network: "network-1", AllowedCIDRs: []string{"10.0.0.0/8"}}}},
				},
			}
		},
		Minimal: func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields: []drivertest.Field{
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "versioning", To: "Suspended"},
			{Name: "publicAccess", To: "Allowed", Safe: "Blocked"},
			{Name: "encryption.key", To: "key-2"},
			{Name: "aws.policy", To: statements("Allow")},
			{Name: "gcp.iamBindings", To: []v1alpha1.BucketIAMBinding{{Role: "roles/reader", Members: []string{"user:b"}}}},
			{Name: "website.indexDocument", To: "home.html", Dependents: []string{"website.errorDocument"}},
			{Name: "logging.bucket", To: "logs-2", Dependents: []string{"logging.prefix"}},
			{Name: "retention.days", To: 30, Dependents: []string{"retention.locked"}},
			{Name: "cors", To: []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://b"}, AllowedMethods: []string{"PUT"}}, {AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}},
			{Name: "lifecycle", To: []v1alpha1.LifecycleRule{{Name: "tmp", Prefix: new("tmp/"), ExpireAfterDays: new(int32(7))}, {Name: "uploads", AbortUploadsAfterDays: new(int32(7))}}},
			{Name: "aws.metrics", To: []v1alpha1.BucketMetricsAWS{{Name: "b"}}},
			{Name: "aws.intelligentTiering", To: []v1alpha1.BucketIntelligentTieringAWS{{Name: "b"}}},
			{Name: "aws.analytics", To: []v1alpha1.BucketAnalyticsAWS{{Name: "b"}}},
			{Name: "aws.inventory", To: []v1alpha1.BucketInventoryAWS{{Name: "b"}}},
			{Name: "aws.notifications.queues", To: notified("queue-2")},
			{Name: "aws.notifications.topics", To: notified("topic-2")},
			{Name: "aws.notifications.functions", To: notified("function-2")},
			{Name: "aws.replication.role", To: "role-2"},
			{Name: "aws.replication.rules", To: copied("copies-2")},
			{Name: "gcp.ipFilter.networks", To: []v1alpha1.BucketIPFilterNetwork{{Network: "network-2", AllowedCIDRs: []string{"10.0.0.0/8"}}}},
			{Name: "gcp.notifications", To: []v1alpha1.BucketNotificationGCP{{Topic: "topic-3"}}},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
		},
		Reads: 1, MinimalReads: 1,
		HasID: true, Lists: true, GlobalNames: true, Contents: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(b *mem.Bucket) { drivertest.SetField(t, &b.Spec, field, value) })
			},
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(b *mem.Bucket) { labels = maps.Clone(b.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(b *mem.Bucket) { b.Labels = maps.Clone(labels) })
			},
			Remove: func(_ testing.TB, name string) { mem.Buckets(cloud).Remove(account, name) },
			Fill:   func(t testing.TB, name string) { edit(t, name, func(b *mem.Bucket) { b.Objects = 2500 }) },
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
	return kind.PlainFields("forceDestroy")
}
