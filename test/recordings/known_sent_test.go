package recordings

// Why the driver's requests differ from the recorded ones.
const (
	inSeconds      = "a period that is no whole number of days, which no spec can say: TestMoreBucketsReplayed has it in words"
	theDefault     = "false is what a new bucket has without it, and the client library leaves it out"
	guarded        = "the driver changes what it has read, and nothing that somebody changed since: the cloud refuses the call then"
	kinds          = "the type of a block, which Cloud SQL fills in"
	ownMark        = "the mark of the object"
	logsFollow     = "no field says for how many days logs are kept: the driver keeps them as long as backups, up to what the edition takes, or as somebody chose"
	checkedFirst   = "Cloud SQL looks first for what is in the way of an upgrade, and the driver patches once it found nothing"
	wholeBucket    = "an empty filter and one with an empty prefix both select all objects"
	neverVersioned = "a bucket that was never versioned keeps no versions either, so the driver leaves it"
	filterByPatch  = "the driver sets the filter by a call of its own, once the bucket has the access that it needs to see it"
)

// knownOfSentBuckets are the differences between what the driver sends to Cloud Storage and the recorded requests.
var knownOfSentBuckets = []*known{
	{call: "*/buckets.insert", path: "labels.mooring-*", why: ownMark},
	{call: "replay2019-*/buckets.insert", path: "iamConfiguration.publicAccessPrevention", why: "newer than the recording", newer: true},
	{call: "*/buckets.insert", path: "iamConfiguration.uniformBucketLevelAccess.enabled", why: theDefault},
	{call: "*/buckets.insert", path: "versioning.enabled", why: theDefault},
	{call: "*/buckets.patch", path: "[?]ifMetagenerationMatch", why: guarded, newer: true},
	{call: "*/buckets.*", path: "retentionPolicy.retentionPeriod", why: inSeconds},
	{call: "replay2019-*-0001/buckets.patch", path: "iamConfiguration.bucketPolicyOnly.enabled", why: "the former name of uniformBucketLevelAccess, which the driver reads by its name of today alone"},
	{call: "replay2019-*-00[02]2/buckets.insert", path: "lifecycle.rule", why: "rules with createdBefore, and with versions of live objects, are said in words"},
	{call: "replay2019-*-0003/buckets.delete", path: "[?]userProject", why: "the bucket's clients pay, so the driver names who pays", newer: true},
	{call: "replay2019-*-0019/buckets.patch", path: "encryption", why: "the client library takes away the key in the block, and not the block: a merge has the same end"},
	{call: "replay2019-*-0020/buckets.insert", path: "[?]predefined*", why: otherFeature + "access lists"},
	{call: "replay2019-*-0020/buckets.patch", path: "acl", why: otherFeature + "access lists"},
	{call: "replay2019-*-0020/buckets.patch", path: "defaultObjectAcl", why: otherFeature + "access lists"},
	{call: "storagebucketipfilter/buckets.insert", path: "ipFilter.*", why: filterByPatch},
	{call: "storagebucketipfilter/buckets.insert", path: "also buckets.patch", why: filterByPatch, newer: true},
	{call: "storagenotificationbase/notifications.insert", path: "topic", why: "Cloud Storage takes the name of a topic with its host, in which it answers, and without"},
}

// unsentToDatabases are recorded changes that no spec asks for.
var unsentToDatabases = []*uncalled{
	{call: "sqlinstance-multithreading-direct/*", why: otherEngine},
	{call: "sqlinstance-sqlserver-minimal-direct/*", why: otherEngine},
	{call: "*/users.delete", why: "the driver deletes no user"},
	{call: "*/databases.update", why: otherFeature + "changes of a database's collation"},
	{call: "*/databases.delete", why: "the driver deletes no database"},
	{call: "*/instances.clone", why: "no answer shows of what an instance was cloned; the driver clones a point in time"},
}

// knownOfSentDatabases are the differences between what the driver sends to Cloud SQL and the recorded requests.
var knownOfSentDatabases = []*known{
	{call: "*/instances.insert", path: "settings.userLabels.mooring-*", why: ownMark},
	{call: "*/instances.insert", path: "rootPassword", why: "each server has a password of ours from the start", newer: true},
	{call: "*/instances.insert", path: "*kind", why: kinds},
	{call: "*/instances.insert", path: "instanceType", why: "what an instance is that has no primary, and Cloud SQL fills it in"},
	{call: "*/instances.insert", path: "settings.replicationType", why: "of the first generation of instances, which are gone"},
	{call: "*/instances.insert", path: "settings.pricingPlan", why: "PER_USE is the only plan left"},
	{call: "*/instances.insert", path: "settings.activationPolicy", why: "a new instance runs; to stop it is a call of its own"},
	{call: "*/instances.insert", path: "settings.storageAutoResize", why: "a disk grows unless a call says otherwise"},
	{call: "sqlinstance-postgres-replication/instances.insert", path: "settings.storageAutoResizeLimit", why: "0 is no limit, as it is without"},
	{call: "*/instances.insert", path: "settings.ipConfiguration.serverCaMode", why: "the default of a new instance, which these answers do not show", newer: true},
	{call: "*/instances.insert", path: "settings.passwordValidationPolicy.complexity", why: "the default of a policy, which these answers do not show", newer: true},
	{call: "*/instances.insert", path: "settings.backupConfiguration.transactionLogRetentionDays", why: logsFollow},
	{call: "*/instances.update", path: "settings.backupConfiguration.transactionLogRetentionDays", why: logsFollow},
	{call: "sqlinstance-retainedbackups-default/instances.insert", path: "settings.backupConfiguration.backupRetentionSettings.*", why: "how many backups are kept once they are switched on: a spec says 0 while they are off"},
	{call: "*/*", path: "settings.backupConfiguration.location", why: otherFeature + "the place of backups"},
	{call: "*/*", path: "settings.ipConfiguration.enablePrivatePathForGoogleCloudServices", why: otherFeature + "a way for services of Google"},
	{call: "*/*", path: "settings.ipConfiguration.authorizedNetworks", why: "those who recorded it emptied the networks in the answers, so that no mirror has them"},
	{call: "*/instances.update", path: "call", why: "the driver replaces nothing as a whole: it patches what differs"},
	{call: "sqlinstance-retainedbackups-default/instances.update", path: "settings.backupConfiguration.pointInTimeRecoveryEnabled", why: "false is as it was"},
	{call: "sqlinstance-locationpreference-direct/instances.update", path: "settings.availabilityType", why: noBackups},
	{call: "sqlinstance-locationpreference-direct/instances.update", path: "refused availability", why: noBackups, newer: true},
	{call: "*-minimal-direct/instances.patch", path: "also instances.preCheckMajorVersionUpgrade", why: checkedFirst, newer: true},
	{call: "*-minimal-direct/instances.patch", path: "databaseVersion", why: checkedFirst},
	{call: "sqlinstance-postgres-direct/instances.patch", path: "maintenanceVersion", why: otherFeature + "maintenance by its version"},
	{call: "sqlinstance-unmanage-fields/instances.insert", path: "replicaConfiguration.*", why: otherFeature + "replicas of servers elsewhere"},
	{call: "*/databases.insert", path: "project", why: "the driver says in the body what the path says", newer: true},
	{call: "*/databases.insert", path: "c*", why: otherFeature + "the collation and character set of a database"},
	{call: "sqluser-full/users.insert", path: "passwordPolicy.*", why: otherFeature + "rules for the passwords of one user"},
	{call: "sqluser-full/users.*", path: "instance", why: "the path says it"},
	{call: "sqluser-full/users.*", path: "host", why: otherFeature + "users of single hosts"},
}

// knownOfSentS3 are the differences between the driver's documents and those of the recorded cases of S3.
var knownOfSentS3 = []*known{
	{call: "*/PutBucketPolicy", path: `Statement\[].Sid`, why: "the test gives the recorded statement a name, since no spec says one without", newer: true},
	{call: "test_s3_inventory_report_crud/PutBucketInventoryConfiguration", path: `OptionalFields.Field\[]`, why: "the columns of a report are a set"},
	{call: "test_bucket_lifecycle_*/PutBucketLifecycleConfiguration", path: "Rule.Filter", why: wholeBucket},
	{call: "test_lifecycle_expired_object_delete_marker/PutBucketLifecycleConfiguration", path: "Rule.Filter", why: wholeBucket},
	{call: "test_replication_config_without_filter/PutBucketReplication", path: "Rule.Filter", why: wholeBucket},
	{call: "test_bucket_versioning_crud/PutBucketVersioning", path: "calls", why: neverVersioned},
	{call: "test_bucket_versioning_crud/PutBucketVersioning", path: "Status", why: neverVersioned},
	{call: "test_s3_bucket_encryption_sse_kms_aws_managed_key/PutBucketEncryption", path: "Rule.ApplyServerSideEncryptionByDefault.KMSMasterKeyID", why: "the driver names AWS's own key of KMS, which is the one that S3 takes where none is named", newer: true},
}

// uncreated are recorded instances that no spec asks for, by case and engine.
var uncreated = []*uncalled{
	{call: "*/aurora*", why: clusters},
	{call: "*/oracle-ee", why: otherFeature + "the engine Oracle"},
}

// knownOfSentInstances are the parameters of a creation that the recorded instance does not show.
var knownOfSentInstances = []*known{
	{call: "*/*", path: "Tags.mooring-*", why: ownMark},
	{call: "*/*", path: "Action", why: "what the form calls"},
	{call: "*/*", path: "Version", why: "of the API"},
	{call: "*/*", path: "MasterUserPassword", why: "which no answer shows"},
	{call: "*/*", path: "DatabaseInsightsMode", why: shownSince},
	{call: "*/*", path: "StorageEncrypted", why: "the driver makes no server without encryption: a spec can't ask for one, and a mirror does not say it"},
	{call: "*/*", path: "AllocatedStorage", why: "of the time when a disk could have 5 GiB: the driver asks for the 20 that are the least today"},
	{call: "*/modified *", path: "ApplyImmediately", why: "Mooring waits for windows itself, and then sends all at once"},
	{call: "test_rds_modify_db/modified mysql", path: "refused engine", why: edited + "the engine is another one before"},
	{call: "test_rds_modify_db/", path: "refused", why: edited + "there is no engine"},
	{call: "test_rds_snapshot_count_filter/postgres", path: "refused", why: edited + "the logs have the name of a type"},
	{call: "test_rdsparamgroup_unused/mysql", path: "StorageType", why: edited + "most fields are missing"},
	{call: "*/postgres", path: "DBName", why: "a server with no first database has the one of the engine, and so says the mirror"},
}
