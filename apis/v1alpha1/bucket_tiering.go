package v1alpha1

// BucketIntelligentTieringAWS moves objects of the storage class INTELLIGENT_TIERING that nobody reads to tiers of archives.
type BucketIntelligentTieringAWS struct {
	// name distinguishes the entry from the others of the bucket.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_IntelligentTieringConfiguration.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._-]+$')",message="must be letters, digits, dots, hyphens and underscores alone, because S3 takes no other characters: for example old-photos"
	Name string `json:"name"`

	BucketObjectFilterAWS `json:",inline"`

	// status is Enabled (objects move) or Disabled (none move; those that have moved stay where they are until somebody restores them). If unset, it is Enabled.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_IntelligentTieringConfiguration.html
	// +optional
	// +kubebuilder:validation:Enum=Enabled;Disabled
	Status *string `json:"status,omitempty"`

	// tierings say after how many days without access objects move, and where.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Tiering.html
	// +required
	Tierings IntelligentTieringsAWS `json:"tierings"`
}

// IntelligentTieringsAWS says when objects move to the tiers of archives. Nobody can read them there until somebody restores them.
// +kubebuilder:validation:MinProperties=1
type IntelligentTieringsAWS struct {
	// archiveAccessDays is after how many days without access objects move to the tier Archive Access, from which a restore takes minutes to hours.
	// If unset, they do not move there.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Tiering.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/restoring-objects-retrieval-options.html
	// +optional
	// +kubebuilder:validation:Minimum=90
	// +kubebuilder:validation:Maximum=730
	ArchiveAccessDays *int32 `json:"archiveAccessDays,omitempty"`

	// deepArchiveAccessDays is after how many days without access objects move to the tier Deep Archive Access, from which a restore takes up to 48 hours.
	// If unset, they do not move there.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Tiering.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/restoring-objects-retrieval-options.html
	// +optional
	// +kubebuilder:validation:Minimum=180
	// +kubebuilder:validation:Maximum=730
	DeepArchiveAccessDays *int32 `json:"deepArchiveAccessDays,omitempty"`
}
