package mem

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfBuckets(t *testing.T) {
	tabletest.Effects(t, bucketTable, []tabletest.Example[v1alpha1.BucketParameters, Bucket]{
		tabletest.Of("location", v1alpha1.BucketParameters{Location: new("b")}, Bucket{Spec: v1alpha1.BucketParameters{Location: new("a")}}, driver.Impossible),
		tabletest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, Bucket{}, driver.Online),
		tabletest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed)}, Bucket{Spec: v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessBlocked)}}, driver.Online),
		tabletest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("k")}}, Bucket{}, driver.Online),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("i")}}, Bucket{}, driver.Online),
		tabletest.Of("logging.bucket", v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Bucket: new("l")}}, Bucket{}, driver.Online),
		tabletest.Of("retention.days", v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: new(int32(7))}}, Bucket{}, driver.Online),
		tabletest.Of("cors", v1alpha1.BucketParameters{CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.policy", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{{Sid: "A"}}}}, Bucket{}, driver.Online),
		tabletest.Of("gcp.iamBindings", v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{IAMBindings: []v1alpha1.BucketIAMBinding{{Role: "a"}}}}, Bucket{}, driver.Online),
		tabletest.Of("lifecycle", v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "tmp", ExpireAfterDays: new(int32(30))}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.notifications.queues", notifying(v1alpha1.BucketNotificationsAWS{Queues: []v1alpha1.BucketNotificationAWS{{Name: "a"}}}), Bucket{}, driver.Online),
		tabletest.Of("aws.notifications.topics", notifying(v1alpha1.BucketNotificationsAWS{Topics: []v1alpha1.BucketNotificationAWS{{Name: "a"}}}), Bucket{}, driver.Online),
		tabletest.Of("aws.notifications.functions", notifying(v1alpha1.BucketNotificationsAWS{Functions: []v1alpha1.BucketNotificationAWS{{Name: "a"}}}), Bucket{}, driver.Online),
		tabletest.Of("aws.replication.role", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{Role: new("a")}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.replication.rules", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{Rules: []v1alpha1.ReplicationRuleAWS{{Name: "a"}}}}}, Bucket{}, driver.Online),
		tabletest.Of("gcp.notifications", v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{Notifications: []v1alpha1.BucketNotificationGCP{{Topic: "t"}}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.metrics", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Metrics: []v1alpha1.BucketMetricsAWS{{Name: "a"}}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.intelligentTiering", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{IntelligentTiering: []v1alpha1.BucketIntelligentTieringAWS{{Name: "a"}}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.analytics", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Analytics: []v1alpha1.BucketAnalyticsAWS{{Name: "a"}}}}, Bucket{}, driver.Online),
		tabletest.Of("aws.inventory", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Inventory: []v1alpha1.BucketInventoryAWS{{Name: "a"}}}}, Bucket{}, driver.Online),
		tabletest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, Bucket{}, driver.Online),
	})
}

// notifying is a spec with notifications.
func notifying(n v1alpha1.BucketNotificationsAWS) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Notifications: &n}}
}
