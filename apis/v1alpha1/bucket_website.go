package v1alpha1

// BucketWebsite says what a bucket serves as a web site.
// +kubebuilder:validation:XValidation:rule="!has(self.errorDocument) || has(self.indexDocument)",message="errorDocument needs indexDocument, without which there is no web site: set indexDocument too",fieldPath=".errorDocument"
// +kubebuilder:validation:XValidation:rule="!has(self.redirectAllRequestsTo) || !has(self.indexDocument)",message="redirectAllRequestsTo excludes indexDocument and errorDocument, because a bucket that redirects all requests serves no documents: remove one of them",fieldPath=".redirectAllRequestsTo"
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

	// redirectAllRequestsTo is the host that the web site sends all requests to, in AWS only: www.example.com, or https://www.example.com to choose
	// the protocol, which else is that of the request. It excludes the documents, and replaces those that the bucket has, with the routing rules of
	// others. If unset, a new bucket redirects nothing. In Google Cloud, a load balancer redirects.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-to-page-redirect.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=261
	// +kubebuilder:validation:Pattern=`^(https?://)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`
	RedirectAllRequestsTo *string `json:"redirectAllRequestsTo,omitempty"`
}

// EmptyMeans implements EmptyValue.
func (BucketWebsite) EmptyMeans() string { return "no web site" }

// Groups implements Union: a site serves documents, or sends all requests elsewhere.
func (BucketWebsite) Groups() [][]string {
	return [][]string{{"indexDocument", "errorDocument"}, {"redirectAllRequestsTo"}}
}
