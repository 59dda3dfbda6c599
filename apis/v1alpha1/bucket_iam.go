package v1alpha1

// BucketIAMBinding grants a role on a bucket.
type BucketIAMBinding struct {
	// role is what the members may do: a predefined role such as roles/storage.objectViewer, or one of a project's or organization's own such as
	// projects/PROJECT/roles/NAME.
	// Source: https://cloud.google.com/storage/docs/access-control/iam-roles
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^((projects|organizations)/[^/ ]+/)?roles/[A-Za-z0-9_.]+$')",message="must be a role as roles/storage.objectViewer, projects/PROJECT/roles/NAME or organizations/NUMBER/roles/NAME"
	Role string `json:"role"`

	// members are those who have the role: user:, serviceAccount: and group: with an e-mail address, domain: with a domain, principal:// and
	// principalSet:// with an identity of a pool, projectOwner:, projectEditor: and projectViewer: with a project, allUsers for everybody, and
	// allAuthenticatedUsers for everybody with a Google account. Upper and lower case of addresses and domains mean the same.
	// A bucket can have 1,500 members, each counted in each binding.
	// Source: https://cloud.google.com/iam/docs/principal-identifiers
	// Source: https://cloud.google.com/iam/quotas#limits
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1500
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:items:Pattern=`^(allUsers|allAuthenticatedUsers|(user|serviceAccount|group|domain|projectOwner|projectEditor|projectViewer):[^ ]+|principal(Set)?://[^ ]+)$`
	Members []string `json:"members"`

	// condition limits when the members have the role. It needs uniformAccess, and neither the legacy roles nor allUsers and allAuthenticatedUsers
	// take one.
	// Source: https://cloud.google.com/storage/docs/access-control/iam#conditions
	// +optional
	Condition *IAMCondition `json:"condition,omitempty"`
}

// IAMCondition limits when a binding grants its role.
type IAMCondition struct {
	// title is the name of the condition. The same expression with another title is another condition.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	Title string `json:"title"`

	// expression is a condition in CEL, for example resource.name.startsWith("projects/_/buckets/shop-photos/objects/public/").
	// Source: https://cloud.google.com/iam/docs/conditions-overview
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Expression string `json:"expression"`

	// description says what the condition is for.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`
}
