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

	// providerConfigRef names the account in which objects of the class are created. If accounts is set, it serves the namespaces that no
	// entry of accounts selects; without it, these can't create objects of the class. A class needs providerConfigRef, accounts, or both.
	// An object stays in the account in which it was created, so a change here applies only to new objects.
	// +optional
	ProviderConfigRef ClusterProviderConfigReference `json:"providerConfigRef,omitzero"`

	// accounts chooses the account of a new object by the labels of its namespace. The first entry that selects the namespace decides. An
	// object stays in the account in which it was created: another label on the namespace, another order of the entries or an entry that
	// is removed applies only to new objects, and to an object that is deleted and created again. All accounts of a class are in one
	// cloud.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Accounts []ClassAccount `json:"accounts,omitempty"`

	// locations lists what objects of the class may set in spec.location. The first one is the default, unless defaults or enforced name
	// another of the list. If unset, every location is allowed. An object stays where it was created, so a change here applies only to new
	// objects.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=2
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z][a-z0-9-]*[a-z0-9]$`
	// +kubebuilder:validation:XValidation:rule="self.all(l, self.exists_one(other, other == l))",message="spec.locations must not name a location twice"
	Locations []string `json:"locations,omitempty"`

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

	// allowedReferences lists other cloud objects that objects of the class may name: encryption keys, networks, roles and the like. What
	// defaults, sizes and enforced name is always allowed. If unset, nothing else is. A value that an object of the class sets is compared
	// as it is written. A ProviderConfig of a namespace's own has no such limit: there the cloud's own permissions decide.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	AllowedReferences []AllowedReference `json:"allowedReferences,omitempty"`

	// updates has the defaults for fields of spec.updates that objects do not set. An object needs the verb approve of whoever sets a laxer value in it
	// than the class has: OnSpecChange or Always in place of OnApproval, Always in place of OnSpecChange, Immediate in place of MaintenanceWindow, or InPlace
	// in place of BlueGreen. If a change here is laxer, it releases nothing that waits for approval or for the maintenance window by then.
	// +optional
	Updates *Updates `json:"updates,omitempty"`

	// enforcedUpdates applies whatever an object sets in spec.updates. An object that sets another value is refused.
	// +optional
	EnforcedUpdates *Updates `json:"enforcedUpdates,omitempty"`
}

// ClassAccount is the account of some namespaces.
type ClassAccount struct {
	// namespaceSelector selects namespaces by their labels. An empty selector ({}) selects all, so that no entry after it has an effect.
	// +required
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`

	// providerConfigRef names the account in which new objects of these namespaces are created. The ClusterProviderConfig has to allow the
	// namespaces, too.
	// +required
	ProviderConfigRef ClusterProviderConfigReference `json:"providerConfigRef"`
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

	// message explains to developers what the rule requires, and what to do.
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

// AllowedReference allows values of a field that names another cloud object.
type AllowedReference struct {
	// field is the path of the field, for example spec.encryption.key. The reference of fields says which fields name another cloud
	// object.
	// +required
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^spec(\.[a-zA-Z][a-zA-Z0-9]*)+$`
	Field string `json:"field"`

	// pattern is a regular expression (RE2, as in the CEL function matches) that the whole value must match, for example
	// arn:aws:kms:eu-central-1:123456789012:key/.* for all keys of an account. There is no need for ^ and $. Of a list, each entry must
	// match a pattern.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Pattern string `json:"pattern"`
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

	// accounts are the names of the ClusterProviderConfigs of the class in one line, for kubectl get -o wide.
	// +optional
	Accounts string `json:"accounts,omitempty"`

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

	// waiting is how many of them wait for the approval of a disruptive change of the class, or for their maintenance window to make it.
	// +optional
	Waiting int32 `json:"waiting"`
}
