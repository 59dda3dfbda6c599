package v1alpha1

// CORSRule lets pages of other origins use a bucket by a browser.
type CORSRule struct {
	// allowedOrigins are the origins whose pages may use the bucket, for example https://shop.example.com, or "*" for all. AWS: "*" may
	// also stand for a part, once in an origin: https://*.example.com. Upper case matters.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
	// Source: https://cloud.google.com/storage/docs/json_api/v1/buckets
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:items:Pattern=`^[^*\s"]*\*?[^*\s"]*$`
	AllowedOrigins []string `json:"allowedOrigins"`

	// allowedMethods are the methods that such pages may use.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:Enum=GET;HEAD;PUT;POST;DELETE
	AllowedMethods []string `json:"allowedMethods"`

	// allowedHeaders are the headers that such pages may send beyond those that browsers always allow. "*" stands for all, or for a part,
	// once in a header: x-amz-*. Upper case does not matter. Google Cloud has one list for allowedHeaders and exposeHeaders: it allows and
	// exposes the headers of both.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
	// Source: https://cloud.google.com/storage/docs/cross-origin
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[!#$%&'+.^_|~0-9A-Za-z-]*\*?[!#$%&'+.^_|~0-9A-Za-z-]*$`
	AllowedHeaders []string `json:"allowedHeaders,omitempty"`

	// exposeHeaders are the headers of answers that such pages may read beyond those that browsers always allow, without "*". Upper case
	// does not matter.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[!#$%&'+.^_|~0-9A-Za-z-]+$`
	ExposeHeaders []string `json:"exposeHeaders,omitempty"`

	// maxAgeSeconds is how long a browser may remember the answer to a preflight request. If unset, the cloud or the browser decides.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
	// Source: https://cloud.google.com/storage/docs/cross-origin
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	MaxAgeSeconds *int32 `json:"maxAgeSeconds,omitempty"`
}
