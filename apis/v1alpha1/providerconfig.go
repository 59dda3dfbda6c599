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

// Account says which cloud and which account in it: exactly one of aws and gcp.
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
	// region where objects are created that name no location, as eu-central-1.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`
	// +kubebuilder:validation:MaxLength=32
	Region string `json:"region"`

	// accountID that the credentials must lead to. If they lead elsewhere nothing is done.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9]{12}$`
	AccountID string `json:"accountID,omitempty"`
}

// GCPAccount is a project of Google Cloud.
type GCPAccount struct {
	// project is the id of the project.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]{4,28}[a-z0-9]$`
	Project string `json:"project"`

	// region where objects are created that name no location, as europe-west3.
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z]+(-[a-z0-9]+)*$`
	// +kubebuilder:validation:MaxLength=32
	Region string `json:"region,omitempty"`
}

// LocalSecretReference names a Secret. Where it is looked for follows from the kind that refers
// to it, and can't be chosen.
type LocalSecretReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Credentials of a team's account.
type Credentials struct {
	// secretRef names a Secret in the same namespace. AWS: the keys AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY. Google Cloud: the key credentials.json, with a key of type service_account.
	// +required
	SecretRef LocalSecretReference `json:"secretRef"`
}

// ClusterCredentials of a platform's account: exactly one of secretRef and ambient.
type ClusterCredentials struct {
	// secretRef names a Secret in Mooring's own namespace. AWS: the keys AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY. Google Cloud: the key credentials.json, with a key of type service_account.
	// +optional
	SecretRef *LocalSecretReference `json:"secretRef,omitempty"`

	// ambient uses the identity that Mooring itself runs with.
	// +optional
	Ambient *AmbientCredentials `json:"ambient,omitempty"`
}

// AmbientCredentials is the identity that Mooring itself runs with. It has no settings.
type AmbientCredentials struct{}

// ProviderConfigSpec is a team's cloud account and an identity in it.
type ProviderConfigSpec struct {
	Account `json:",inline"`

	// credentials of the account.
	// +required
	Credentials Credentials `json:"credentials"`
}

// ClusterProviderConfigSpec is a platform's cloud account, an identity in it, and who may use it.
type ClusterProviderConfigSpec struct {
	Account `json:",inline"`

	// credentials of the account.
	// +required
	Credentials ClusterCredentials `json:"credentials"`

	// endpoint is the URL of the cloud's API, for private endpoints and clouds that speak the same API.
	// Unset, the cloud's public endpoints are used.
	// +optional
	// +kubebuilder:validation:Pattern=`^https?://[^/?#]+/?$`
	// +kubebuilder:validation:MaxLength=253
	Endpoint string `json:"endpoint,omitempty"`

	// allowedNamespaces selects the namespaces, by their labels, that may use this account. An empty
	// selector ({}) selects all; unset, none.
	// +optional
	AllowedNamespaces *metav1.LabelSelector `json:"allowedNamespaces,omitempty"`

	// directUse lets objects of the allowed namespaces name this config in spec.providerConfigRef. Without it
	// they get here through a class only.
	// +optional
	DirectUse bool `json:"directUse,omitempty"`
}

// ProviderConfigStatus is what is known of an account.
type ProviderConfigStatus struct {
	// observedGeneration is the generation of the spec that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready (the credentials lead to the account).
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
}

// ProviderConfig is a team's cloud account, for objects of the same namespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=pc,categories=mooring
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="has(self.spec.aws) != has(self.spec.gcp)",message="set exactly one of spec.aws and spec.gcp"
type ProviderConfig struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is a team's cloud account and an identity in it.
	// +required
	Spec ProviderConfigSpec `json:"spec"`

	// status is what is known of the account.
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

// ClusterProviderConfig is a platform's cloud account, for the namespaces that it selects.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=cpc,categories=mooring
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="has(self.spec.aws) != has(self.spec.gcp)",message="set exactly one of spec.aws and spec.gcp"
// +kubebuilder:validation:XValidation:rule="has(self.spec.credentials.secretRef) != has(self.spec.credentials.ambient)",message="set exactly one of spec.credentials.secretRef and spec.credentials.ambient"
type ClusterProviderConfig struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is a platform's cloud account, an identity in it, and who may use it.
	// +required
	Spec ClusterProviderConfigSpec `json:"spec"`

	// status is what is known of the account.
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
