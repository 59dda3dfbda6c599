package v1alpha1

// BucketGCP contains the settings that only Cloud Storage has.
type BucketGCP struct {
	// storageClass is the class of new objects that are written without a class of their own: STANDARD, NEARLINE (for at least 30 days),
	// COLDLINE (90 days) or ARCHIVE (365 days). Colder classes cost less to keep and more to read, and objects that are deleted earlier
	// cost as much as if they had been kept that long. If unset, a new bucket has STANDARD, and an existing bucket keeps what it has. A
	// change does not touch existing objects.
	// Source: https://cloud.google.com/storage/docs/storage-classes
	// +optional
	// +kubebuilder:validation:Enum=STANDARD;NEARLINE;COLDLINE;ARCHIVE
	StorageClass *string `json:"storageClass,omitempty"`
}
