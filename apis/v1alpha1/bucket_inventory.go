package v1alpha1

// BucketInventoryAWS has S3 write lists of the objects of a bucket.
type BucketInventoryAWS struct {
	// name distinguishes the entry from the others of the bucket. It is in the names of the files.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._-]+$')",message="must be letters, digits, dots, hyphens and underscores alone, because S3 takes no other characters: for example all-objects"
	Name string `json:"name"`

	// enabled is true if S3 writes lists, and false if it pauses. If unset, it is true.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryConfiguration.html
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// prefix is how the names of the objects begin that are listed. If unset, names may begin as they like.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryFilter.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Prefix *string `json:"prefix,omitempty"`

	// frequency is Daily or Weekly. The first list is there within 48 hours.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html
	// +required
	// +kubebuilder:validation:Enum=Daily;Weekly
	Frequency string `json:"frequency"`

	// includedObjectVersions is All (each list has noncurrent versions and delete markers as well) or Current.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryConfiguration.html
	// +required
	// +kubebuilder:validation:Enum=All;Current
	IncludedObjectVersions string `json:"includedObjectVersions"`

	// optionalFields are what lists say of each object beside its name. Their order means nothing.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryConfiguration.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=19
	// +kubebuilder:validation:items:Enum=Size;LastModifiedDate;StorageClass;ETag;IsMultipartUploaded;ReplicationStatus;EncryptionStatus;ObjectLockRetainUntilDate;ObjectLockMode;ObjectLockLegalHoldStatus;ObjectLockEventHoldStatus;ObjectLockEventHoldDuration;IntelligentTieringAccessTier;BucketKeyStatus;ChecksumAlgorithm;ObjectAccessControlList;ObjectOwner;LifecycleExpirationDate;IntelligentTieringReferenceDate
	OptionalFields []string `json:"optionalFields,omitempty"`

	// destination is where the lists go.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html
	// +required
	Destination BucketInventoryDestinationAWS `json:"destination"`
}

// BucketInventoryDestinationAWS is where lists of objects go.
type BucketInventoryDestinationAWS struct {
	// bucket is the name of the bucket that gets the files, in the region of this bucket. Its policy lets s3.amazonaws.com write them.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/configure-inventory.html
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9.-]*[a-z0-9]$`
	Bucket string `json:"bucket"`

	// accountID is the account that owns that bucket. S3 writes nothing if it is another one. If unset, S3 does not look whose bucket it is.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryS3BucketDestination.html
	// +optional
	// +kubebuilder:validation:MinLength=12
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern=`^[0-9]+$`
	AccountID *string `json:"accountID,omitempty"`

	// prefix is how the names of the files begin.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Prefix *string `json:"prefix,omitempty"`

	// format is CSV, ORC or Parquet.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryS3BucketDestination.html
	// +required
	// +kubebuilder:validation:Enum=CSV;ORC;Parquet
	Format string `json:"format"`

	// encryption is how S3 encrypts the files; {} is by its own key (SSE-S3). If unset, they are encrypted as other new objects of the bucket that they go to.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryEncryption.html
	// +optional
	// +structType=atomic
	Encryption *BucketInventoryEncryptionAWS `json:"encryption,omitempty"`
}

// BucketInventoryEncryptionAWS is how S3 encrypts lists of objects.
type BucketInventoryEncryptionAWS struct {
	// keyARN is the key of AWS KMS, in the region of the bucket. Its policy lets s3.amazonaws.com use it. If unset, it is S3's own key.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/configure-inventory.html#configure-inventory-kms-key-policy
	// +optional
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]{1,64}$')",message="must be the ARN of a key, such as arn:aws:kms:eu-central-1:111122223333:key/ID: S3 writes the lists itself, and takes no alias"
	KeyARN *string `json:"keyARN,omitempty"`
}
