package recordings

// Why nobody needs to know of another value of a leaf, by pattern. Some leaves are caught in most answers: then the reason says in which they are not.
const (
	identityOf = "names, links and hashes by which the cloud knows the object: the driver knows it by its request, or by another one"
	changing   = "versions and times that move with edits, and say nothing of what is set"
	accessList = otherFeature + "access lists and owners"
	aboutCloud = "what the cloud says of its own ways, about which no spec decides"
	unlikeAny  = "a value that no cloud has counts as the one that was there; real values are caught by the tests that replay answers"
	ofSeveral  = "in some answers another leaf decides: an instance that is stopped, pending or of another engine says less"
	unreadYet  = "the driver does not look at it, and no field of a spec is about it"
)

var missedOfStorage = map[string]string{
	"etag": changing, "generation": changing, "metageneration": changing, "updated": changing, "*.effectiveTime": changing, "*.lockedTime": changing, "autoclass.*Time": changing,
	"id": identityOf, "selfLink": identityOf, "projectNumber": identityOf, "locationType": aboutCloud, "satisfiesPZ?": aboutCloud,
	`acl\[].*`: accessList, `defaultObjectAcl\[].*`: accessList, "owner.entity": accessList,
	"iamConfiguration.bucketPolicyOnly.enabled": "the former name of uniformBucketLevelAccess, which is caught",
	"retentionPolicy.retentionPeriod":           "seconds of a period that is no whole number of days: the mirror says -1 of each of them",
	`lifecycle.rule\[].condition.*`:             "a rule that a spec can't say has its conditions in words, of which the first counts",
}

var missedOfSQL = map[string]string{
	"etag": changing, "settings.settingsVersion": changing, "serverCaCert.createTime": changing,
	"backendType": aboutCloud, "instanceType": aboutCloud, "maintenanceVersion": aboutCloud, "satisfiesPzi": aboutCloud, "sqlNetworkArchitecture": aboutCloud, "geminiConfig.*": aboutCloud,
	"includeReplicasForMajorVersionUpgrade": aboutCloud, "upgradableDatabaseVersions\\[].*": aboutCloud, "settings.pricingPlan": aboutCloud, "settings.replicationType": aboutCloud,
	"connectionName": identityOf, "name": identityOf, "project": identityOf, "selfLink": identityOf, "serviceAccountEmailAddress": identityOf, "*kind": identityOf,
	"serverCaCert.certSerialNumber": identityOf, "serverCaCert.commonName": identityOf, "serverCaCert.instance": identityOf, "serverCaCert.sha1Fingerprint": identityOf,
	"databaseInstalledVersion": ofSeveral, "databaseVersion": ofSeveral, "ipAddresses\\[].*": ofSeveral, "settings.maintenanceWindow.*": "without a day there is no window: the other two say nothing then",
	"settings.ipConfiguration.sslMode": ofSeveral, "settings.storageAutoResizeLimit": "a limit of a disk that does not grow",
	"settings.ipConfiguration.requireSsl":                              "the former form of sslMode, which is caught",
	"settings.ipConfiguration.enablePrivatePathForGoogleCloudServices": unreadYet, "settings.ipConfiguration.serverCertificateRotationMode": unreadYet, "settings.advancedMachineFeatures.threadsPerCore": otherEngine,
	"settings.enableDataplexIntegration": unreadYet, "settings.enableGoogleMlIntegration": unreadYet, "settings.replicationLagMaxSeconds": unreadYet,
	"settings.backupConfiguration.backupRetentionSettings.*": "of servers without backups, and the unit, of which there is one", "settings.backupConfiguration.backupTier": aboutCloud, "settings.backupConfiguration.location": unreadYet,
	"settings.backupConfiguration.replicationLogArchivingEnabled": "deprecated", "settings.backupConfiguration.transaction*": unreadYet,
	"replicaConfiguration.mysqlReplicaConfiguration.username": otherFeature + "replicas of servers elsewhere",
}

var missedOfInstances = map[string]string{
	"ActivityStream*": otherFeature + "activity streams", "AssociatedRoles\\[].*": otherFeature + "roles of instances", "DBSecurityGroups\\[].*": otherFeature + "networks before VPCs", "DomainMemberships\\[].*": otherFeature + "directories",
	"DBClusterIdentifier": clusters, "PromotionTier": clusters, "ReadReplicaDBClusterIdentifiers\\[]": clusters, "*CharacterSetName": otherFeature + "the engine Oracle", "CustomIamInstanceProfile": otherFeature + "RDS Custom",
	"AutomationMode": otherFeature + "RDS Custom", "*ResumeFullAutomationModeTime": otherFeature + "RDS Custom", "ReplicaMode": otherFeature + "the engine Oracle", "TdeCredentialArn": otherFeature + "the engine Oracle", "Timezone": otherEngine,
	"ListenerEndpoint.*": otherEngine, "DBSubnetGroup.*": "the name of the group is caught; the rest is the network's", "CustomerOwnedIpEnabled": otherFeature + "Outposts", "BackupTarget": otherFeature + "Outposts",
	"ProcessorFeatures\\[].*": unreadYet, "LicenseModel": unreadYet, "StorageEncrypted": "the key says it", "StorageThroughput": "of a disk whose throughput nobody can choose", "Iops": "of a disk whose IOPS nobody can choose",
	"AwsBackupRecoveryPointArn": unreadYet, "DBInstanceAutomatedBackupsReplications\\[].*": unreadYet, "StatusInfos\\[].*": unreadYet, "SecondaryAvailabilityZone": unreadYet,
	"AutomaticRestartTime": changing, "InstanceCreateTime": changing, "LatestRestorableTime": changing, "DBInstanceArn": identityOf, "DBInstanceIdentifier": identityOf, "DbInstancePort": "the endpoint has the port",
	"CertificateDetails.CAIdentifier": "CACertificateIdentifier, which is caught", "EnhancedMonitoringResourceArn": identityOf, "Endpoint.HostedZoneId": identityOf,
	"PreferredBackupWindow": "the end of a window: RDS has one for its beginning", "PreferredMaintenanceWindow": "the end of a window: RDS has one for its beginning",
	"DBParameterGroups\\[].ParameterApplyStatus": unlikeAny, "OptionGroupMemberships\\[].*": ofSeveral, "VpcSecurityGroups\\[].*": ofSeveral, "PendingModifiedValues.*": "what is asked for already and shows no difference to what the mirror has as a spec",
}

var missedOfS3 = map[string]string{
	"Buckets\\[].*": "a list, which an observation does not read", "ContinuationToken": "a list, which an observation does not read", "Prefix": "a list, which an observation does not read", "Owner.ID": accessList,
	"DeleteMarkers\\[].*": objectsOfOthers, "Versions\\[].*": objectsOfOthers, "EncodingType": objectsOfOthers, "IsTruncated": objectsOfOthers, "KeyMarker": objectsOfOthers, "MaxKeys": objectsOfOthers, "Name": objectsOfOthers, "VersionIdMarker": objectsOfOthers,
	"ResponseMetadata.HTTPStatusCode": "201 is as good as 200", "TransitionDefaultMinimumObjectSize": unreadYet, "Policy.Version": "without variables in a policy its version changes nothing",
	"AnalyticsConfigurationList\\[].StorageClassAnalysis.DataExport.*": "the version and the format, of which there is one each", "ReplicationConfiguration.Rules\\[].*.Minutes": "15, the only number that S3 takes",
	"Rules\\[].*": "a rule in words has its dates and filters in part", "ServerSideEncryptionConfiguration.Rules\\[].ApplyServerSideEncryptionByDefault.SSEAlgorithm": ofSeveral, "Status": unlikeAny,
}
