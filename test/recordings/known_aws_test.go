package recordings

import "testing"

// An uncalled entry sets aside the recordings of calls that no driver makes. They are still decoded.
type uncalled struct {
	call  string // a pattern of path.Match: a call of RDS, or a case and step of S3
	why   string
	cases int
}

// setAside reports whether an entry sets a call aside, and counts it.
func setAside(entries []*uncalled, call string) bool {
	for _, entry := range entries {
		if matches([]string{entry.call}, call) {
			entry.cases++
			return true
		}
	}
	return false
}

// wantNoStaleCalls fails for entries that set nothing aside any more.
func wantNoStaleCalls(t *testing.T, entries []*uncalled) {
	t.Helper()
	for _, entry := range entries {
		if entry.cases == 0 {
			t.Errorf("an entry of the list sets nothing aside any more: %s (%s)", entry.call, entry.why)
		}
	}
}

// Reasons that several entries share.
const (
	edited          = "weaker evidence, as those who recorded it filled it in by hand: "
	clusters        = otherFeature + "clusters of instances, such as Aurora's"
	proxies         = otherFeature + "proxies"
	shownSince      = "shown since a later time than that of the recording"
	preflights      = "requests of browsers for objects, which the stand-in does not answer"
	objectsOfOthers = "objects are those of the applications: the driver deletes them, and nothing else"
	listed          = "the driver lists all of the sort by one call"
	sharing         = otherFeature + "snapshots that are copied or shared; the driver takes a final one and looks for it"
)

// uncalledByDatabases are the calls of RDS that were recorded and that the driver does not make.
var uncalledByDatabases = []*uncalled{
	{call: "*DBCluster*", why: clusters},
	{call: "DescribeDBShardGroups", why: clusters},
	{call: "C*DBParameterGroup", why: "the driver reads nothing of the answer, which repeats the call"},
	{call: "DescribeOptionGroups", why: "the driver names an option group, and reads none"},
	{call: "DescribeDBEngineVersions", why: "the driver knows no list of versions: it asks for one and is refused"},
	{call: "*DBProx*", why: proxies},
	{call: "*EventSubscription*", why: otherFeature + "messages about events"},
	{call: "*DBSubnetGroup*", why: "subnet groups are made by people: the stand-in has some in every account"},
	{call: "CopyDBSnapshot", why: sharing},
	{call: "*DBSnapshotAttribute*", why: sharing},
	{call: "DescribeReservedDBInstances", why: otherFeature + "reservations, which are a matter of payment"},
}

// knownOfDecoding are the recorded answers of RDS that the SDK can't decode as they are.
var knownOfDecoding = []*known{
	{call: "test_rdscluster_snapshot_count_filter/DescribeDBClusters", path: "", why: edited + "the endpoint of a cluster is text"},
}

// uncalledByBuckets are the calls of S3 in s3Cases that the driver does not make. The stand-in still answers them.
var uncalledByBuckets = []*uncalled{
	{call: "GetBucketAcl", why: "new buckets have access lists switched off, and are left so"},
	{call: "Delete*Encryption", why: "the driver sets S3's own key instead, which is the same"},
	{call: "DeletePublicAccessBlock", why: "the driver switches the blocks off instead"},
	{call: "DeleteBucketTagging", why: "a bucket always has the tags of its mark"},
	{call: "GetBucketMetricsConfiguration", why: listed},
	{call: "GetBucketAnalyticsConfiguration", why: listed},
	{call: "GetBucketInventoryConfiguration", why: listed},
	{call: "GetBucketLocation", why: "S3 says where a bucket is when it is asked for in another region"},
	{call: "ListObjectsV2", why: "versions are listed, which are all that there is to delete"},
	{call: "PutObject", why: objectsOfOthers},
	{call: "DeleteObject", why: "objects are deleted many at a time"},
}

// unknownToS3 are the recorded answers of S3 to calls that neither the driver nor the stand-in knows.
var unknownToS3 = []*uncalled{
	{call: "test_bucket_does_not_exist/list_object_vhost", why: "the same call by another host name"},
	{call: "*lifecycle*/*object*", why: "objects whose answers say when they expire, which the stand-in does not"},
	{call: "test_bucket_notifications_with_filter/message", why: "a message that a queue got"},
	{call: "test_bucket_ownership_controls_exc/ownership-non-value-at-creation", why: "an empty header, which the SDK does not send"},
	{call: "test_copy_in_place_with_bucket_encryption/*obj", why: objectsOfOthers},
	{call: "test_cors_*/*", why: preflights},
	{call: "test_create_bucket_aws_global/xml-error-create-bucket", why: "a signature for a region that does not exist, which no SDK makes"},
	{call: "test_create_bucket_head_bucket/*_filtered_header", why: "the headers of the answer before, which the SDK has decoded"},
	{call: "test_delete_bucket_with_content/list-objects", why: "the first version of listing, which the stand-in does not know"},
	{call: "test_empty_bucket_fixture/list-obj", why: "objects with the checksums of their uploads, which the stand-in does not keep"},
	{call: "test_object_lock_*/*", why: otherFeature + "locks of objects"},
	{call: "test_s3_object_lock_mode_validation/*", why: otherFeature + "locks of objects"},
	{call: "test_post_request_malformed_policy*/*", why: "uploads by forms of a browser"},
	{call: "test_s3_bucket_acl*/*", why: "new buckets have access lists switched off, and are left so"},
	{call: "test_s3_bucket_encryption_*/*object*", why: objectsOfOthers},
	{call: "test_s3_bucket_encryption_*/managed-kms-key", why: "an answer of KMS"},
	{call: "test_s3_copy_tagging_directive*/*", why: objectsOfOthers},
	{call: "test_s3_sse_bucket_key_default/*-obj-*", why: objectsOfOthers},
	{call: "test_website_hosting_*/*", why: "pages of web sites, which the stand-in does not serve"},
}

// knownOfS3 are the differences between the local S3 and the recordings.
var knownOfS3 = []*known{
	{call: "test_replication_config*/GetBucketReplication", path: "ReplicationConfiguration.Role", why: copyRoles},
	{call: "test_replication_config*/GetBucketReplication", path: `ReplicationConfiguration.Rules\[].Destination.Bucket`, why: copyRoles},
	{call: "test_create_bucket_with_tags_exc/CreateBucket", path: "status", why: "S3 fails with 500 where a tag is named twice, and the stand-in refuses it: no driver names one twice"},
	{call: "test_*encryption*/GetBucketEncryption", path: `ServerSideEncryptionConfiguration.Rules\[].BlockedEncryptionTypes`, why: "S3 blocks SSE-C on new buckets since April 2026", newer: true},
	{call: "test_delete_object_on_suspended_bucket/PutObject", path: "Checksum*", why: "the stand-in keeps no checksums of objects: " + objectsOfOthers},
	{call: "test_delete_object_on_suspended_bucket/ListObjectVersions", path: `Versions\[].Checksum*`, why: "the stand-in keeps no checksums of objects: " + objectsOfOthers},
}

// undriven are the recorded instances that the stand-in can't have, by case, engine and status.
var undriven = []*uncalled{
	{call: "*/aurora/*", why: clusters},
	{call: "*/oracle-ee/*", why: otherFeature + "the engine Oracle"},
	{call: "*/*/failed", why: "a failure of the hardware, which the stand-in does not have: see TestInstancesReplayed"},
	{call: "test_rds_modify_db/*/*", why: edited + "half of the fields are missing"},
	{call: "test_rds_modify_db_enable_cloudwatch/*/*", why: edited + "most fields are missing"},
	{call: "test_rdsparamgroup_unused/*/*", why: edited + "most fields are missing"},
	{call: "test_rds_snapshot_count_filter/*/*", why: edited + "the values are those of the documentation's sample"},
}

// knownOfInstances are the differences between the instances of the local RDS and the recorded ones.
var knownOfInstances = []*known{
	{call: "*/*", path: "DBSubnetGroup.Subnets", why: "the stand-in shows the name and the VPC of a subnet group"},
	{call: "test_rds_retention/DescribeDBInstances", path: "KmsKeyId", why: otherFeature + "read replicas, which show no key of their own here", newer: true},
	{call: "*/*", path: "LatestRestorableTime", why: "there once RDS has saved changes for the first time", newer: true},
	{call: "*/*", path: "SecondaryAvailabilityZone", why: "there once RDS has made the standby", newer: true},
	{call: "*/*", path: "CertificateDetails", why: shownSince, newer: true},
	{call: "test_rds_minor_upgrade_do/ModifyDBInstance", path: "PendingModifiedValues.EngineVersion", why: "RDS took a change of an instance that it was still creating; the stand-in refuses it, so that drivers wait"},
	{call: "*/*", path: "ActivityStreamStatus", why: shownSince, newer: true},
	{call: "*/*", path: "AutomaticRestartTime", why: shownSince, newer: true},
	{call: "*/*", path: "BackupTarget", why: shownSince, newer: true},
	{call: "*/*", path: "CustomerOwnedIpEnabled", why: shownSince, newer: true},
	{call: "*/*", path: "DBInstanceArn", why: shownSince, newer: true},
	{call: "*/*", path: "DedicatedLogVolume", why: shownSince, newer: true},
	{call: "*/*", path: "DeletionProtection", why: shownSince, newer: true},
	{call: "*/*", path: "EngineLifecycleSupport", why: shownSince, newer: true},
	{call: "*/*", path: "Endpoint.HostedZoneId", why: shownSince, newer: true},
	{call: "*/*", path: "IAMDatabaseAuthenticationEnabled", why: shownSince, newer: true},
	{call: "test_rds_minor_upgrade_do/*", path: "EnhancedMonitoringResourceArn", why: "there once RDS has begun to monitor", newer: true},
	{call: "*/*", path: "DatabaseInsightsMode", why: shownSince, newer: true},
	{call: "*/*", path: "PerformanceInsightsEnabled", why: shownSince, newer: true},
	{call: "*/*", path: "NetworkType", why: shownSince, newer: true},
	{call: "*/*", path: "StorageThroughput", why: shownSince, newer: true},
	{call: "*/*", path: "TagList", why: shownSince, newer: true},
	{call: "*/*", path: "AssociatedRoles", why: shownSince, newer: true},
}
