package v1alpha1

// DatabaseAWS contains the settings that only Amazon RDS has.
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || !has(self.storageType) || self.storageType != 'gp2'",message="iops can't be chosen for storageType gp2: remove iops, or set storageType to gp3",fieldPath=".iops"
// +kubebuilder:validation:XValidation:rule="!has(self.throughputMiBps) || !has(self.storageType) || self.storageType == 'gp3'",message="throughputMiBps can be chosen for storageType gp3 only: remove throughputMiBps, or set storageType to gp3",fieldPath=".throughputMiBps"
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || !has(self.throughputMiBps) || self.throughputMiBps * 4 <= self.iops",message="throughputMiBps has to be at most a quarter of iops: change one of them",fieldPath=".throughputMiBps"
// +kubebuilder:validation:XValidation:rule="!has(self.databaseInsightsMode) || self.databaseInsightsMode != 'advanced' || !has(self.performanceInsights) || !has(self.performanceInsights.retentionDays) || self.performanceInsights.retentionDays >= 465",message="databaseInsightsMode advanced needs performanceInsights.retentionDays of at least 465: set it to 465 or more, or databaseInsightsMode to standard",fieldPath=".databaseInsightsMode"
// +kubebuilder:validation:XValidation:rule="!has(self.dedicatedLogVolume) || !self.dedicatedLogVolume || !has(self.storageType) || self.storageType in ['io1', 'io2']",message="dedicatedLogVolume needs storageType io1 or io2: set one of them, or dedicatedLogVolume to false",fieldPath=".dedicatedLogVolume"
type DatabaseAWS struct {
	// instanceClass is the size of the instance, for example db.t4g.micro. A change restarts the server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.DBInstanceClass.html
	// +optional
	// +kubebuilder:validation:Pattern=`^db\.[a-z0-9-]+\.[a-z0-9-]+(\.[a-z0-9-]+)*$`
	// +kubebuilder:validation:MaxLength=63
	InstanceClass *string `json:"instanceClass,omitempty"`

	// copyTagsToSnapshot copies the tags of the instance to each new snapshot of it, including the final snapshot. If unset, a server
	// that Mooring creates has true, and an existing server keeps what it has. A change does not interrupt the server, and does not
	// touch existing snapshots.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.html#USER_Tagging.CopyTags
	// +optional
	CopyTagsToSnapshot *bool `json:"copyTagsToSnapshot,omitempty"`

	// caCertificateIdentifier names the certificate authority that signs the certificate of the server: rds-ca-rsa2048-g1,
	// rds-ca-rsa4096-g1 or rds-ca-ecc384-g1. If unset, RDS chooses the default of the account in the region, usually rds-ca-rsa2048-g1.
	// Clients that verify the certificate must trust the new authority before a change. A change restarts the server. RDS leaves the
	// restart out for engine versions that can do without, but Mooring can't see that beforehand.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL-certificate-rotation.html
	// +optional
	// +kubebuilder:validation:Pattern=`^rds-ca-[a-z0-9]+(-[a-z0-9]+)*$`
	// +kubebuilder:validation:MaxLength=63
	CACertificateIdentifier *string `json:"caCertificateIdentifier,omitempty"`

	// storageType is the kind of the disk: gp3 or gp2, both general purpose SSD, or io1 or io2, SSD with provisioned IOPS, which need iops and
	// at least 100 GiB. If unset, a server that Mooring creates has gp3, and an existing server keeps what it has. The speed of gp3 does not
	// depend on its size: 3,000 IOPS and 125 MiB/s below 400 GiB, 12,000 IOPS and 500 MiB/s from there, unless iops and throughputMiBps say
	// more. A change from gp2 or gp3 does not interrupt the server, but it slows the disk down for some hours, in which the disk can neither
	// change nor grow again. From another type (io1, io2 or magnetic) a change interrupts connections.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html
	// +optional
	// +kubebuilder:validation:Enum=gp2;gp3;io1;io2
	StorageType *string `json:"storageType,omitempty"`

	// iops is how many input and output operations the disk does in a second. io1 and io2 need it: 1,000 to 256,000, and with io1 at most 50
	// for each GiB. gp3 takes it from 400 GiB: 12,000 to 64,000. A smaller gp3 disk has 3,000, which nobody can choose. gp2 takes none. If
	// unset, a gp3 disk gets the least of its size, and an existing disk keeps what it has. More IOPS cost more. A change does not interrupt
	// the server, but it slows the disk down for some hours, in which the disk can neither change nor grow again.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#USER_PIOPS
	// +optional
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=256000
	IOPS *int32 `json:"iops,omitempty"`

	// throughputMiBps is how much the disk reads and writes in a second, in MiB. Only gp3 takes it, from 400 GiB: 500 to 4,000. A smaller gp3
	// disk has 125, which nobody can choose. If unset, a gp3 disk gets the least of its size, and an existing disk keeps what it has. More
	// throughput costs more. It is at most a quarter of iops. A change does to the server what a change of iops does.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
	// +optional
	// +kubebuilder:validation:Minimum=500
	// +kubebuilder:validation:Maximum=4000
	ThroughputMiBps *int32 `json:"throughputMiBps,omitempty"`

	// dedicatedLogVolume puts the transaction logs (MySQL and MariaDB: redo and binary logs) on a volume of their own, of 1,024 GiB and 3,000 IOPS, which
	// costs extra. It needs storageType io1 or io2; AWS recommends it from 5 TiB. If unset, a new server has none, and an existing server keeps
	// what it has. A change takes the server down while RDS copies all logs to the other volume: longer, the more logs there are. PostgreSQL
	// has it from 13.10, 14.7 and 15.2, MySQL from 8.0.28 and 8.4.3, and MariaDB from 10.6.7 in its versions 10.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.dlv.html
	// +optional
	DedicatedLogVolume *bool `json:"dedicatedLogVolume,omitempty"`

	// dbSubnetGroupName names the DB subnet group with the subnets of the server, and with them its VPC. If unset, RDS takes the subnet group
	// default, which is in the default VPC. A change moves the server to another VPC and takes it down for minutes: name security groups of
	// that VPC in vpcSecurityGroupIDs at the same time. RDS refuses a group in the same VPC, and a server with availability MultiZone: set SingleZone
	// first. Upper case is not drift, because RDS stores the name in lower case. Through a ClusterProviderConfig, the class decides which
	// groups a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.VPC2VPC.html
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-zA-Z][a-zA-Z0-9 ._-]*$`
	// +kubebuilder:validation:MaxLength=255
	DBSubnetGroupName *string `json:"dbSubnetGroupName,omitempty"`

	// networkType says which addresses the server has: IPV4, or DUAL for IPv4 and IPv6 addresses. If unset, RDS chooses IPV4 for a new server, and
	// an existing server keeps what it has. DUAL needs an IPv6 CIDR block in every subnet of the DB subnet group, and security groups that let the
	// IPv6 addresses of the clients in. RDS Proxy can't use such a server. A change can break connections of a server in one zone; one with
	// availability MultiZone fails over, which takes it down for one or two minutes. Mooring sends it alone, after other changes: AWS says that
	// others beside it can take the server down. Only a move to another dbSubnetGroupName goes with it.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html#USER_VPC.IP_addressing.dual-stack-mode
	// +optional
	// +kubebuilder:validation:Enum=IPV4;DUAL
	NetworkType *string `json:"networkType,omitempty"`

	// availabilityZone is the zone in which a new server is made, for example eu-central-1b. It has to be in spec.location, and in a subnet of the
	// DB subnet group. If unset, RDS chooses a zone. RDS moves no server to another zone, so the field can't change once the server exists: create
	// another Database in the other zone and move the data. It excludes spec.availability MultiZone, with which RDS chooses both zones. If RDS
	// itself changes the zone of the server later, that is not drift. status.observed says where the server is.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z]{2,}(-[a-z]+)+-[0-9]+(-[a-z]+-[0-9]+)?[a-z]$`
	// +kubebuilder:validation:MaxLength=63
	AvailabilityZone *string `json:"availabilityZone,omitempty"`

	// port is the port at which the server accepts connections: 1150 to 65535, and none that an option of its option group uses. If unset, a new server
	// has the port of its engine (5432 for PostgreSQL, 3306 for MySQL and MariaDB), and an existing server keeps what it has. A change restarts the
	// server at once. status.endpoint and the connection Secret have the new port as soon as RDS reports it, and clients must read it again.
	// The security groups must let clients in at the new port before.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html
	// +optional
	// +kubebuilder:validation:Minimum=1150
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`

	// dbParameterGroupName names a DB parameter group, which sets parameters of the engine: one that you manage, of the family of the server's version, or
	// a default group such as default.postgres16. If unset, RDS gives a new server the default group, and an existing server keeps the group that it
	// has. A change attaches the group and disturbs nobody; then the server restarts to take what the group sets, which is a second change of this
	// field. The server also restarts for what somebody else changes in the group, once that is approved. A restart for another reason, such
	// as a failover or maintenance by RDS, brings an attached group into force early. Back to the former group before the restart, the server
	// restarts all the same: RDS does not say that it never took the other group. A new major version needs a group of its
	// family in the same edit. Upper case is not drift, because RDS stores the name in lower case. It excludes spec.parameters. Through a
	// ClusterProviderConfig, the class decides which groups a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.Associating.html
	// +optional
	// +kubebuilder:validation:Pattern=`^([a-zA-Z](-?[a-zA-Z0-9])*|default\.[a-z][a-z0-9.-]*)$`
	// +kubebuilder:validation:MaxLength=255
	DBParameterGroupName *string `json:"dbParameterGroupName,omitempty"`

	// optionGroupName names an option group, which adds features to the engine, such as MARIADB_AUDIT_PLUGIN: one that you manage, of the engine and the
	// major version of the server, or a default group such as default:mysql-8-0. PostgreSQL has no options: create extensions with SQL. If unset,
	// RDS gives a new server the default group, which is empty, and an existing server keeps the group that it has. A change does not disturb
	// the server, and options begin at once. A server that leaves a group with MARIADB_AUDIT_PLUGIN audits until it restarts. A new major version
	// needs a group of it in the same edit, unless the server has a default group and the field is unset. Upper case is not drift.
	// Through a ClusterProviderConfig, the class decides which groups a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithOptionGroups.html
	// +optional
	// +kubebuilder:validation:Pattern=`^([a-zA-Z](-?[a-zA-Z0-9])*|default:[a-z][a-z0-9]*(-[a-z0-9]+)+)$`
	// +kubebuilder:validation:MaxLength=255
	OptionGroupName *string `json:"optionGroupName,omitempty"`

	// vpcSecurityGroupIDs are the VPC security groups of the server, which decide who can connect to it. They must be in the VPC of the
	// server. A group that somebody else adds is drift: to remove it can break connections, so that waits for approval, unless
	// updates.disruptive is Always. Another order is not drift. If unset, RDS gives a new server the default
	// security group of the VPC, and Mooring leaves the groups of a server as they are. A change restarts nothing, but clients that only a
	// removed group let in can no longer connect. Through a ClusterProviderConfig, the class decides which groups a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.RDSSecurityGroups.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:Pattern=`^sg-([0-9a-f]{8}|[0-9a-f]{17})$`
	// +kubebuilder:validation:items:MaxLength=20
	VPCSecurityGroupIDs []string `json:"vpcSecurityGroupIDs,omitzero"`

	// cloudwatchLogsExports are the logs that RDS writes to CloudWatch Logs, too, which costs money by volume. PostgreSQL: postgresql, upgrade and
	// iam-db-auth-error. MySQL and MariaDB: audit, error, general, slowquery and iam-db-auth-error; RDS writes audit, general and slowquery only where an
	// option or parameter of the server turns them on. An empty list means none. If unset, a server that Mooring creates exports none, and an
	// existing server keeps what it has. What somebody else adds to the list is drift. A change does not disturb the server. RDS keeps the log
	// groups when the server is deleted.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CloudwatchLogsExportConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o == e))",message="an entry is there twice: remove one of the two"
	// +kubebuilder:validation:items:Enum=postgresql;upgrade;audit;error;general;slowquery;iam-db-auth-error
	CloudwatchLogsExports []string `json:"cloudwatchLogsExports,omitzero"`

	// engineLifecycleSupport says what happens when the standard support of the server's major version ends. With
	// open-source-rds-extended-support the server keeps its version, and RDS Extended Support is charged by hours and vCPUs from that day on.
	// With open-source-rds-extended-support-disabled RDS upgrades the server to a newer major version then, and creates no server of a version
	// whose standard support has ended. If unset, RDS chooses open-source-rds-extended-support for a new server: it is enrolled, and later
	// charged. An existing server keeps what it has. A change does not disturb the server. RDS has Extended Support for MySQL and PostgreSQL only.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support-overview.html
	// +optional
	// +kubebuilder:validation:Enum=open-source-rds-extended-support;open-source-rds-extended-support-disabled
	EngineLifecycleSupport *string `json:"engineLifecycleSupport,omitempty"`

	// performanceInsights are settings of Performance Insights. They need spec.insights.
	// +optional
	PerformanceInsights *PerformanceInsights `json:"performanceInsights,omitempty"`

	// databaseInsightsMode is standard or advanced. advanced analyses the whole fleet for 15 months, and costs money by vCPU. It needs
	// spec.insights and performanceInsights.retentionDays of at least 465. If unset, RDS chooses standard for a new server, and an existing
	// server keeps what it has. A change does not disturb the server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_DatabaseInsights.TurningOnAdvanced.html
	// +optional
	// +kubebuilder:validation:Enum=standard;advanced
	DatabaseInsightsMode *string `json:"databaseInsightsMode,omitempty"`

	// monitoring is Enhanced Monitoring: metrics of the operating system, which RDS writes to the log group RDSOSMetrics of CloudWatch Logs.
	// They cost money by volume.
	// +optional
	Monitoring *EnhancedMonitoring `json:"monitoring,omitempty"`

	// associatedRoles are IAM roles that the server may assume, each for one feature: PostgreSQL imports from Amazon S3 (s3Import), exports to it
	// (s3Export), and calls functions (Lambda). MySQL and MariaDB have no such feature in RDS. Mooring keeps roles of other features that others
	// associated, and [] removes those that the spec had. If unset, a new server has none, and an existing server keeps what it has. RDS takes a role
	// for one feature alone. A further role does not disturb the server. Where one is replaced or removed, RDS takes the former role away first, and what
	// the server does with it fails until it has the new one: Interrupts. RDS changes roles while the server is available. A server that was restored, a read
	// replica, and the server that another one replaces in an upgrade begin without roles: Mooring associates those of the spec once the server is there.
	// Through a ClusterProviderConfig, the class decides which roles a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AddRoleToDBInstance.html
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.S3Import.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o.featureName == e.featureName))",message="two entries have one featureName, and RDS takes one role for a feature: remove one of the two"
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o.roleARN == e.roleARN))",message="two entries have one roleARN, and RDS takes a role for one feature: name another role in one of the two"
	AssociatedRoles []AssociatedRole `json:"associatedRoles,omitzero"`
}

// AssociatedRole is an IAM role that a server may assume for a feature.
type AssociatedRole struct {
	// featureName is what the server uses the role for, in the capitals of RDS: s3Import, s3Export or Lambda. RDS lists those of a version:
	// aws rds describe-db-engine-versions --engine postgres --query 'DBEngineVersions[].SupportedFeatureNames'
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBEngineVersion.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_]*$`
	FeatureName string `json:"featureName"`

	// roleARN is the role, for example arn:aws:iam::123456789012:role/shop-imports. It is in the account of the server, trusts the service
	// rds.amazonaws.com, and has the permissions that the feature takes. The identity of Mooring needs iam:PassRole on it.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.S3Import.AccessPermission.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=640
	// +kubebuilder:validation:Pattern=`^arn:aws[a-z-]*:iam::[0-9]{12}:role/([A-Za-z0-9+=,.@_/-]+/)?[A-Za-z0-9+=,.@_-]{1,64}$`
	RoleARN string `json:"roleARN"`
}

// EnhancedMonitoring are settings of Enhanced Monitoring.
type EnhancedMonitoring struct {
	// intervalSeconds is how many seconds pass between two measurements: 1, 5, 10, 15, 30 or 60. 0 turns monitoring off. More often costs
	// more. Above 0 it needs roleARN, in the spec or from the class. If unset, a new server is not monitored, and an existing server keeps
	// what it has. A change does not disturb the server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Enabling.html
	// +optional
	// +kubebuilder:validation:Enum=0;1;5;10;15;30;60
	IntervalSeconds *int32 `json:"intervalSeconds,omitempty"`

	// roleARN is the IAM role with which RDS writes the metrics, for example arn:aws:iam::123456789012:role/rds-monitoring-role. The role is in
	// the account of the server, trusts the service monitoring.rds.amazonaws.com, and has the policy AmazonRDSEnhancedMonitoringRole. The
	// identity of Mooring needs iam:PassRole on it. The role is used while intervalSeconds is above 0; alone it changes nothing. A change does
	// not disturb the server. Through a ClusterProviderConfig, the class decides which roles a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Enabling.html
	// +optional
	// +kubebuilder:validation:Pattern=`^arn:aws[a-z-]*:iam::[0-9]{12}:role/([A-Za-z0-9+=,.@_/-]+/)?[A-Za-z0-9+=,.@_-]{1,64}$`
	// +kubebuilder:validation:MaxLength=640
	RoleARN *string `json:"roleARN,omitempty"`
}

// PerformanceInsights are settings of Performance Insights.
type PerformanceInsights struct {
	// retentionDays is how many days RDS keeps what it records: 7, which costs nothing, 731, or a multiple of 31 up to 713. If unset, it
	// is 7 for a new server, and an existing server keeps what it has. A change does not disturb the server. With fewer days, older records
	// are deleted.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.Overview.cost.html
	// +optional
	// +kubebuilder:validation:Minimum=7
	// +kubebuilder:validation:Maximum=731
	// +kubebuilder:validation:XValidation:rule="self == 7 || self == 731 || (self % 31 == 0 && self <= 713)",message="must be 7, 731, or a multiple of 31 up to 713"
	RetentionDays *int32 `json:"retentionDays,omitempty"`

	// key is the AWS KMS key that encrypts what RDS records: the ARN of a key or of an alias, a key id, or alias/NAME. RDS takes it when
	// insights are switched on for the first time, and never changes it after that, not even while they are off. If unset, it is the key
	// aws/rds of the account. Through a ClusterProviderConfig, the class decides which keys a Database may name.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^(arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:)?alias/[a-zA-Z0-9/_-]{1,250}$') || self.matches('^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]{1,64}$') || self.matches('^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})$')",message="must name a key of AWS KMS: the ARN of a key or alias (arn:aws:kms:REGION:ACCOUNT:key/ID), a key id, or alias/NAME"
	Key *string `json:"key,omitempty"`
}
