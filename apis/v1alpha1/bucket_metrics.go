package v1alpha1

// BucketObjectFilterAWS says which objects of a bucket a configuration is about. An object has all that it names.
type BucketObjectFilterAWS struct {
	// prefix is how the names of the objects begin. If unset, names may begin as they like.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations-filter.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/analytics-storage-class.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Prefix *string `json:"prefix,omitempty"`

	// tags are tags that the objects have. If unset, they need none.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations-filter.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=10
	Tags map[string]TagValue `json:"tags,omitempty"`
}

// BucketMetricsAWS has Amazon CloudWatch count the requests for objects of a bucket.
type BucketMetricsAWS struct {
	// name distinguishes the entry from the others of the bucket. CloudWatch has it as the dimension FilterId; its console names one for all objects EntireBucket.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-dimensions.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._-]+$')",message="must be letters, digits, dots, hyphens and underscores alone, because S3 takes no other characters: for example EntireBucket"
	Name string `json:"name"`

	BucketObjectFilterAWS `json:",inline"`

	// accessPointARN is the access point of the bucket through which the requests come. If unset, requests are counted that come in any way.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations-filter.html
	// +optional
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-z-]*:s3:[a-z0-9-]+:[0-9]{12}:accesspoint/[a-z0-9-]{3,50}$')",message="must be the ARN of an access point, such as arn:aws:s3:eu-central-1:111122223333:accesspoint/reports"
	AccessPointARN *string `json:"accessPointARN,omitempty"`
}
