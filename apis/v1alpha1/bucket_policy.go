package v1alpha1

// PolicyStatement is a statement of a bucket policy: who may do what with which part of the bucket, or may not. S3 counts the 20 KB of the whole policy, and no
// entries of its lists, so each list takes what fits into them: a principal takes 14 bytes at least, a resource 20. Of actions S3 has fewer than 500.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html
// +kubebuilder:validation:XValidation:rule="has(self.principals) != has(self.notPrincipals)",message="a statement says to whom it applies: set exactly one of principals and notPrincipals"
// +kubebuilder:validation:XValidation:rule="self.effect != 'Allow' || !has(self.notPrincipals)",message="effect Allow with notPrincipals would let in everybody else in the world: name whom to let in by principals",fieldPath=".notPrincipals"
// +kubebuilder:validation:XValidation:rule="has(self.actions) != has(self.notActions)",message="a statement says to which actions it applies: set exactly one of actions and notActions"
// +kubebuilder:validation:XValidation:rule="!has(self.resources) || !has(self.notResources)",message="resources and notResources exclude each other: remove one of them, or both for the bucket and all its objects"
type PolicyStatement struct {
	// sid is the name of the statement, by which Mooring distinguishes its own statements from those of others. S3 takes spaces and punctuation in it, which IAM does not. It
	// does not begin with a parenthesis: so status.observed shows a statement that a spec can't say, and why.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_sid.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]([ -~]*[!-~])?$') && !self.startsWith('(')",message="must be visible ASCII characters, with spaces between them at most, and not begin with a parenthesis: for example LetReportsRead"
	Sid string `json:"sid"`

	// effect is Allow, or Deny, which prevails over every Allow.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_effect.html
	// +required
	// +kubebuilder:validation:Enum=Allow;Deny
	Effect string `json:"effect"`

	// principals are those to whom the statement applies.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-bucket-user-policy-specifying-principal-intro.html
	// +optional
	Principals *PolicyPrincipals `json:"principals,omitempty"`

	// notPrincipals are those to whom a Deny does not apply. It applies to everybody else, and to the accounts of those named unless they are
	// named, too. AWS advises to deny principals "*" by a condition on aws:PrincipalArn instead.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_notprincipal.html
	// +optional
	NotPrincipals *PolicyPrincipals `json:"notPrincipals,omitempty"`

	// actions are the actions to which the statement applies, for example s3:GetObject, s3:List* or s3:*. Upper and lower case mean the same.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/security_iam_service-with-iam.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=500
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:items:Pattern=`^(\*|[sS]3:[A-Za-z*?]+)$`
	Actions []string `json:"actions,omitempty"`

	// notActions are the actions to which the statement does not apply: it applies to all others.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_notaction.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=500
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:items:Pattern=`^(\*|[sS]3:[A-Za-z*?]+)$`
	NotActions []string `json:"notActions,omitempty"`

	// resources are the parts of this bucket to which the statement applies, each as it stands in an ARN behind the name of the bucket: /* for all
	// objects, /reports/* for those whose names begin with reports/, and / alone for the bucket itself. If neither resources nor notResources is set,
	// it is the bucket and all its objects.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/security_iam_service-with-iam.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(r, r.startsWith('/'))",message="each entry is what follows the name of the bucket in an ARN, and the bucket is this one: write /* for all objects, /reports/* for some, and / for the bucket itself"
	Resources []string `json:"resources,omitempty"`

	// notResources are the parts of this bucket to which the statement does not apply, written like resources.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_notresource.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(r, r.startsWith('/'))",message="each entry is what follows the name of the bucket in an ARN, and the bucket is this one: write /* for all objects, /reports/* for some, and / for the bucket itself"
	NotResources []string `json:"notResources,omitempty"`

	// conditions must all hold for the statement to apply.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(c, self.exists_one(o, o.operator == c.operator && o.key == c.key))",message="two conditions have one operator and key: put the values of both into one"
	When []PolicyCondition `json:"conditions,omitempty"`
}

// PolicyPrincipals are those to whom a statement of a policy applies.
// +kubebuilder:validation:MinProperties=1
type PolicyPrincipals struct {
	// aws are ARNs of roles, users and sessions, ids of accounts (all of the account whom its own policies let do so), and "*" for everybody. An account is
	// not named by its canonical user id, which S3 may report in another form.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1500
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:items:Pattern=`^(\*|[0-9]{12}|arn:.+)$`
	AWS []string `json:"aws,omitempty"`

	// service are services of AWS, for example cloudfront.amazonaws.com. A service may act for any account, so limit it by conditions on
	// aws:SourceArn or aws:SourceAccount.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1500
	// +kubebuilder:validation:items:MaxLength=256
	Service []string `json:"service,omitempty"`

	// federated are identity providers.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1500
	// +kubebuilder:validation:items:MaxLength=2048
	Federated []string `json:"federated,omitempty"`
}

// PolicyCondition is one condition of a statement of a policy.
type PolicyCondition struct {
	// operator compares the value that the key has in a request with values, for example StringEquals, ArnLike, Bool or IpAddress.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z]+(:[A-Za-z]+)?$`
	Operator string `json:"operator"`

	// key is what of a request is compared, for example aws:SecureTransport or aws:PrincipalOrgID. Upper and lower case mean the same.
	// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Key string `json:"key"`

	// values are what it is compared with: one of them has to fit. A number or a truth value is written as a string, too: "false".
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1500
	// +kubebuilder:validation:items:MaxLength=2048
	Values []string `json:"values"`
}
