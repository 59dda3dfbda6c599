package v1alpha1

// BucketLogging says where the logs of the access to a bucket go.
// +kubebuilder:validation:XValidation:rule="!has(self.prefix) || has(self.bucket)",message="prefix needs bucket, without which there are no logs: set bucket too",fieldPath=".prefix"
type BucketLogging struct {
	// bucket is the name in the cloud of the bucket that the logs go to. Through a ClusterProviderConfig, the class decides which buckets an
	// object may name. AWS: a bucket of the same account and region, whose policy lets logging.s3.amazonaws.com write. It has no default
	// retention and no requesterPays. Google Cloud: a bucket that lets cloud-storage-analytics@google.com write. Cloud Storage reports no error if that bucket does not exist.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html
	// Source: https://cloud.google.com/storage/docs/access-logs
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=222
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9._-]*[a-z0-9]$`
	Bucket *string `json:"bucket,omitempty"`

	// prefix is how the names of the log objects begin, for example photos/. If unset, new logs have no prefix in AWS and the name of the bucket in
	// Google Cloud, and existing ones keep what they have.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
	// Source: https://cloud.google.com/storage/docs/access-logs
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Prefix *string `json:"prefix,omitempty"`
}

// EmptyMeans implements EmptyValue.
func (BucketLogging) EmptyMeans() string { return "no logs" }
