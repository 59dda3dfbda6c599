package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AllowAdoption says which existing cloud objects the objects of a class may take over or observe.
// +kubebuilder:validation:Enum=None;IfMarked;Any
type AllowAdoption string

// The values of AllowAdoption.
const (
	AllowAdoptionNone     AllowAdoption = "None"
	AllowAdoptionIfMarked AllowAdoption = "IfMarked"
	AllowAdoptionAny      AllowAdoption = "Any"
)

// ClassSpec holds what the classes of all kinds share.
type ClassSpec struct {
	// description says in one line what the class is for. `kubectl get` shows it to developers.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`

	// providerConfigRef names the account in which objects of the class are created. An object stays in the account in which it was
	// created, so a change here applies only to new objects.
	// +required
	ProviderConfigRef ClusterProviderConfigReference `json:"providerConfigRef"`

	// allowedNamespaces selects the namespaces that may use the class, by their labels. An empty selector ({}) selects all. If unset, no
	// namespace may use it. The ClusterProviderConfig has to allow the namespace, too.
	// +optional
	AllowedNamespaces *metav1.LabelSelector `json:"allowedNamespaces,omitempty"`

	// allowAdoption says which existing cloud objects the objects of the class may take over. IfMarked (default): those with the object's
	// own mark, for example after the cluster was lost and restored. None: not even those. Any: also cloud objects without a mark, which
	// they may also observe (management: Observe). For that, developers also need the verb adopt.
	// +optional
	AllowAdoption AllowAdoption `json:"allowAdoption,omitempty"`

	// maxPerNamespace is how many objects of the class a namespace may have. The oldest objects count first, and those beyond are
	// refused. If unset, there is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	MaxPerNamespace *int32 `json:"maxPerNamespace,omitempty"`

	// constraints are rules for every object of the class. A new object that violates one is refused. Mooring does not change an existing
	// object until it complies again. A deletion is never refused.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Constraints []Constraint `json:"constraints,omitempty"`

	// updates is the default for objects that do not set spec.updates.
	// +optional
	Updates *Updates `json:"updates,omitempty"`
}

// ClusterProviderConfigReference names a ClusterProviderConfig.
type ClusterProviderConfigReference struct {
	// name of the ClusterProviderConfig.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
}

// Constraint is a rule for the objects of a class.
type Constraint struct {
	// rule is an expression in CEL (Common Expression Language) that is true for objects that comply. It can use `spec`, the object's
	// spec with the class merged into it; `namespaceObject`, the object's namespace, with `metadata.name` and `metadata.labels`; and
	// `class`, which also has `metadata.annotations`. As in the API server's own rules, a missing field is an error unless the rule allows
	// for it, for example spec.?storage.?sizeGiB.orValue(0) <= 500.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Rule string `json:"rule"`

	// message tells developers what the rule requires, and what to do.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`

	// field is the path of the field that the rule is about, for example spec.storage.sizeGiB.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^spec(\.[a-zA-Z][a-zA-Z0-9]*)*$`
	Field string `json:"field,omitempty"`
}

// ClassStatus is the observed state of a class and its users.
type ClassStatus struct {
	// observedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions has one condition: Ready (the class can be used).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// provider is the cloud that the class leads to: aws or gcp.
	// +optional
	Provider string `json:"provider,omitempty"`

	// sizes are the names of the catalogue in one line, for kubectl get.
	// +optional
	Sizes string `json:"sizes,omitempty"`

	// catalogue is the meaning and cost of the sizes in one line, for kubectl get -o wide.
	// +optional
	Catalogue string `json:"catalogue,omitempty"`

	// users is how many objects use the class.
	// +optional
	Users int32 `json:"users"`

	// upToDate is how many of them comply with the current class.
	// +optional
	UpToDate int32 `json:"upToDate"`

	// stalled is how many of them need a person, without those that wait for approval. The cause may be the class itself. While many are
	// stalled, a change of the class reaches no further objects.
	// +optional
	Stalled int32 `json:"stalled"`

	// waiting is how many of them wait for the approval of a disruptive change of the class.
	// +optional
	Waiting int32 `json:"waiting"`
}

// DatabaseClassSpec is the desired state of a class of databases.
type DatabaseClassSpec struct {
	ClassSpec `json:",inline"`

	// defaults apply to fields that a Database does not set.
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

	// deletionPolicy is the default for databases that set none: Snapshot, Delete or Retain. If unset, it is Snapshot.
	// +optional
	// +kubebuilder:validation:Enum=Snapshot;Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// DatabaseSize is an entry of the catalogue.
type DatabaseSize struct {
	// name that a Database sets in spec.size.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// description tells developers in one line what they get.
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

	// maxGiB is the maximum size of the disk in GiB.
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
// +kubebuilder:printcolumn:name="Age",type=date,priority=1,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.defaultSize) || (has(self.spec.sizes) && self.spec.sizes.exists(s, s.name == self.spec.defaultSize))",message="spec.defaultSize must be the name of one of spec.sizes",fieldPath=".spec.defaultSize"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.sizes) || self.spec.sizes.all(s, [has(s.aws), has(s.gcp)].filter(set, set).size() == 1)",message="each of spec.sizes needs exactly one of aws.instanceClass and gcp.tier, because a class is in one cloud",fieldPath=".spec.sizes"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.sizes) || self.spec.sizes.all(s, (has(s.aws) && has(s.aws.instanceClass)) || (has(s.gcp) && has(s.gcp.tier)))",message="each of spec.sizes needs aws.instanceClass or gcp.tier",fieldPath=".spec.sizes"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.sizes) || self.spec.sizes.all(s, !has(s.storage) || !has(s.storage.minGiB) || !has(s.storage.maxGiB) || s.storage.minGiB <= s.storage.maxGiB)",message="storage.minGiB of a size must not be more than its storage.maxGiB",fieldPath=".spec.sizes"
// +kubebuilder:validation:XValidation:rule="!((has(self.spec.defaults) && has(self.spec.defaults.aws)) || (has(self.spec.enforced) && has(self.spec.enforced.aws)) || (has(self.spec.sizes) && self.spec.sizes.exists(s, has(s.aws)))) || !((has(self.spec.defaults) && has(self.spec.defaults.gcp)) || (has(self.spec.enforced) && has(self.spec.enforced.gcp)) || (has(self.spec.sizes) && self.spec.sizes.exists(s, has(s.gcp))))",message="aws and gcp exclude each other in a class, because it is in one cloud: remove one of them",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.defaults) || !has(self.spec.defaults.tags) || self.spec.defaults.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.defaults.tags keys must begin with a lower-case letter and contain only lower-case letters, digits, - and _ (63 at most). They must not begin with mooring-, which is reserved for Mooring's own mark",fieldPath=".spec.defaults.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.enforced) || !has(self.spec.enforced.tags) || self.spec.enforced.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.enforced.tags keys must begin with a lower-case letter and contain only lower-case letters, digits, - and _ (63 at most). They must not begin with mooring-, which is reserved for Mooring's own mark",fieldPath=".spec.enforced.tags"
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

// BucketClassSpec is the desired state of a class of buckets.
type BucketClassSpec struct {
	ClassSpec `json:",inline"`

	// defaults apply to fields that a Bucket does not set.
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
// +kubebuilder:printcolumn:name="Age",type=date,priority=1,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.defaults) || !has(self.spec.defaults.tags) || self.spec.defaults.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.defaults.tags keys must begin with a lower-case letter and contain only lower-case letters, digits, - and _ (63 at most). They must not begin with mooring-, which is reserved for Mooring's own mark",fieldPath=".spec.defaults.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.enforced) || !has(self.spec.enforced.tags) || self.spec.enforced.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.enforced.tags keys must begin with a lower-case letter and contain only lower-case letters, digits, - and _ (63 at most). They must not begin with mooring-, which is reserved for Mooring's own mark",fieldPath=".spec.enforced.tags"
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

// GetSizes implements ClassObject.
func (c *DatabaseClass) GetSizes() []ClassSize {
	var sizes []ClassSize
	for i := range c.Spec.Sizes {
		s := &c.Spec.Sizes[i]
		size := ClassSize{Name: s.Name, Description: s.Description, Cost: s.Cost, Entry: s}
		if b := s.Storage; b != nil {
			size.Bounds = map[string]SizeBounds{"storage.sizeGiB": {Min: b.MinGiB, Max: b.MaxGiB}}
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// GetDefaultSize implements ClassObject.
func (c *DatabaseClass) GetDefaultSize() string { return c.Spec.DefaultSize }

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

// GetSizes implements ClassObject: buckets have no sizes.
func (c *BucketClass) GetSizes() []ClassSize { return nil }

// GetDefaultSize implements ClassObject.
func (c *BucketClass) GetDefaultSize() string { return "" }
