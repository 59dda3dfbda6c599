package v1alpha1

// BucketAWS contains the settings that only Amazon S3 has.
type BucketAWS struct {
	// objectOwnership says who owns the objects that other accounts write, and whether access control lists (ACLs) have an effect.
	// BucketOwnerEnforced: the owner of the bucket owns every object, and ACLs have no effect. BucketOwnerPreferred: the owner of the
	// bucket owns new objects that their writers give it by the ACL bucket-owner-full-control. ObjectWriter: each account owns what
	// it writes. If unset, a new bucket has BucketOwnerEnforced, and an existing bucket keeps what it has; so does a bucket from whose spec
	// the field is removed. A change to BucketOwnerEnforced keeps out those who have access by an ACL alone, and a later change back lets
	// them in again. S3 refuses it while the ACL of the bucket itself grants access to others: reset that ACL first.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-migrating-acls-prerequisites.html
	// +optional
	// +kubebuilder:validation:Enum=BucketOwnerEnforced;BucketOwnerPreferred;ObjectWriter
	ObjectOwnership *string `json:"objectOwnership,omitempty"`
}
