package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BucketClassSpec is the desired state of a class of buckets.
// +kubebuilder:validation:XValidation:rule="!has(self.defaults) || !has(self.defaults.tags) || self.defaults.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.defaults.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".defaults.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.enforced) || !has(self.enforced.tags) || self.enforced.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.enforced.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".enforced.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.updates) || !has(self.updates.timing) || self.updates.timing != 'MaintenanceWindow'",message="spec.updates.timing MaintenanceWindow is for classes of databases, because a bucket has no maintenance window: set it to Immediate, or remove it",fieldPath=".updates.timing"
// +kubebuilder:validation:XValidation:rule="has(self.providerConfigRef) || (has(self.accounts) && self.accounts.size() > 0)",message="spec.providerConfigRef or spec.accounts is required, because a class leads to an account: set one of them, or both"
// +kubebuilder:validation:XValidation:rule="!has(self.updates) || !has(self.updates.strategy)",message="spec.updates.strategy is for the version of a Database: remove it",fieldPath=".updates"
// +kubebuilder:validation:XValidation:rule="!has(self.enforcedUpdates) || !has(self.enforcedUpdates.timing) || self.enforcedUpdates.timing != 'MaintenanceWindow'",message="spec.enforcedUpdates.timing MaintenanceWindow is for classes of databases, because a bucket has no maintenance window: set it to Immediate, or remove it",fieldPath=".enforcedUpdates.timing"
// +kubebuilder:validation:XValidation:rule="!has(self.enforcedUpdates) || !has(self.enforcedUpdates.strategy)",message="spec.enforcedUpdates.strategy is for the version of a Database: remove it",fieldPath=".enforcedUpdates"
type BucketClassSpec struct {
	ClassSpec `json:",inline"`

	// defaults apply to fields that a Bucket does not set. Here each field has its whole description.
	// +optional
	Defaults *BucketParameters `json:"defaults,omitempty"`

	// enforced applies whatever a Bucket sets. A Bucket that sets another value is refused.
	// +optional
	Enforced *BucketParameters `json:"enforced,omitempty"`

	// deletionPolicy is the default for buckets that set none: Delete or Retain. If unset, it is Delete.
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// BucketClass is a kind of bucket that a platform team offers: account, defaults and limits. Developers name it in spec.className.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=bktclass
// +kubebuilder:printcolumn:name="Default",type=string,JSONPath=`.metadata.annotations.mooring\.dev/is-default-class`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Description",type=string,JSONPath=`.spec.description`
// +kubebuilder:printcolumn:name="Users",type=integer,priority=1,JSONPath=`.status.users`
// +kubebuilder:printcolumn:name="Up to date",type=integer,priority=1,JSONPath=`.status.upToDate`
// +kubebuilder:printcolumn:name="Waiting",type=integer,priority=1,JSONPath=`.status.waiting`
// +kubebuilder:printcolumn:name="Stalled",type=integer,priority=1,JSONPath=`.status.stalled`
// +kubebuilder:printcolumn:name="Accounts",type=string,priority=1,JSONPath=`.status.accounts`
// +kubebuilder:printcolumn:name="Age",type=date,priority=1,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label"
type BucketClass struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the class.
	// +required
	Spec BucketClassSpec `json:"spec"`

	// status is the observed state of the class and its users.
	// +optional
	Status ClassStatus `json:"status,omitzero"`
}

// BucketClassList is a list of classes of buckets.
//
// +kubebuilder:object:root=true
type BucketClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BucketClass `json:"items"`
}

func init() { register(&BucketClass{}, &BucketClassList{}) }

// GetClassSpec implements ClassObject.
func (c *BucketClass) GetClassSpec() *ClassSpec { return &c.Spec.ClassSpec }

// GetClassStatus implements ClassObject.
func (c *BucketClass) GetClassStatus() *ClassStatus { return &c.Status }

// GetConditions implements ClassObject.
func (c *BucketClass) GetConditions() []metav1.Condition { return c.Status.Conditions }

// GetDefaults implements ClassObject.
func (c *BucketClass) GetDefaults() any { return c.Spec.Defaults }

// GetEnforced implements ClassObject.
func (c *BucketClass) GetEnforced() any { return c.Spec.Enforced }

// GetDeletionPolicy implements ClassObject.
func (c *BucketClass) GetDeletionPolicy() DeletionPolicy { return c.Spec.DeletionPolicy }

// GetFinalSnapshots implements ClassObject: a bucket has no final snapshot.
func (c *BucketClass) GetFinalSnapshots() (defaults, enforced *FinalSnapshot) { return nil, nil }

// GetSizes implements ClassObject: buckets have no sizes.
func (c *BucketClass) GetSizes() []ClassSize { return nil }

// GetDefaultSize implements ClassObject.
func (c *BucketClass) GetDefaultSize() string { return "" }
