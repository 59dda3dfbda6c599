package v1alpha1

// BucketAWS contains the settings that only Amazon S3 has.
type BucketAWS struct {
	// objectOwnership says who owns the objects that other accounts write, and whether access control lists (ACLs) have an effect.
	// BucketOwnerEnforced: the owner of the bucket owns every object, and ACLs have no effect. BucketOwnerPreferred: the owner of the
	// bucket owns new objects that their writers give it by the ACL bucket-owner-full-control. ObjectWriter: each account owns what
	// it writes. If unset, a new bucket has BucketOwnerEnforced, and an existing bucket keeps what it has; so does a bucket from whose spec
	// the field is removed. A change to BucketOwnerEnforced keeps out those who have access by an ACL alone, and a later change back lets
	// them in again. S3 refuses it while the ACL of the bucket itself grants access to others: reset that ACL first.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-migrating-acls-prerequisites.html
	// +optional
	// +kubebuilder:validation:Enum=BucketOwnerEnforced;BucketOwnerPreferred;ObjectWriter
	ObjectOwnership *string `json:"objectOwnership,omitempty"`

	// bucketKey is true if S3 encrypts new objects by a key for the bucket, which it derives from the key of encryption.key, and calls AWS KMS
	// less often. That costs less, and AWS CloudTrail shows fewer uses of the key. It has an effect only with a key in encryption.key: S3 keeps
	// it for a bucket with its own key, too. Policies of the key that name objects by the encryption context have to name the bucket instead. If
	// unset, a new bucket has false, and an existing bucket keeps what it has. A change does not touch existing objects.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-key.html
	// +optional
	BucketKey *bool `json:"bucketKey,omitempty"`

	// blockedEncryptionTypes are the sorts of encryption that clients can't write new objects with. SSE-C: the client sends the key with each
	// request. [] blocks none, which S3 calls NONE. If unset, a new bucket has what S3 gives it, which is SSE-C since April 2026 in almost all
	// regions, and an existing bucket keeps what it has. A change to SSE-C keeps out writers that send keys of their own: S3 answers them with
	// 403. Objects that were written before can still be read with their keys.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/blocking-unblocking-s3-c-encryption-gpb.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-s3-c-encryption-setting-faq.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:Enum=SSE-C
	BlockedEncryptionTypes []string `json:"blockedEncryptionTypes,omitzero"`

	// transferAcceleration is Enabled (clients may use the endpoint BUCKET.s3-accelerate.amazonaws.com, which is nearer to distant clients and costs
	// money by volume) or Suspended. If unset, a new bucket has Suspended, and an existing bucket keeps what it has. A change to Enabled works
	// within 30 minutes. A change to Suspended keeps out clients that use that endpoint. S3 accelerates no bucket with a dot in its name.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/transfer-acceleration.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAccelerateConfiguration.html
	// +optional
	// +kubebuilder:validation:Enum=Enabled;Suspended
	TransferAcceleration *string `json:"transferAcceleration,omitempty"`

	// objectLock is true if versions of objects in the bucket can be locked, each by whoever writes it: by a period or a legal hold. It stays for good, and
	// while it does nobody can suspend versioning or send logs of access to the bucket. A new bucket gets versioning with it, and an existing one needs
	// versioning Enabled. retention.days switches it on by itself, and locks each new version. If unset, a new bucket without retention has false, and an
	// existing bucket keeps what it has.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-configure.html
	// +optional
	ObjectLock *bool `json:"objectLock,omitempty"`

	// notifications say to whom S3 sends the events of the objects of the bucket.
	// +optional
	Notifications *BucketNotificationsAWS `json:"notifications,omitempty"`

	// replication says to which other buckets S3 copies objects. It does not copy objects that were there before a rule: S3 Batch Replication does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-batch-replication-batch.html
	// +optional
	Replication *BucketReplicationAWS `json:"replication,omitempty"`

	// metrics have Amazon CloudWatch count the requests for the objects of the bucket, or for some of them, minute by minute. It bills them as custom
	// metrics. Mooring keeps entries of other names that others set, and [] removes those that the spec had. If unset, a new bucket has none,
	// and an existing bucket keeps what it has. S3 takes 1,000 for a bucket. The first counts are there about 15 minutes after a change.
	// No two entries have one name: status.conditions says so, and with the webhook kubectl apply does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketMetricsConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Metrics []BucketMetricsAWS `json:"metrics,omitzero"`

	// intelligentTiering moves objects of the storage class INTELLIGENT_TIERING, which objects have by their upload or by lifecycle, to tiers of archives when
	// nobody reads them for some months. Nobody can read them there until somebody restores them. Without an entry, S3 moves them between tiers that are
	// read at once. Mooring keeps entries of other names that others set, and [] removes those that the spec had: objects that have moved stay
	// where they are. If unset, a new bucket has none, and an existing bucket keeps what it has. S3 takes 1,000 for a bucket.
	// No two entries have one name: status.conditions says so, and with the webhook kubectl apply does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intelligent-tiering-overview.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketIntelligentTieringConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	IntelligentTiering []BucketIntelligentTieringAWS `json:"intelligentTiering,omitzero"`

	// analytics have S3 watch how the objects of the bucket are read, or some of them, to say when it would be cheaper to keep them as STANDARD_IA. It takes about
	// 30 days until it says so, and costs money by objects. Mooring keeps entries of other names that others set, and [] removes those that the
	// spec had. If unset, a new bucket has none, and an existing bucket keeps what it has. Through a ClusterProviderConfig, the class decides which
	// buckets an object may export to. S3 takes 1,000 for a bucket.
	// No two entries have one name: status.conditions says so, and with the webhook kubectl apply does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/analytics-storage-class.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAnalyticsConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Analytics []BucketAnalyticsAWS `json:"analytics,omitzero"`

	// inventory has S3 write lists of the objects of the bucket to another bucket, or to this one. Mooring keeps entries of other names that others
	// set, and [] removes those that the spec had: lists that are there stay. If unset, a new bucket has none, and an existing bucket keeps what it
	// has. Through a ClusterProviderConfig, the class decides which buckets and keys an object may name. S3 takes 1,000 for a bucket.
	// No two entries have one name: status.conditions says so, and with the webhook kubectl apply does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketInventoryConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Inventory []BucketInventoryAWS `json:"inventory,omitzero"`

	// policy are the statements of the bucket policy that are ours, found by their sid. What the account of the bucket may do by its own policies needs no
	// statement. Mooring keeps the statements of others through every change, and takes out of the bucket only what it put there: [] takes all
	// of ours out, and so does a spec from which the field is removed. Another order of statements or lists, an account id in place of its
	// ARN, and what else means the same is no difference. If somebody else set a statement with the sid of one here that Mooring never set, and it means
	// something else, it stays, and the field is refused with the reason Conflict, unless policyMode is Exact. If it means the same, a statement with effect Allow is taken over: it
	// is then one of ours. One with effect Deny satisfies the spec and stays theirs: a later edit of it is refused, and it stays in the bucket when the spec
	// no longer has it. Through a ClusterProviderConfig, the class decides which principals a statement with
	// effect Allow may name, "*" among them. S3 refuses a policy for everybody while public access is blocked: it needs publicAccess Allowed. A
	// policy has at most 20 KB. An Allow lets its principals in, and a Deny
	// keeps them out, within seconds to minutes. A correction never waits for approval, so that what somebody opened in the cloud is closed at once.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:XValidation:rule="self.all(s, self.exists_one(o, o.sid == s.sid))",message="two statements have one sid: give each statement a sid of its own"
	Policy []PolicyStatement `json:"policy,omitzero"`

	// policyMode is Merge (statements of others stay) or Exact (the policy has the statements of the spec alone, and Mooring removes all others). If
	// unset, it is Merge. It says nothing without policy: a spec without that removes no statement of others. Through a ClusterProviderConfig, only the class
	// sets Exact, by its defaults or enforced values.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
	// +optional
	// +kubebuilder:validation:Enum=Merge;Exact
	PolicyMode *string `json:"policyMode,omitempty"`

	// confirmRemoveSelfBucketAccess is true if policy may deny Mooring itself, or may possibly do so, the calls by which it would take the policy back. Without it
	// Mooring refuses such a policy. Once S3 denies them, Mooring neither sees nor changes nor deletes the bucket any more. Then somebody has to delete the
	// policy as the root user of the account. AWS does not report to Mooring the path of its own role: unless the provider config names that role, a condition on
	// aws:PrincipalArn that spares it has both arn:aws:iam::ACCOUNT:role/NAME and arn:aws:iam::ACCOUNT:role/*/NAME. An S3-compatible store takes no policy without
	// this field. If unset, it is false. Through a ClusterProviderConfig, only the class sets true, by its defaults or enforced values.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
	// Source: https://repost.aws/knowledge-center/s3-accidentally-denied-access
	// +optional
	ConfirmRemoveSelfBucketAccess *bool `json:"confirmRemoveSelfBucketAccess,omitempty"`
}
