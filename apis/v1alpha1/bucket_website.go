package v1alpha1

// BucketWebsite says what a bucket serves as a web site.
// +kubebuilder:validation:XValidation:rule="!has(self.errorDocument) || has(self.indexDocument)",message="errorDocument needs indexDocument, without which there is no web site: set indexDocument too",fieldPath=".errorDocument"
type BucketWebsite struct {
	// indexDocument is the name of the object that stands for a folder, for example index.html. It has no slash.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/IndexDocumentSupport.html
	// Source: https://cloud.google.com/storage/docs/static-website
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[^/\s]+$`
	IndexDocument *string `json:"indexDocument,omitempty"`

	// errorDocument is the key of the object that is served in place of one that does not exist, for example error.html. In AWS it is served for
	// other errors of the client, too. If unset, a new web site has none, and an existing one keeps what it has.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/CustomErrorDocSupport.html
	// Source: https://cloud.google.com/storage/docs/static-website
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	ErrorDocument *string `json:"errorDocument,omitempty"`
}
