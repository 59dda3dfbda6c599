package s3

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfBuckets(t *testing.T) {
	tabletest.Effects(t, rows, []tabletest.Example[v1alpha1.BucketParameters, bucket]{
		tabletest.Of("location", v1alpha1.BucketParameters{Location: new("eu-west-1")}, bucket{region: "eu-central-1"}, driver.Impossible),
		tabletest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, bucket{}, driver.Online),
		tabletest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed)},
			bucket{publicAccess: new(v1alpha1.PublicAccessBlocked)}, driver.Online),
		tabletest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("arn:aws:kms:eu-central-1:1:key/a")}},
			bucket{key: new("")}, driver.Online),
		tabletest.Of("aws.transferAcceleration", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{TransferAcceleration: new("Enabled")}},
			bucket{acceleration: new("Suspended")}, driver.Online),
		tabletest.Of("aws.transferAcceleration", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{TransferAcceleration: new("Suspended")}},
			bucket{acceleration: new("Enabled")}, driver.Interrupts),
		tabletest.Of("aws.bucketKey", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{BucketKey: new(true)}}, bucket{bucketKey: new(false)}, driver.Online),
		tabletest.Of("aws.blockedEncryptionTypes", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{BlockedEncryptionTypes: []string{}}},
			bucket{blocked: blockedInNew}, driver.Online),
		tabletest.Of("aws.blockedEncryptionTypes", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{BlockedEncryptionTypes: []string{"SSE-C"}}},
			bucket{blocked: []string{}}, driver.Interrupts),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(true)}, bucket{requesterPays: new(false)}, driver.Interrupts),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(false)}, bucket{requesterPays: new(true)}, driver.Online),
		tabletest.Of("aws.objectOwnership", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectOwnership: new("ObjectWriter")}},
			bucket{ownership: new("BucketOwnerEnforced")}, driver.Online),
		tabletest.Of("aws.objectOwnership", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectOwnership: new("BucketOwnerEnforced")}},
			bucket{ownership: new("BucketOwnerPreferred")}, driver.Interrupts),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("i")}}, bucket{}, driver.Online),
		tabletest.Of("website.errorDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{ErrorDocument: new("e")}}, bucket{}, driver.Online),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{}}, bucket{index: new("i")}, driver.Interrupts),
		tabletest.Of("website.errorDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{}}, bucket{errorDocument: new("e")}, driver.Interrupts),
		tabletest.Of("website.redirectAllRequestsTo", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{RedirectAllRequestsTo: new("h")}}, bucket{}, driver.Online),
		tabletest.Of("logging.bucket", v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Bucket: new("l")}}, bucket{}, driver.Online),
		tabletest.Of("logging.prefix", v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Prefix: new("p")}}, bucket{}, driver.Online),
		tabletest.Of("retention.days", retained(7, nil), bucket{retentionDays: new(int32(0))}, driver.Irreversible),
		tabletest.Of("retention.days", retained(7, nil), bucket{retentionDays: new(int32(0)), objectLock: new(true)}, driver.Online),
		tabletest.Of("retention.days", retained(7, nil), bucket{retentionDays: new(int32(1)), retentionLocked: new(true), objectLock: new(true)}, driver.Irreversible),
		tabletest.Of("retention.days", v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{}}, bucket{retentionDays: new(int32(1)), retentionLocked: new(true), objectLock: new(true)}, driver.Online),
		tabletest.Of("aws.objectLock", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectLock: new(true)}}, bucket{objectLock: new(false)}, driver.Irreversible),
		tabletest.Of("aws.objectLock", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectLock: new(false)}}, bucket{objectLock: new(true)}, driver.Impossible),
		tabletest.Of("retention.locked", retained(7, new(true)), bucket{retentionDays: new(int32(7)), retentionLocked: new(false), objectLock: new(true)}, driver.Irreversible),
		tabletest.Of("retention.locked", retained(7, new(false)), bucket{retentionDays: new(int32(7)), retentionLocked: new(true), objectLock: new(true)}, driver.Online),
		tabletest.Of("aws.notifications.eventBridge", telling(v1alpha1.BucketNotificationsAWS{EventBridge: new(true)}), bucket{}, driver.Online),
		tabletest.Of("aws.notifications.queues", telling(v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "a"}}}), bucket{}, driver.Online),
		tabletest.Of("aws.notifications.topics", telling(v1alpha1.BucketNotificationsAWS{Topics: []notified{{Name: "a"}}}), bucket{}, driver.Online),
		tabletest.Of("aws.notifications.functions", telling(v1alpha1.BucketNotificationsAWS{Functions: []notified{{Name: "a"}}}), bucket{}, driver.Online),
		tabletest.Of("aws.replication.role", copying("role", "a"), bucket{}, driver.Online),
		tabletest.Of("aws.replication.rules", copying("role", "a"), bucket{replicationRole: new("role")}, driver.Online),
		tabletest.Of("aws.metrics", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Metrics: []v1alpha1.BucketMetricsAWS{{Name: "a"}}}}, bucket{}, driver.Online),
		tabletest.Of("aws.intelligentTiering", archiving("Enabled", 90), bucket{}, driver.Interrupts),
		tabletest.Of("aws.intelligentTiering", archiving("Enabled", 90), holding(archiving("Enabled", 180)), driver.Interrupts),
		tabletest.Of("aws.intelligentTiering", archiving("Enabled", 90), holding(archiving("Disabled", 90)), driver.Interrupts),
		tabletest.Of("aws.intelligentTiering", archiving("Enabled", 180), holding(archiving("Enabled", 90)), driver.Online),
		tabletest.Of("aws.intelligentTiering", archiving("Enabled", 90), holding(of(archiving("Enabled", 90), "a/")), driver.Interrupts),
		tabletest.Of("aws.intelligentTiering", archiving("Disabled", 90), holding(archiving("Enabled", 90)), driver.Online),
		tabletest.Of("aws.analytics", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Analytics: []analysis{{Name: "a"}}}}, bucket{}, driver.Online),
		tabletest.Of("aws.inventory", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Inventory: []inventory{{Name: "a"}}}}, bucket{}, driver.Online),
		tabletest.Of("cors", v1alpha1.BucketParameters{CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}}, bucket{}, driver.Online),
		tabletest.Of("lifecycle", v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "a", AbortUploadsAfterDays: new(int32(1))}}}, bucket{}, driver.Online),
		tabletest.Of("lifecycle", v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "a", ExpireAfterDays: new(int32(1))}}}, bucket{}, driver.Irreversible),
		tabletest.Of("lifecycle", v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "a", Transitions: []v1alpha1.LifecycleTransition{{AfterDays: new(int32(1)), StorageClass: "Archive"}}}}}, bucket{}, driver.Interrupts),
		tabletest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, bucket{}, driver.Online),
	})
}

// telling is a spec with notifications.
func telling(n v1alpha1.BucketNotificationsAWS) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Notifications: &n}}
}

// copying is a spec of a bucket that copies to another.
func copying(role, bucket string) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{Role: &role, Rules: []replicationRule{{Name: "a", Bucket: bucket}}}}}
}

// archiving is a spec with an entry that moves objects to an archive.
func archiving(status string, days int32) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{IntelligentTiering: []tiering{{Name: "a", Status: &status, Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: &days}}}}}
}

// of returns a spec whose entry is about the objects of a prefix alone.
func of(spec v1alpha1.BucketParameters, prefix string) v1alpha1.BucketParameters {
	spec.AWS.IntelligentTiering[0].Prefix = &prefix
	return spec
}

// holding is a bucket that has the tierings of a spec.
func holding(spec v1alpha1.BucketParameters) bucket {
	return bucket{tierings: &spec.AWS.IntelligentTiering}
}

// retained is a spec with a retention.
func retained(days int32, locked *bool) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: &days, Locked: locked}}
}
