package v1alpha1

// BucketAnalyticsAWS has S3 watch how objects of a bucket are read, and say when it would be cheaper to keep them as STANDARD_IA.
type BucketAnalyticsAWS struct {
	// name distinguishes the entry from the others of the bucket.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_AnalyticsConfiguration.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._-]+$')",message="must be letters, digits, dots, hyphens and underscores alone, because S3 takes no other characters: for example photos"
	Name string `json:"name"`

	BucketObjectFilterAWS `json:",inline"`

	// export is where S3 writes what it found, once a day as CSV. If unset, it is shown in the console alone.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/analytics-storage-class.html
	// +optional
	Export *BucketAnalyticsExportAWS `json:"export,omitempty"`
}

// BucketAnalyticsExportAWS is where S3 writes what an analysis found.
type BucketAnalyticsExportAWS struct {
	// bucket is the name of the bucket that gets the files, in the region of this bucket. Its policy lets s3.amazonaws.com write them.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/analytics-storage-class.html
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9.-]*[a-z0-9]$`
	Bucket string `json:"bucket"`

	// accountID is the account that owns that bucket. S3 writes nothing if it is another one. If unset, S3 does not look whose bucket it is.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_AnalyticsS3BucketDestination.html
	// +optional
	// +kubebuilder:validation:MinLength=12
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern=`^[0-9]+$`
	AccountID *string `json:"accountID,omitempty"`

	// prefix is how the names of the files begin.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_AnalyticsS3BucketDestination.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Prefix *string `json:"prefix,omitempty"`
}
