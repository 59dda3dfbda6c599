package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DatabaseClassSpec is the desired state of a class of databases.
// +kubebuilder:validation:XValidation:rule="!has(self.defaultSize) || (has(self.sizes) && self.sizes.exists(s, s.name == self.defaultSize))",message="spec.defaultSize must be the name of one of spec.sizes",fieldPath=".defaultSize"
// +kubebuilder:validation:XValidation:rule="!has(self.sizes) || self.sizes.all(s, [has(s.aws), has(s.gcp)].filter(set, set).size() == 1)",message="each of spec.sizes needs exactly one of aws.instanceClass and gcp.tier, because a class is in one cloud",fieldPath=".sizes"
// +kubebuilder:validation:XValidation:rule="!has(self.sizes) || self.sizes.all(s, (has(s.aws) && has(s.aws.instanceClass)) || (has(s.gcp) && has(s.gcp.tier)))",message="each of spec.sizes needs aws.instanceClass or gcp.tier",fieldPath=".sizes"
// +kubebuilder:validation:XValidation:rule="!has(self.sizes) || self.sizes.all(s, !has(s.storage) || !has(s.storage.minGiB) || !has(s.storage.maxGiB) || s.storage.minGiB <= s.storage.maxGiB)",message="storage.minGiB of a size must not be more than its storage.maxGiB",fieldPath=".sizes"
// +kubebuilder:validation:XValidation:rule="!((has(self.defaults) && has(self.defaults.aws)) || (has(self.enforced) && has(self.enforced.aws)) || (has(self.sizes) && self.sizes.exists(s, has(s.aws)))) || !((has(self.defaults) && has(self.defaults.gcp)) || (has(self.enforced) && has(self.enforced.gcp)) || (has(self.sizes) && self.sizes.exists(s, has(s.gcp))))",message="aws and gcp exclude each other in a class, because it is in one cloud: remove one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.defaults) || !has(self.defaults.tags) || self.defaults.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.defaults.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".defaults.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.enforced) || !has(self.enforced.tags) || self.enforced.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.enforced.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".enforced.tags"
// +kubebuilder:validation:XValidation:rule="has(self.providerConfigRef) || (has(self.accounts) && self.accounts.size() > 0)",message="spec.providerConfigRef or spec.accounts is required, because a class leads to an account: set one of them, or both"
type DatabaseClassSpec struct {
	ClassSpec `json:",inline"`

	// defaults apply to fields that a Database does not set. Here each field has its whole description.
	// +optional
	Defaults *DatabaseParameters `json:"defaults,omitempty"`

	// enforced applies whatever a Database sets. A Database that sets another value is refused.
	// +optional
	Enforced *DatabaseParameters `json:"enforced,omitempty"`

	// sizes is the catalogue for spec.size of a Database. If a class has sizes, a Database can't set an instance class or tier.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Sizes []DatabaseSize `json:"sizes,omitempty"`

	// defaultSize is the size of databases that set none. If unset and there are sizes, a Database has to set one.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	DefaultSize string `json:"defaultSize,omitempty"`

	// maxSnapshotsPerNamespace is how many DatabaseSnapshots of Databases of the class a namespace may have. Final snapshots count, and are never refused.
	// Snapshots that existed before their object (spec.source.externalName) do not count. What is in the cloud counts first, then the oldest objects, and
	// those beyond are refused. A DatabaseSnapshot that counts can't be deleted with deletionPolicy Retain, because its snapshot would stay and count nowhere;
	// the deletion of its namespace leaves it. If unset, there is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	MaxSnapshotsPerNamespace *int32 `json:"maxSnapshotsPerNamespace,omitempty"`

	// deletionPolicy is the default for databases that set none: Snapshot, Delete or Retain. If unset, it is Snapshot.
	// +optional
	// +kubebuilder:validation:Enum=Snapshot;Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// finalSnapshot has the defaults for fields of spec.finalSnapshot that databases do not set.
	// +optional
	FinalSnapshot *FinalSnapshot `json:"finalSnapshot,omitempty"`

	// enforcedFinalSnapshot applies whatever a Database sets in spec.finalSnapshot. A Database that sets another value is refused.
	// +optional
	EnforcedFinalSnapshot *FinalSnapshot `json:"enforcedFinalSnapshot,omitempty"`
}

// DatabaseSize is an entry of the catalogue.
type DatabaseSize struct {
	// name that a Database sets in spec.size.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// description explains to developers in one line what they get.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`

	// cost is a hint in your own words, for example "about 25 EUR a month". Nothing is computed from it.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Cost string `json:"cost,omitempty"`

	// aws contains the instance class, for classes in AWS.
	// +optional
	AWS *DatabaseAWS `json:"aws,omitempty"`

	// gcp contains the tier, for classes in Google Cloud.
	// +optional
	GCP *DatabaseGCP `json:"gcp,omitempty"`

	// storage limits the disk.
	// +optional
	Storage *DatabaseStorageBounds `json:"storage,omitempty"`
}

// DatabaseStorageBounds limits the disk of a size.
type DatabaseStorageBounds struct {
	// minGiB is the minimum size of the disk in GiB, and the size for a Database that sets none.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=65536
	MinGiB *int32 `json:"minGiB,omitempty"`

	// maxGiB is the maximum size of the disk in GiB, and of what a Database may set in storage.maxSizeGiB.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=65536
	MaxGiB *int32 `json:"maxGiB,omitempty"`
}

// DatabaseClass is a kind of database that a platform team offers: account, defaults, sizes and limits. Developers name it in
// spec.className.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=dbclass
// +kubebuilder:printcolumn:name="Default",type=string,JSONPath=`.metadata.annotations.mooring\.dev/is-default-class`
// +kubebuilder:printcolumn:name="Engine",type=string,JSONPath=`.spec['defaults','enforced'].engine`
// +kubebuilder:printcolumn:name="Sizes",type=string,JSONPath=`.status.sizes`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Description",type=string,JSONPath=`.spec.description`
// +kubebuilder:printcolumn:name="Users",type=integer,priority=1,JSONPath=`.status.users`
// +kubebuilder:printcolumn:name="Up to date",type=integer,priority=1,JSONPath=`.status.upToDate`
// +kubebuilder:printcolumn:name="Waiting",type=integer,priority=1,JSONPath=`.status.waiting`
// +kubebuilder:printcolumn:name="Stalled",type=integer,priority=1,JSONPath=`.status.stalled`
// +kubebuilder:printcolumn:name="Catalogue",type=string,priority=1,JSONPath=`.status.catalogue`
// +kubebuilder:printcolumn:name="Accounts",type=string,priority=1,JSONPath=`.status.accounts`
// +kubebuilder:printcolumn:name="Age",type=date,priority=1,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label"
type DatabaseClass struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the class.
	// +required
	Spec DatabaseClassSpec `json:"spec"`

	// status is the observed state of the class and its users.
	// +optional
	Status ClassStatus `json:"status,omitzero"`
}

// DatabaseClassList is a list of classes of databases.
//
// +kubebuilder:object:root=true
type DatabaseClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DatabaseClass `json:"items"`
}

func init() { register(&DatabaseClass{}, &DatabaseClassList{}) }

// GetClassSpec implements ClassObject.
func (c *DatabaseClass) GetClassSpec() *ClassSpec { return &c.Spec.ClassSpec }

// GetClassStatus implements ClassObject.
func (c *DatabaseClass) GetClassStatus() *ClassStatus { return &c.Status }

// GetConditions implements ClassObject.
func (c *DatabaseClass) GetConditions() []metav1.Condition { return c.Status.Conditions }

// GetDefaults implements ClassObject.
func (c *DatabaseClass) GetDefaults() any { return c.Spec.Defaults }

// GetEnforced implements ClassObject.
func (c *DatabaseClass) GetEnforced() any { return c.Spec.Enforced }

// GetDeletionPolicy implements ClassObject.
func (c *DatabaseClass) GetDeletionPolicy() DeletionPolicy { return c.Spec.DeletionPolicy }

// GetFinalSnapshots implements ClassObject.
func (c *DatabaseClass) GetFinalSnapshots() (defaults, enforced *FinalSnapshot) {
	return c.Spec.FinalSnapshot, c.Spec.EnforcedFinalSnapshot
}

// GetSizes implements ClassObject.
func (c *DatabaseClass) GetSizes() []ClassSize {
	var sizes []ClassSize
	for i := range c.Spec.Sizes {
		s := &c.Spec.Sizes[i]
		size := ClassSize{Name: s.Name, Description: s.Description, Cost: s.Cost, Entry: s}
		if b := s.Storage; b != nil {
			size.Bounds = map[string]SizeBounds{"storage.sizeGiB": {Min: b.MinGiB, Max: b.MaxGiB}, "storage.maxSizeGiB": {Max: b.MaxGiB}}
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// GetDefaultSize implements ClassObject.
func (c *DatabaseClass) GetDefaultSize() string { return c.Spec.DefaultSize }
