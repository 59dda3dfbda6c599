package recordings

// Why nobody needs to know of another value of a leaf, by pattern. Some leaves are caught in most answers: then the reason says in which they are not.
const (
	identityOf = "names, links and hashes by which the cloud knows the object: the driver knows it by its request, or by another one"
	changing   = "versions and times that move with edits, and say nothing of what is set"
	accessList = otherFeature + "access lists and owners"
	aboutCloud = "what the cloud says of its own ways, about which no spec decides"
	unlikeAny  = "a value that no cloud has counts as the one that was there; real values are caught by the tests that replay answers"
	ofSeveral  = "in some answers another leaf decides: an instance that is stopped, pending or of another engine says less"
	outgoing   = ofSeveral + "; an outgoing address is none to connect to"
	noWindow   = ofSeveral + "; without a day there is no window, and the other two say nothing"
	saysWhy    = "says why a replica does not follow once Normal is false, which is caught"
	repeated   = "what was asked for, as the answer repeats it"
	allGo      = "a forced deletion deletes each version by its key and id, which are caught, whatever else it is"
	noOptions  = ofSeveral + "; PostgreSQL has one option group, and no options"
	oneLicense = "each engine that Mooring has has one license"
	ofNetwork  = "the name of the group is caught; the rest is the network's, and changes only with the group"
	unreadYet  = "the driver does not look at it, and no field of a spec is about it"
)

var missedOfStorage = map[string]string{
	"etag": changing, "generation": changing, "metageneration": changing, "updated": changing, "*.effectiveTime": changing, "*.lockedTime": changing, "autoclass.*Time": changing,
	"id": identityOf, "selfLink": identityOf, "projectNumber": identityOf, "locationType": aboutCloud, "satisfiesPZ?": aboutCloud,
	`acl\[].*`: accessList, `defaultObjectAcl\[].*`: accessList, "owner.entity": accessList,
	"iamConfiguration.bucketPolicyOnly.enabled": "the former name of uniformBucketLevelAccess, which is caught",
	"retentionPolicy.retentionPeriod":           "seconds of a period that is no whole number of days: the mirror says -1 of each of them",
}

var missedOfSQL = map[string]string{
	"etag": changing, "settings.settingsVersion": changing, "serverCaCert.createTime": changing,
	"backendType": aboutCloud, "instanceType": aboutCloud, "maintenanceVersion": aboutCloud, "satisfiesPzi": aboutCloud, "sqlNetworkArchitecture": aboutCloud, "geminiConfig.*": aboutCloud,
	"includeReplicasForMajorVersionUpgrade": aboutCloud, "upgradableDatabaseVersions\\[].*": aboutCloud, "settings.pricingPlan": aboutCloud, "settings.replicationType": aboutCloud,
	"connectionName": identityOf, "name": identityOf, "project": identityOf, "selfLink": identityOf, "serviceAccountEmailAddress": identityOf, "*kind": identityOf,
	"serverCaCert.certSerialNumber": identityOf, "serverCaCert.commonName": identityOf, "serverCaCert.instance": identityOf, "serverCaCert.sha1Fingerprint": identityOf,
	"databaseInstalledVersion": ofSeveral, "databaseVersion": ofSeveral, "ipAddresses\\[].ipAddress": outgoing, "ipAddresses\\[].type": outgoing,
	"settings.maintenanceWindow.hour": noWindow, "settings.maintenanceWindow.updateTrack": noWindow, "settings.storageAutoResizeLimit": "a limit of a disk that does not grow",
	"settings.ipConfiguration.requireSsl":                              "the former form of sslMode, which is caught",
	"settings.ipConfiguration.enablePrivatePathForGoogleCloudServices": unreadYet, "settings.ipConfiguration.serverCertificateRotationMode": unreadYet, "settings.advancedMachineFeatures.threadsPerCore": otherEngine,
	"settings.enableDataplexIntegration": unreadYet, "settings.enableGoogleMlIntegration": unreadYet, "settings.replicationLagMaxSeconds": unreadYet,
	"settings.backupConfiguration.backupRetentionSettings.retainedBackups": "of servers without backups: a mirror says 0 of them", "settings.backupConfiguration.backupRetentionSettings.retentionUnit": "COUNT is the only unit",
	"settings.backupConfiguration.backupTier": aboutCloud, "settings.backupConfiguration.location": unreadYet,
	"settings.backupConfiguration.replicationLogArchivingEnabled": "deprecated", "settings.backupConfiguration.transactionLogRetentionDays": logsFollow, "settings.backupConfiguration.transactionalLogStorageState": "where Cloud SQL keeps the logs, which it chooses",
	"replicaConfiguration.mysqlReplicaConfiguration.username": otherFeature + "replicas of servers elsewhere",
}

var missedOfInstances = map[string]string{
	"ActivityStream*": otherFeature + "activity streams", "AssociatedRoles\\[].*": otherFeature + "roles of instances", "DBSecurityGroups\\[].*": otherFeature + "networks before VPCs", "DomainMemberships\\[].*": otherFeature + "directories",
	"DBClusterIdentifier": clusters, "PromotionTier": clusters, "ReadReplicaDBClusterIdentifiers\\[]": clusters, "*CharacterSetName": otherFeature + "the engine Oracle", "CustomIamInstanceProfile": otherFeature + "RDS Custom",
	"AutomationMode": otherFeature + "RDS Custom", "*ResumeFullAutomationModeTime": otherFeature + "RDS Custom", "ReplicaMode": otherFeature + "the engine Oracle", "TdeCredentialArn": otherFeature + "the engine Oracle", "Timezone": otherEngine,
	"ListenerEndpoint.*": otherEngine, "DBSubnetGroup.DBSubnetGroupArn": identityOf, "DBSubnetGroup.DBSubnetGroupDescription": ofNetwork, "DBSubnetGroup.SubnetGroupStatus": ofNetwork, "DBSubnetGroup.Subnets\\[].*": ofNetwork, "DBSubnetGroup.VpcId": ofNetwork, "CustomerOwnedIpEnabled": otherFeature + "Outposts", "BackupTarget": otherFeature + "Outposts",
	"ProcessorFeatures\\[].*": otherFeature + "the number of cores", "LicenseModel": oneLicense, "StorageEncrypted": "an encrypted server shows its key, which is caught, and another one shows none", "StorageThroughput": "of a disk whose throughput nobody can choose", "Iops": "of a disk whose IOPS nobody can choose",
	"AwsBackupRecoveryPointArn": unreadYet, "DBInstanceAutomatedBackupsReplications\\[].*": unreadYet, "StatusInfos\\[].Status": saysWhy, "StatusInfos\\[].StatusType": saysWhy, "StatusInfos\\[].Message": saysWhy, "SecondaryAvailabilityZone": unreadYet,
	"AutomaticRestartTime": changing, "InstanceCreateTime": changing, "LatestRestorableTime": changing, "DBInstanceArn": identityOf, "DBInstanceIdentifier": identityOf, "DbInstancePort": "the endpoint has the port",
	"CertificateDetails.CAIdentifier": "CACertificateIdentifier, which is caught", "EnhancedMonitoringResourceArn": identityOf, "Endpoint.HostedZoneId": identityOf,
	"PreferredBackupWindow": "of the sample, whose window is no window", "PreferredMaintenanceWindow": "of the sample, whose window is no window",
	"DBParameterGroups\\[].ParameterApplyStatus": ofSeveral + "; in the sample it is no status", "VpcSecurityGroups\\[].Status": ofSeveral + "; in the sample it is no status",
	"OptionGroupMemberships\\[].OptionGroupName": noOptions, "OptionGroupMemberships\\[].Status": noOptions, "VpcSecurityGroups\\[].VpcSecurityGroupId": ofSeveral + "; a group that is being removed counts as gone",
	"PendingModifiedValues.AllocatedStorage": "a disk that is to become larger yet counts as large enough", "PendingModifiedValues.MasterUserPassword": "four stars, whatever the password is",
	"PendingModifiedValues.AutomationMode": otherFeature + "RDS Custom", "PendingModifiedValues.DBInstanceIdentifier": "another name, which the driver never gives: it looks for the server by the one that it has",
	"PendingModifiedValues.LicenseModel": oneLicense, "PendingModifiedValues.ProcessorFeatures\\[].*": otherFeature + "the number of cores",
	"PendingModifiedValues.BackupRetentionPeriod": "of a read replica of PostgreSQL 9.4, which can't have backups", "PendingModifiedValues.Iops": "of a disk of no type, whose IOPS nobody can choose",
	"PendingModifiedValues.PendingCloudwatchLogsExports.LogTypesToDisable\\[]": "of a log that the server does not export",
}

var missedOfS3 = map[string]string{
	"Buckets\\[].BucketArn": identityOf, "Buckets\\[].BucketRegion": ofSeveral + "; a bucket of another region is not listed", "Buckets\\[].Name": ofSeveral + "; a bucket of another region is not listed", "ContinuationToken": "a token that was sent, as the answer repeats it",
	"Prefix": repeated, "Name": repeated, "KeyMarker": repeated, "VersionIdMarker": repeated, "MaxKeys": repeated, "EncodingType": repeated,
	"DeleteMarkers\\[].IsLatest": allGo, "DeleteMarkers\\[].Owner.ID": allGo, "Versions\\[].IsLatest": allGo, "Versions\\[].Owner.ID": allGo, "Versions\\[].ChecksumAlgorithm\\[]": allGo, "Versions\\[].ChecksumType": allGo,
	"Versions\\[].ETag": allGo, "Versions\\[].Size": allGo, "Versions\\[].StorageClass": allGo,
	"Owner.ID": accessList, "TransitionDefaultMinimumObjectSize": "no field says it, and each write of the rules sends it back as it was", "Policy.Version": "without variables in a policy its version changes nothing",
	"AnalyticsConfigurationList\\[].StorageClassAnalysis.DataExport.OutputSchemaVersion": "V_1 is the only one", "AnalyticsConfigurationList\\[].StorageClassAnalysis.DataExport.Destination.S3BucketDestination.Format": "CSV is the only one",
	"ReplicationConfiguration.Rules\\[].Destination.Metrics.EventThreshold.Minutes": "15 is the only number that S3 takes", "ReplicationConfiguration.Rules\\[].Destination.ReplicationTime.Time.Minutes": "15 is the only number that S3 takes",
	"ServerSideEncryptionConfiguration.Rules\\[].ApplyServerSideEncryptionByDefault.SSEAlgorithm": ofSeveral + "; where a key of KMS is named it decides",
}
