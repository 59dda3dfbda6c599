package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Keys that a credentials Secret has.
const (
	// Static keys of AWS; the session token is optional.
	SecretKeyAWSAccessKeyID     = "AWS_ACCESS_KEY_ID"
	SecretKeyAWSSecretAccessKey = "AWS_SECRET_ACCESS_KEY"
	SecretKeyAWSSessionToken    = "AWS_SESSION_TOKEN"
	// A Google service account key, type service_account.
	SecretKeyGCPCredentials = "credentials.json"
)

// Account names a cloud and an account in it: exactly one of aws and gcp.
type Account struct {
	// aws is an account of Amazon Web Services.
	// +optional
	AWS *AWSAccount `json:"aws,omitempty"`

	// gcp is a project of Google Cloud.
	// +optional
	GCP *GCPAccount `json:"gcp,omitempty"`
}

// AWSAccount is an account of Amazon Web Services.
type AWSAccount struct {
	// region in which objects without a location are created, for example eu-central-1.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`
	// +kubebuilder:validation:MaxLength=32
	Region string `json:"region"`

	// accountID that the credentials must lead to. If they lead to another account, Mooring does nothing.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9]{12}$`
	AccountID string `json:"accountID,omitempty"`

	// bucketNamespace is the namespace of the names that Mooring gives to new Buckets. Global is the one that all accounts share. AccountRegional is that of the
	// account and the region, where nobody else can have a name: such names end with -ACCOUNT-REGION-an, and some organizations allow no others. If unset, it is
	// Global. AWS has no AccountRegional in me-south-1 and me-central-1. A Bucket keeps the name that it has when this
	// changes. A Bucket with spec.externalName has that name. To go back, also to a release without the field, set Global
	// rather than removing the field: where the field is set, and status of a Bucket is lost, Mooring also looks for the
	// Bucket under the name that it would have in the other namespace. A name with the region in it is found only where the
	// location of the Bucket, or else the region above, is still the same.
	// +optional
	// +kubebuilder:validation:Enum=Global;AccountRegional
	BucketNamespace BucketNamespace `json:"bucketNamespace,omitempty"`

	// s3Compatible says that spec.endpoint leads to a store of another maker that has the API of Amazon S3, such as MinIO, Ceph Object Gateway
	// or versitygw, and not to AWS. {} is enough. If unset, the endpoint is one of AWS. The account is then the endpoint's host and the owner
	// that the store names in its list of buckets (a fingerprint if that is the access key), so a bucket that was bound there is never looked for in another store. Settings of a Bucket
	// that the store lacks are NotSupported by their field. There are no Databases. Only for the cluster-scoped kind: a team chooses no endpoint.
	// +optional
	// +structType=atomic
	S3Compatible *S3CompatibleStore `json:"s3Compatible,omitempty"`
}

// BucketNamespace is a namespace of the names of buckets.
type BucketNamespace string

// Namespaces of the names of buckets.
const (
	BucketNamespaceGlobal          BucketNamespace = "Global"
	BucketNamespaceAccountRegional BucketNamespace = "AccountRegional"
)

// S3CompatibleStore is a store of another maker that has the API of Amazon S3.
type S3CompatibleStore struct {
	// addressing is where the name of a bucket stands in the store's URLs: Path (https://HOST/BUCKET) or VirtualHost (https://BUCKET.HOST, which
	// needs a DNS name and a certificate for each bucket, usually by a wildcard). If unset, it is Path, which MinIO, Ceph Object Gateway and
	// versitygw serve without further settings.
	// +optional
	// +kubebuilder:validation:Enum=Path;VirtualHost
	Addressing S3Addressing `json:"addressing,omitempty"`
}

// S3Addressing is where the name of a bucket stands in URLs.
type S3Addressing string

// Where the name of a bucket stands in URLs.
const (
	S3AddressingPath        S3Addressing = "Path"
	S3AddressingVirtualHost S3Addressing = "VirtualHost"
)

// GCPAccount is a project of Google Cloud.
type GCPAccount struct {
	// project is the id of the project.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]{4,28}[a-z0-9]$`
	Project string `json:"project"`

	// region in which objects without a location are created, for example europe-west3.
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z]+(-[a-z0-9]+)*$`
	// +kubebuilder:validation:MaxLength=32
	Region string `json:"region,omitempty"`
}

// LocalSecretReference names a Secret. The kind of the object that refers to it decides its namespace.
type LocalSecretReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
}

// ConfigMapKeyReference names a key of a ConfigMap. The kind of the object that refers to it decides its namespace.
type ConfigMapKeyReference struct {
	// name of the ConfigMap.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`

	// key of the ConfigMap, by default ca.crt.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key,omitempty"`
}

// Credentials of a team's account: exactly one of secretRef and webIdentity, then optional roles or a service account.
type Credentials struct {
	// secretRef names a Secret in the same namespace. AWS: the keys AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY. Google Cloud: the key credentials.json, with a key of type service_account.
	// +optional
	SecretRef *LocalSecretReference `json:"secretRef,omitempty"`

	IdentityChain `json:",inline"`
}

// IdentityChain lists the steps from the credentials to the identity that calls the cloud.
type IdentityChain struct {
	// webIdentity signs in with a short-lived token of a Kubernetes ServiceAccount. The cloud trusts this cluster to issue it. No key is
	// stored anywhere.
	// +optional
	WebIdentity *WebIdentity `json:"webIdentity,omitempty"`

	// assumeRoles are AWS roles to assume, each from the one before it. Mooring tags each session with the namespace and the name of the
	// provider config (mooring:namespace, mooring:providerConfig), so that policies can distinguish tenants.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	AssumeRoles []AssumeRole `json:"assumeRoles,omitempty"`

	// impersonateServiceAccount is the email of the Google Cloud service account to act as.
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z0-9.-]+@[a-z0-9.-]+$`
	// +kubebuilder:validation:MaxLength=254
	ImpersonateServiceAccount string `json:"impersonateServiceAccount,omitempty"`
}

// WebIdentity signs in with a token of a Kubernetes ServiceAccount.
type WebIdentity struct {
	// serviceAccountName is a ServiceAccount in the namespace of the Bucket or Database, never in another. It must
	// have the annotation mooring.dev/issue-tokens: "true".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ServiceAccountName string `json:"serviceAccountName"`

	// roleARN is the AWS role to assume. The token's audience is sts.amazonaws.com.
	// +optional
	// +kubebuilder:validation:Pattern=`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$`
	// +kubebuilder:validation:MaxLength=2048
	RoleARN string `json:"roleARN,omitempty"`

	// provider is the Google Cloud workload identity pool provider that trusts this cluster:
	// projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER. The token's audience is its full name, which begins
	// with //iam.googleapis.com/.
	// +optional
	// +kubebuilder:validation:Pattern=`^projects/[0-9]+/locations/global/workloadIdentityPools/[a-z0-9-]+/providers/[a-z0-9-]+$`
	// +kubebuilder:validation:MaxLength=512
	Provider string `json:"provider,omitempty"`
}

// AssumeRole is an AWS role to assume.
type AssumeRole struct {
	// roleARN is the role, for example arn:aws:iam::123456789012:role/mooring.
	// +required
	// +kubebuilder:validation:Pattern=`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$`
	// +kubebuilder:validation:MaxLength=2048
	RoleARN string `json:"roleARN"`

	// externalID is a value that the role's trust policy may require (sts:ExternalId). If unset, it is the uid of the namespace of the
	// Bucket or Database, which nobody can choose.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=1224
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9+=,.@:/_-]+$`
	ExternalID string `json:"externalID,omitempty"`
}

// ClusterCredentials of a platform's account: exactly one of secretRef, ambient and webIdentity, then optional roles or a service
// account.
type ClusterCredentials struct {
	// secretRef names a Secret in Mooring's own namespace. AWS: the keys AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY. Google Cloud: the key credentials.json, with a key of type service_account.
	// +optional
	SecretRef *LocalSecretReference `json:"secretRef,omitempty"`

	// ambient uses the identity that Mooring itself runs with.
	// +optional
	Ambient *AmbientCredentials `json:"ambient,omitempty"`

	IdentityChain `json:",inline"`
}

// AmbientCredentials is the identity that Mooring itself runs with. It has no settings.
type AmbientCredentials struct{}

// ProviderConfigSpec is a team's cloud account and an identity in it.
// +kubebuilder:validation:XValidation:rule="[has(self.aws), has(self.gcp)].filter(set, set).size() == 1",message="set exactly one of spec.aws and spec.gcp"
// +kubebuilder:validation:XValidation:rule="has(self.credentials.secretRef) != has(self.credentials.webIdentity)",message="set exactly one of spec.credentials.secretRef and spec.credentials.webIdentity"
// +kubebuilder:validation:XValidation:rule="!has(self.credentials.assumeRoles) || has(self.aws)",message="spec.credentials.assumeRoles is only for AWS: for Google Cloud, use spec.credentials.impersonateServiceAccount",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.credentials.impersonateServiceAccount) || has(self.gcp)",message="spec.credentials.impersonateServiceAccount is only for Google Cloud: for AWS, use spec.credentials.assumeRoles",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.credentials.webIdentity) || (has(self.credentials.webIdentity.roleARN) == has(self.aws) && has(self.credentials.webIdentity.provider) == has(self.gcp))",message="spec.credentials.webIdentity needs roleARN for AWS and provider for Google Cloud: set the one of your cloud, and remove the other",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.databaseCAConfigMapRef) || has(self.aws)",message="spec.databaseCAConfigMapRef is only for AWS: Cloud SQL reports the authority of each server, and Mooring publishes it; remove the field"
// +kubebuilder:validation:XValidation:rule="!has(self.aws) || !has(self.aws.s3Compatible)",message="spec.aws.s3Compatible is only for ClusterProviderConfigs, which have an endpoint: ask your platform team for one that leads to the store",fieldPath=".aws"
type ProviderConfigSpec struct {
	Account `json:",inline"`

	// credentials of the account.
	// +required
	Credentials Credentials `json:"credentials"`

	// databaseCAConfigMapRef names a ConfigMap in the same namespace with the certificate authorities, in PEM, that sign the certificates
	// of the account's RDS servers. Mooring writes them into the connection Secrets of Databases, as certificates. If unset, these Secrets have
	// no certificates. Mooring downloads nothing: take the bundle of your region from
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL.html. It may contain certificates only, and at most 256 KiB.
	// While the ConfigMap is missing or wrong, the Secrets keep the certificates that they have. Only for AWS: Cloud SQL reports the authority
	// of each server.
	// +optional
	DatabaseCAConfigMapRef *ConfigMapKeyReference `json:"databaseCAConfigMapRef,omitempty"`
}

// ClusterProviderConfigSpec is a platform's cloud account, an identity in it, and who may use it.
// +kubebuilder:validation:XValidation:rule="[has(self.aws), has(self.gcp)].filter(set, set).size() == 1",message="set exactly one of spec.aws and spec.gcp"
// +kubebuilder:validation:XValidation:rule="[has(self.credentials.secretRef), has(self.credentials.ambient), has(self.credentials.webIdentity)].filter(set, set).size() == 1",message="set exactly one of spec.credentials.secretRef, spec.credentials.ambient and spec.credentials.webIdentity"
// +kubebuilder:validation:XValidation:rule="!has(self.credentials.assumeRoles) || has(self.aws)",message="spec.credentials.assumeRoles is only for AWS: for Google Cloud, use spec.credentials.impersonateServiceAccount",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.credentials.impersonateServiceAccount) || has(self.gcp)",message="spec.credentials.impersonateServiceAccount is only for Google Cloud: for AWS, use spec.credentials.assumeRoles",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.credentials.webIdentity) || (has(self.credentials.webIdentity.roleARN) == has(self.aws) && has(self.credentials.webIdentity.provider) == has(self.gcp))",message="spec.credentials.webIdentity needs roleARN for AWS and provider for Google Cloud: set the one of your cloud, and remove the other",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.databaseCAConfigMapRef) || has(self.aws)",message="spec.databaseCAConfigMapRef is only for AWS: Cloud SQL reports the authority of each server, and Mooring publishes it; remove the field"
// +kubebuilder:validation:XValidation:rule="!has(self.aws) || !has(self.aws.s3Compatible) || has(self.endpoint)",message="spec.aws.s3Compatible needs spec.endpoint, the URL of the store: set it, or remove spec.aws.s3Compatible to use Amazon S3",fieldPath=".aws"
// +kubebuilder:validation:XValidation:rule="!has(self.aws) || !has(self.aws.s3Compatible) || !has(self.aws.bucketNamespace)",message="spec.aws.bucketNamespace is for Amazon S3, and spec.aws.s3Compatible leads to another store: remove one of them",fieldPath=".aws"
// +kubebuilder:validation:XValidation:rule="!has(self.aws) || !has(self.aws.s3Compatible) || !has(self.aws.accountID)",message="spec.aws.accountID is an account of AWS, and spec.aws.s3Compatible leads to another store: remove one of them",fieldPath=".aws"
type ClusterProviderConfigSpec struct {
	Account `json:",inline"`

	// credentials of the account.
	// +required
	Credentials ClusterCredentials `json:"credentials"`

	// endpoint is the URL of the cloud's API, for private endpoints and for clouds with the same API. If unset, Mooring uses the cloud's
	// public endpoints.
	// +optional
	// +kubebuilder:validation:Pattern=`^https?://[^/?#]+/?$`
	// +kubebuilder:validation:MaxLength=253
	Endpoint string `json:"endpoint,omitempty"`

	// databaseCAConfigMapRef names a ConfigMap in Mooring's own namespace with the certificate authorities, in PEM, that sign the certificates
	// of the account's RDS servers. Mooring writes them into the connection Secrets of Databases, as certificates. If unset, these Secrets have
	// no certificates. Mooring downloads nothing: take the bundle of your region from
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL.html. It may contain certificates only, and at most 256 KiB.
	// While the ConfigMap is missing or wrong, the Secrets keep the certificates that they have. Only for AWS: Cloud SQL reports the authority
	// of each server.
	// +optional
	DatabaseCAConfigMapRef *ConfigMapKeyReference `json:"databaseCAConfigMapRef,omitempty"`

	// allowedNamespaces selects the namespaces that may use this account, by their labels. An empty selector ({}) selects all. If unset,
	// no namespace may use it.
	// +optional
	AllowedNamespaces *metav1.LabelSelector `json:"allowedNamespaces,omitempty"`

	// directUse lets objects of the allowed namespaces name this provider config in spec.providerConfigRef. Without it, they can use it
	// only through a class.
	// +optional
	DirectUse bool `json:"directUse,omitempty"`
}

// ProviderConfigStatus is the observed state of an account.
type ProviderConfigStatus struct {
	// observedGeneration is the generation of the spec that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions has one condition: Ready (the credentials lead to the account).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// provider is the cloud: aws or gcp.
	// +optional
	Provider string `json:"provider,omitempty"`

	// accountID is the account (AWS) or project (Google Cloud) that the credentials lead to.
	// +optional
	AccountID string `json:"accountID,omitempty"`

	// callLimits says for which calls the cloud limits their rate in this account, as Mooring learnt from the calls that the cloud refused, and what that means: for
	// example "Cloud SQL calls: resyncs take 160 of 180 calls a minute; each object is observed every 23 minutes". It is empty if no limit is known. The
	// numbers are rounded, and are written again once they differ by a quarter.
	// +optional
	CallLimits string `json:"callLimits,omitempty"`

	// inUseBy names the oldest objects that depend on the account, for example "Database shop/orders and others". While there are any, the
	// provider config can't be deleted, unless its annotation mooring.dev/allow-deletion is "true".
	// +optional
	InUseBy string `json:"inUseBy,omitempty"`
}

// ProviderConfig is a team's cloud account, for objects of the same namespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=mpc,categories=mooring
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="In use by",type=string,priority=1,JSONPath=`.status.inUseBy`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type ProviderConfig struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is a team's cloud account and an identity in it.
	// +required
	Spec ProviderConfigSpec `json:"spec"`

	// status is the observed state of the account.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status ProviderConfigStatus `json:"status,omitempty"`
}

// ProviderConfigList is a list of provider configs.
//
// +kubebuilder:object:root=true
type ProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProviderConfig `json:"items"`
}

func init() { register(&ProviderConfig{}, &ProviderConfigList{}) }

// ClusterProviderConfig is a platform's cloud account, for the namespaces that it selects.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=mcpc
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="In use by",type=string,priority=1,JSONPath=`.status.inUseBy`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type ClusterProviderConfig struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is a platform's cloud account, an identity in it, and who may use it.
	// +required
	Spec ClusterProviderConfigSpec `json:"spec"`

	// status is the observed state of the account.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status ProviderConfigStatus `json:"status,omitempty"`
}

// ClusterProviderConfigList is a list of cluster provider configs.
//
// +kubebuilder:object:root=true
type ClusterProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterProviderConfig `json:"items"`
}

func init() { register(&ClusterProviderConfig{}, &ClusterProviderConfigList{}) }

// GetAccount implements ProviderConfigObject.
func (c *ProviderConfig) GetAccount() Account { return c.Spec.Account }

// GetProviderConfigStatus implements ProviderConfigObject.
func (c *ProviderConfig) GetProviderConfigStatus() *ProviderConfigStatus { return &c.Status }

// GetConditions implements ProviderConfigObject.
func (c *ProviderConfig) GetConditions() []metav1.Condition { return c.Status.Conditions }

// GetAccount implements ProviderConfigObject.
func (c *ClusterProviderConfig) GetAccount() Account { return c.Spec.Account }

// GetProviderConfigStatus implements ProviderConfigObject.
func (c *ClusterProviderConfig) GetProviderConfigStatus() *ProviderConfigStatus { return &c.Status }

// GetConditions implements ProviderConfigObject.
func (c *ClusterProviderConfig) GetConditions() []metav1.Condition { return c.Status.Conditions }
