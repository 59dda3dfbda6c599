package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AllowAdoption says which cloud objects that exist already the objects of a class may take over or observe.
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
	// description tells developers in a line what the class is for. It is what `kubectl get` shows them.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`

	// providerConfigRef names the account that objects of the class are made in. An object stays in the account
	// that it was made in: a change here is about objects that are made later.
	// +required
	ProviderConfigRef ClusterProviderConfigReference `json:"providerConfigRef"`

	// allowedNamespaces selects the namespaces, by their labels, that may use the class. An empty selector ({})
	// selects all; unset, none. The ClusterProviderConfig has to allow the namespace, too.
	// +optional
	AllowedNamespaces *metav1.LabelSelector `json:"allowedNamespaces,omitempty"`

	// allowAdoption says what objects of the class may do about cloud objects that exist already. IfMarked (default):
	// take back those that bear the object's own mark, as after the loss of the cluster. None: not even that. Any: take
	// over or observe (management: Observe) what bears no mark; developers need the right to do so as well.
	// +optional
	AllowAdoption AllowAdoption `json:"allowAdoption,omitempty"`

	// maxPerNamespace is how many objects of the class a namespace may have. Those beyond, by age, are refused; unset, there is
	// no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	MaxPerNamespace *int32 `json:"maxPerNamespace,omitempty"`

	// constraints are rules that every object of the class has to keep. An object that breaks one is refused, and one that
	// exists is no longer changed until it is mended; deletion is never refused.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Constraints []Constraint `json:"constraints,omitempty"`

	// updates is the default for objects that do not say themselves when changes may be made that disturb.
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

// Constraint is a rule that objects of a class have to keep.
type Constraint struct {
	// rule is an expression in CEL (Common Expression Language) that is true for objects that keep the rule. It sees
	// `spec`, the object's spec with the class merged into it; `namespaceObject`, the object's namespace, with
	// `metadata.name` and `metadata.labels`; and `class`, with `metadata.annotations` besides. As in the API server's own
	// rules, a field that is missing is an error unless the rule asks for it so:
	// spec.?storage.?sizeGiB.orValue(0) <= 500.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Rule string `json:"rule"`

	// message says to developers what the rule wants, and what to do.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`

	// field is the path of the field that the rule is about, as spec.storage.sizeGiB.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^spec(\.[a-zA-Z][a-zA-Z0-9]*)*$`
	Field string `json:"field,omitempty"`
}

// ClassStatus is what is known of a class and its users.
type ClassStatus struct {
	// observedGeneration is the generation of the spec that the rest is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready: the class can be used.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// provider is the cloud that the class leads to: aws or gcp.
	// +optional
	Provider string `json:"provider,omitempty"`

	// sizes are the names in the catalogue in a line, for kubectl get.
	// +optional
	Sizes string `json:"sizes,omitempty"`

	// catalogue is what the sizes stand for and cost in a line, for kubectl get -o wide.
	// +optional
	Catalogue string `json:"catalogue,omitempty"`

	// users is how many objects use the class.
	// +optional
	Users int32 `json:"users"`

	// upToDate is how many of them are as the class says now.
	// +optional
	UpToDate int32 `json:"upToDate"`

	// stalled is how many of them need somebody to act, waiting ones aside: it may be the class that is to be mended, and a change of
	// it goes no further while many are.
	// +optional
	Stalled int32 `json:"stalled"`

	// waiting is how many of them have a disruptive change of the class that waits for approval.
	// +optional
	Waiting int32 `json:"waiting"`
}

// DatabaseClassSpec is what a class of databases offers, and what it insists on.
type DatabaseClassSpec struct {
	ClassSpec `json:",inline"`

	// defaults hold for whatever a Database does not say itself.
	// +optional
	Defaults *DatabaseParameters `json:"defaults,omitempty"`

	// enforced holds whatever a Database says. One that says otherwise is refused.
	// +optional
	Enforced *DatabaseParameters `json:"enforced,omitempty"`

	// sizes is the catalogue that spec.size of a Database chooses from. If there is one, instance classes and tiers can't be
	// named in a Database's own spec.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Sizes []DatabaseSize `json:"sizes,omitempty"`

	// defaultSize is the size of databases that name none. Unset, they have to name one if there is a catalogue.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	DefaultSize string `json:"defaultSize,omitempty"`

	// deletionPolicy is the default for databases that name none themselves: Snapshot, Delete or Retain. Unset, it is Snapshot.
	// +optional
	// +kubebuilder:validation:Enum=Snapshot;Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// DatabaseSize is an entry of the catalogue.
type DatabaseSize struct {
	// name that a Database asks for in spec.size.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// description tells developers in a line what they get.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`

	// cost is a hint in your own words, as "about 25 EUR a month". Nothing is computed from it.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Cost string `json:"cost,omitempty"`

	// aws has the instance class, for classes that lead to Amazon RDS.
	// +optional
	AWS *DatabaseAWS `json:"aws,omitempty"`

	// gcp has the tier, for classes that lead to Cloud SQL.
	// +optional
	GCP *DatabaseGCP `json:"gcp,omitempty"`

	// storage bounds the disk.
	// +optional
	Storage *DatabaseStorageBounds `json:"storage,omitempty"`
}

// DatabaseStorageBounds bounds the disk of a size.
type DatabaseStorageBounds struct {
	// minGiB is the least size of the disk in GiB, and what a Database gets that asks for none.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=65536
	MinGiB *int32 `json:"minGiB,omitempty"`

	// maxGiB is the largest size of the disk in GiB that may be asked for.
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
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots: it becomes a label"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.defaultSize) || (has(self.spec.sizes) && self.spec.sizes.exists(s, s.name == self.spec.defaultSize))",message="spec.defaultSize must be the name of one of spec.sizes",fieldPath=".spec.defaultSize"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.sizes) || self.spec.sizes.all(s, has(s.aws) != has(s.gcp))",message="each of spec.sizes needs aws.instanceClass or gcp.tier, and not both: a class leads to one cloud",fieldPath=".spec.sizes"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.sizes) || self.spec.sizes.all(s, (has(s.aws) && has(s.aws.instanceClass)) || (has(s.gcp) && has(s.gcp.tier)))",message="each of spec.sizes needs aws.instanceClass or gcp.tier",fieldPath=".spec.sizes"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.sizes) || self.spec.sizes.all(s, !has(s.storage) || !has(s.storage.minGiB) || !has(s.storage.maxGiB) || s.storage.minGiB <= s.storage.maxGiB)",message="storage.minGiB of a size must not be more than its storage.maxGiB",fieldPath=".spec.sizes"
// +kubebuilder:validation:XValidation:rule="!((has(self.spec.defaults) && has(self.spec.defaults.aws)) || (has(self.spec.enforced) && has(self.spec.enforced.aws)) || (has(self.spec.sizes) && self.spec.sizes.exists(s, has(s.aws)))) || !((has(self.spec.defaults) && has(self.spec.defaults.gcp)) || (has(self.spec.enforced) && has(self.spec.enforced.gcp)) || (has(self.spec.sizes) && self.spec.sizes.exists(s, has(s.gcp))))",message="aws and gcp exclude each other in a class: it leads to one cloud",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.defaults) || !has(self.spec.defaults.tags) || self.spec.defaults.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.defaults.tags keys must begin with a lower-case letter, hold only lower-case letters, digits, - and _ (63 at most), and not begin with mooring-, which Mooring's own mark uses",fieldPath=".spec.defaults.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.enforced) || !has(self.spec.enforced.tags) || self.spec.enforced.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.enforced.tags keys must begin with a lower-case letter, hold only lower-case letters, digits, - and _ (63 at most), and not begin with mooring-, which Mooring's own mark uses",fieldPath=".spec.enforced.tags"
type DatabaseClass struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the class offers, and what it insists on.
	// +required
	Spec DatabaseClassSpec `json:"spec"`

	// status is what is known of the class and its users.
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

// BucketClassSpec is what a class of buckets offers, and what it insists on.
type BucketClassSpec struct {
	ClassSpec `json:",inline"`

	// defaults hold for whatever a Bucket does not say itself.
	// +optional
	Defaults *BucketParameters `json:"defaults,omitempty"`

	// enforced holds whatever a Bucket says. One that says otherwise is refused.
	// +optional
	Enforced *BucketParameters `json:"enforced,omitempty"`

	// deletionPolicy is the default for buckets that name none themselves: Delete or Retain. Unset, it is Delete.
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
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots: it becomes a label"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.defaults) || !has(self.spec.defaults.tags) || self.spec.defaults.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.defaults.tags keys must begin with a lower-case letter, hold only lower-case letters, digits, - and _ (63 at most), and not begin with mooring-, which Mooring's own mark uses",fieldPath=".spec.defaults.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.enforced) || !has(self.spec.enforced.tags) || self.spec.enforced.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.enforced.tags keys must begin with a lower-case letter, hold only lower-case letters, digits, - and _ (63 at most), and not begin with mooring-, which Mooring's own mark uses",fieldPath=".spec.enforced.tags"
type BucketClass struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the class offers, and what it insists on.
	// +required
	Spec BucketClassSpec `json:"spec"`

	// status is what is known of the class and its users.
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
