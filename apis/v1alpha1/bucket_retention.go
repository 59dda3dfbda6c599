package v1alpha1

// BucketRetention says how long objects can't be deleted.
// +kubebuilder:validation:XValidation:rule="!has(self.locked) || has(self.days)",message="locked needs days, without which nothing is retained: set days too",fieldPath=".locked"
type BucketRetention struct {
	// days is for how many days after it was written an object can't be deleted, 1 to 36500. AWS: it applies to new object versions, and existing
	// ones keep what they have; the first period switches on Object Lock, which stays for good. Google Cloud: it applies to existing objects too,
	// which can't be replaced either. status.observed shows -1 for a period that a spec can't say, because it is no whole number of days.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
	// Source: https://cloud.google.com/storage/docs/bucket-lock
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36500
	// +kubebuilder:validation:XValidation:rule="self != -1",message="-1 is how status.observed shows a period that is no whole number of days, which a spec can't say: set 1 to 36500"
	Days *int32 `json:"days,omitempty"`

	// locked is true if nobody may shorten the period of an object. If unset, a new period is not locked, and an existing one stays as it is. AWS:
	// true is the mode COMPLIANCE, and false GOVERNANCE; a change applies to new object versions. Google Cloud: true locks the policy for good, so
	// that days can only grow. Nobody takes either back, not even by deleting the bucket. Through a ClusterProviderConfig, only the class sets true, by
	// its defaults or enforced values, and an object with true has at most the days that the class has.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
	// Source: https://cloud.google.com/storage/docs/bucket-lock
	// +optional
	Locked *bool `json:"locked,omitempty"`
}

// EmptyMeans implements EmptyValue.
func (BucketRetention) EmptyMeans() string { return "no retention" }
