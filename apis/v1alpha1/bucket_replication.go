package v1alpha1

// BucketReplicationAWS says to which other buckets S3 copies the objects of a bucket.
type BucketReplicationAWS struct {
	// role is the IAM role with which S3 reads the objects here and writes the copies, for example arn:aws:iam::123456789012:role/shop-replication.
	// The role is in the account of the bucket, and trusts the service s3.amazonaws.com. The identity of Mooring needs iam:PassRole on it. S3 has
	// one role for all rules of a bucket. So Mooring refuses another role than the one that the bucket has while rules of others are there, which
	// would copy by the new role then: set that role, or have these rules removed. The role is used while there are rules; alone it says nothing. A
	// change applies to objects that are written from then on. Through a ClusterProviderConfig, the class decides which roles an object may name.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html
	// +optional
	// +kubebuilder:validation:Pattern=`^arn:aws[a-z-]*:iam::[0-9]{12}:role/([A-Za-z0-9+=,.@_/-]+/)?[A-Za-z0-9+=,.@_-]{1,64}$`
	// +kubebuilder:validation:MaxLength=640
	Role *string `json:"role,omitempty"`

	// rules say which objects are copied where, once they are written: S3 copies no object that was there before. They need a role and versioning
	// Enabled, of this bucket and of each bucket that they name. Mooring keeps rules of other names that others set, and [] removes those that the
	// spec had. If unset, a new bucket has none, and an existing bucket keeps what it has. What was copied stays, whatever becomes of a rule.
	// Through a ClusterProviderConfig, the class decides which buckets and keys an object may name.
	// S3 takes 1,000 rules for a bucket. No two rules have one name or one priority: status.conditions says so, and with the webhook kubectl apply does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-requirements.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-what-is-isnot-replicated.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Rules []ReplicationRuleAWS `json:"rules,omitzero"`
}

// ReplicationRuleAWS copies some objects of a bucket to another bucket.
// +kubebuilder:validation:XValidation:rule="!has(self.tags) || !self.?deleteMarkers.orValue(false)",message="S3 copies no delete markers by a rule for tags, because markers have none: remove deleteMarkers, or have a rule by prefix for them",fieldPath=".deleteMarkers"
// +kubebuilder:validation:XValidation:rule="!self.?ownerOverride.orValue(false) || has(self.accountID)",message="ownerOverride needs accountID, which is the new owner: set accountID to the account of the other bucket",fieldPath=".ownerOverride"
// +kubebuilder:validation:XValidation:rule="!self.?kmsEncryptedObjects.orValue(false) || has(self.encryptionKey)",message="kmsEncryptedObjects needs encryptionKey, which encrypts the copies: set it to a key in the region of the other bucket",fieldPath=".kmsEncryptedObjects"
// +kubebuilder:validation:XValidation:rule="!has(self.encryptionKey) || has(self.kmsEncryptedObjects)",message="encryptionKey is for copies of objects that a key of AWS KMS encrypts: set kmsEncryptedObjects, too",fieldPath=".encryptionKey"
// +kubebuilder:validation:XValidation:rule="!self.?replicationTime.orValue(false) || self.?metrics.orValue(true)",message="replicationTime needs metrics, by which S3 says whether it holds: remove metrics, or set it to true",fieldPath=".metrics"
type ReplicationRuleAWS struct {
	// name distinguishes the rule from the others of the bucket. S3 keeps it as the rule's ID.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ReplicationRule.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name"`

	// priority says which of several rules with the same bucket counts for an object: the one with the highest number. No two rules of a bucket
	// have the same.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-add-config.html
	// +required
	// +kubebuilder:validation:Minimum=0
	Priority *int32 `json:"priority"`

	// enabled is false for a rule that copies nothing for now. If unset, it is true.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/disable-replication.html
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// prefix is how the names of the objects begin that are copied. If unset, names may begin as they like.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-add-config.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Prefix *string `json:"prefix,omitempty"`

	// tags are the tags of the objects that are copied: an object must have all of them.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-add-config.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=10
	Tags map[string]TagValue `json:"tags,omitempty"`

	// bucket is the name in S3 of the bucket that gets the copies, in any region and account. It has versioning Enabled.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-requirements.html
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9._-]*[a-z0-9]$`
	Bucket string `json:"bucket"`

	// accountID is the account that owns the other bucket, as 12 digits. S3 compares it with nothing: it names the new owner for ownerOverride.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Destination.html
	// +optional
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{12}$')",message="must be the id of an AWS account: 12 digits"
	AccountID *string `json:"accountID,omitempty"`

	// ownerOverride is true if the account that owns the other bucket also owns the copies. If unset, it is false: the owner of an object owns its copy.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-change-owner.html
	// +optional
	OwnerOverride *bool `json:"ownerOverride,omitempty"`

	// storageClass is the storage class of the copies. If unset, a copy has that of its object.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Destination.html
	// +optional
	// +kubebuilder:validation:Enum=STANDARD;STANDARD_IA;ONEZONE_IA;INTELLIGENT_TIERING;GLACIER_IR;GLACIER;DEEP_ARCHIVE;REDUCED_REDUNDANCY
	StorageClass *string `json:"storageClass,omitempty"`

	// kmsEncryptedObjects is true if objects that a key of AWS KMS encrypts are copied, too. If unset, it is false.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-config-for-kms-objects.html
	// +optional
	KMSEncryptedObjects *bool `json:"kmsEncryptedObjects,omitempty"`

	// encryptionKey is the key of AWS KMS that encrypts the copies of such objects: the ARN of a key or of an alias, in the region of the other bucket.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_EncryptionConfiguration.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=400
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key/[a-zA-Z0-9-]{1,64}|alias/[a-zA-Z0-9/_-]{1,250})$')",message="must be the ARN of a key or alias of AWS KMS, such as arn:aws:kms:eu-west-1:111122223333:key/ID: a name alone says nothing of the region of the other bucket"
	EncryptionKey *string `json:"encryptionKey,omitempty"`

	// deleteMarkers is true if delete markers are copied, too. If unset, it is false: who deletes an object here leaves its copy. S3 never copies the
	// deletion of a version.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-marker-replication.html
	// +optional
	DeleteMarkers *bool `json:"deleteMarkers,omitempty"`

	// replicaModifications is true if changes of metadata that somebody makes to copies are copied back, where the other bucket has such a rule for
	// this one. If unset, it is false.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-for-metadata-changes.html
	// +optional
	ReplicaModifications *bool `json:"replicaModifications,omitempty"`

	// replicationTime is true if S3 Replication Time Control has most objects copied within 15 minutes. It costs money by volume. If unset, it is false.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-time-control.html
	// +optional
	ReplicationTime *bool `json:"replicationTime,omitempty"`

	// metrics is true if Amazon CloudWatch gets metrics of what is still to be copied and of what failed. They cost money. If unset, it is true with
	// replicationTime and false without.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/repl-metrics.html
	// +optional
	Metrics *bool `json:"metrics,omitempty"`
}
