package v1alpha1

// Encryption says which key encrypts what is stored.
type Encryption struct {
	// key is a key of the object's own cloud. AWS KMS: the ARN of a key or of an alias, a key id, or alias/NAME.
	// Cloud KMS: projects/P/locations/L/keyRings/R/cryptoKeys/K, without a version. Through a ClusterProviderConfig, the class decides which
	// keys an object may name.
	// Source: https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#key-id
	// Source: https://cloud.google.com/kms/docs/resource-hierarchy
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^(arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:)?alias/[a-zA-Z0-9/_-]{1,250}$') || self.matches('^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]{1,64}$') || self.matches('^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})$') || self.matches('^projects/[a-z0-9][a-z0-9.:-]*/locations/[a-z0-9-]+/keyRings/[a-zA-Z0-9_-]{1,63}/cryptoKeys/[a-zA-Z0-9_-]{1,63}$')",message="must name a key. AWS KMS: the ARN of a key or alias (arn:aws:kms:REGION:ACCOUNT:key/ID), a key id, or alias/NAME. Cloud KMS: projects/P/locations/L/keyRings/R/cryptoKeys/K, without a version"
	Key *string `json:"key,omitempty"`
}

// BucketEncryption is the former name of Encryption.
type BucketEncryption = Encryption

// EmptyMeans implements EmptyValue. A database needs a key, so {} is for buckets.
func (Encryption) EmptyMeans() string { return "the cloud's own key" }
