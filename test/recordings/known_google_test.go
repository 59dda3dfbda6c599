package recordings

// Reasons that several entries share.
const (
	otherEngine   = "SQL Server: an engine that Mooring does not have"
	otherFeature  = "a feature that Mooring does not have: "
	noBackups     = "high availability without backups, which the documentation refuses: harsher"
	takesTime     = "the stand-in lets work on users and databases take time, which the cloud has done at once: harsher, so that drivers are tested with it"
	newerThanThat = "shown since a later version of the API, and read by no driver: "
)

// knownOfBuckets are the differences between the local Cloud Storage and the recordings.
var knownOfBuckets = []*known{
	{call: "*/bucketAccessControls", path: "*", why: otherFeature + "access lists of buckets"},
	{call: "storagebucketaccesscontrol/buckets.get", path: "metageneration", why: otherFeature + "access lists of buckets, whose edits count"},
	{call: "*/buckets.patch", path: "acl", why: otherFeature + "access lists; an answer to a patch shows them unless the client asks for less"},
	{call: "*/buckets.patch", path: "defaultObjectAcl", why: otherFeature + "access lists of new objects"},
	{call: "*/buckets.patch", path: "owner", why: otherFeature + "access lists and their owner"},
	{call: "*/objects.list", path: "prefixes", why: "from the mock of those who recorded it, as the recordings' own notes say"},
	{call: "storagebucketaccesscontrol/buckets.*", path: "generation", why: "an older recording; all others have it"},
	{call: "storagemanagedfolder-maximal/buckets.*", path: "satisfiesPZI", why: "zone isolation, which depends on the project and is read by no driver"},
}

// knownOfDatabases are the differences between the local Cloud SQL and the recordings.
var knownOfDatabases = []*known{
	{call: "sqlinstance-multithreading-direct/*", path: "*", why: otherEngine},
	{call: "sqlinstance-sqlserver-minimal-direct/*", path: "*", why: otherEngine},
	{call: "sqlinstance-locationpreference-direct/instances.update", path: "status", why: noBackups},
	{call: "sqlinstance-locationpreference-direct/operations.get", path: "operationType", why: noBackups},
	{call: "sqlinstance-locationpreference-direct/instances.get", path: "settings.availabilityType", why: noBackups},
	{call: "sqlinstance-locationpreference-direct/instances.get", path: "settings.locationPreference.*one", why: noBackups},
	{call: "*/instances.get", path: "secondaryGceZone", why: "the zone of the standby, left out by those who recorded it, who also gave gceZone one value for all", newer: true},
	{call: "sqlinstance-authorizednetworks-direct/instances.get", path: `settings.ipConfiguration.authorizedNetworks\[]`, why: "emptied by those who recorded it: the request asked for networks"},
	{call: "sqlinstance-retainedbackups-default/instances.get", path: "settings.backupConfiguration.pointInTimeRecoveryEnabled", why: "false and missing are the same; the stand-in keeps what was sent"},
	{call: "sqldatabasesismerge/databases.update", path: "*", why: otherFeature + "changes of a database's collation"},
	{call: "sqldatabasesismerge/operations.get", path: "operationType", why: otherFeature + "changes of a database's collation"},
	{call: "sqldatabasesismerge/databases.get", path: "collation", why: otherFeature + "changes of a database's collation"},
	{call: "sqldatabasesismerge/databases.get", path: "error.status", why: "the canonical code beside the reason, which no driver reads"},
	{call: "sqluser-full/users.insert", path: "*", why: otherFeature + "users of single hosts"},
	{call: "sqluser-full/users.update", path: "*", why: otherFeature + "users of single hosts"},
	{call: "sqluser-full/users.list", path: "items", why: otherFeature + "users of single hosts"},
	{call: "sqlinstance-replica-direct/users.delete", path: "error", why: "those who recorded it have users of their own for each instance; a read replica has those of its primary and takes no writes, which the stand-in's servers hold, so that drivers are tested with it"},
	{call: "*/databases.*", path: "*Time", why: takesTime},
	{call: "*/databases.*", path: "status", why: takesTime},
	{call: "*/users.list", path: `items\[].host`, why: "emptied by those who recorded it: they delete root by the host % a call later"},
	{call: "*/users.list", path: `items\[].type`, why: newerThanThat + "BUILT_IN is the default"},
	{call: "*/users.list", path: `items\[].iamStatus`, why: otherFeature + "logins by IAM"},
	{call: "*/users.list", path: `items\[].passwordPolicy`, why: otherFeature + "rules for passwords"},
	{call: "*/instances.get", path: "geminiConfig", why: otherFeature + "assistance by a model"},
	{call: "*/instances.get", path: `ipAddresses\[]`, why: "the address of outgoing connections, which a server on loopback does not have"},
	{call: "*/instances.get", path: "maintenanceVersion", why: otherFeature + "maintenance; the name is a build's"},
	{call: "*/instances.get", path: "upgradableDatabaseVersions", why: "a list that the driver does not read: it asks for the version and is refused"},
	{call: "*/instances.get", path: "settings.backupConfiguration.replicationLogArchivingEnabled", why: "deprecated; shown after an update only"},
}
