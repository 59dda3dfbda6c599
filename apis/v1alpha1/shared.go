package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Management says how far Mooring goes with a cloud object.
// +kubebuilder:validation:Enum=Full;Observe
type Management string

// The values of Management.
const (
	ManagementFull    Management = "Full"
	ManagementObserve Management = "Observe"
)

// Adoption says which cloud objects that exist already may be taken over.
// +kubebuilder:validation:Enum=IfMarked;Never;IfExists
type Adoption string

// The values of Adoption.
const (
	AdoptionIfMarked Adoption = "IfMarked"
	AdoptionNever    Adoption = "Never"
	AdoptionIfExists Adoption = "IfExists"
)

// WhenVanished says what to do about a cloud object that was deleted behind Mooring's back.
// +kubebuilder:validation:Enum=Recreate;Stop
type WhenVanished string

// The values of WhenVanished.
const (
	WhenVanishedRecreate WhenVanished = "Recreate"
	WhenVanishedStop     WhenVanished = "Stop"
)

// DeletionPolicy says what becomes of the cloud object when the Kubernetes object is deleted.
type DeletionPolicy string

// The values of DeletionPolicy.
const (
	DeletionSnapshot DeletionPolicy = "Snapshot"
	DeletionDelete   DeletionPolicy = "Delete"
	DeletionRetain   DeletionPolicy = "Retain"
)

// DisruptivePolicy says when a change that is not Online may be made.
// +kubebuilder:validation:Enum=OnSpecChange;Always;OnApproval
type DisruptivePolicy string

// The values of DisruptivePolicy.
const (
	DisruptiveOnSpecChange DisruptivePolicy = "OnSpecChange"
	DisruptiveAlways       DisruptivePolicy = "Always"
	DisruptiveOnApproval   DisruptivePolicy = "OnApproval"
)

// Origin says how an object came to have its cloud object.
type Origin string

// The values of Origin.
const (
	OriginCreated Origin = "Created"
	OriginAdopted Origin = "Adopted"
)

// ResourceSpec holds the spec fields that every cloud kind shares.
type ResourceSpec struct {
	// className names the class that gives account, defaults and sizes: a BucketClass or a DatabaseClass, which
	// `kubectl get` lists. Unset, and providerConfigRef too, the default class is taken at creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ClassName string `json:"className,omitempty"`

	// providerConfigRef names the cloud account to use directly, without a class: a ProviderConfig
	// of the same namespace, or a ClusterProviderConfig that this namespace may use.
	// +optional
	ProviderConfigRef *ProviderConfigReference `json:"providerConfigRef,omitempty"`

	// externalName is the name in the cloud. Unset, it is made from namespace and name, with a hash
	// that no other cluster shares. Set it to adopt what exists (see adoption) or to choose the
	// name yourself. It can't change once the cloud object exists.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=222
	ExternalName string `json:"externalName,omitempty"`

	// adoption says which cloud object that exists already may be taken over. IfMarked (default): one
	// that bears the mark of this cluster, namespace and name, as after the loss of the cluster.
	// Never: none. IfExists: any object of that name in the account; the mark is then written on it.
	// +optional
	Adoption Adoption `json:"adoption,omitempty"`

	// management is Full (default), or Observe: the cloud object is read and mirrored into status,
	// and never created, marked, changed or deleted.
	// +optional
	Management Management `json:"management,omitempty"`

	// whenVanished says what to do when the cloud object was deleted behind Mooring's back after it
	// had been Ready. Recreate (default for buckets) makes it again, empty. Stop (default for databases)
	// stops and says so: an empty database in place of a lost one is not healing.
	// +optional
	WhenVanished WhenVanished `json:"whenVanished,omitempty"`

	// updates says when changes may be made that disturb the users of the cloud object.
	// +optional
	Updates *Updates `json:"updates,omitempty"`
}

// Updates says when changes may be made that disturb the users of the cloud object.
type Updates struct {
	// disruptive is about changes that restart, interrupt, lose backups or can't be taken back. OnSpecChange (default): an edit of the
	// spec is applied at once; putting drift right waits for approval. Always: nothing waits.
	// OnApproval: every disruptive change waits. To approve, set the annotation
	// mooring.dev/approve to the hash in status.plan.hash.
	// +optional
	Disruptive DisruptivePolicy `json:"disruptive,omitempty"`
}

// ProviderConfigReference names a provider config. It has no namespace: a ProviderConfig is taken
// from the namespace of the object that refers to it.
type ProviderConfigReference struct {
	// kind is ProviderConfig (default) or ClusterProviderConfig.
	// +optional
	// +kubebuilder:validation:Enum=ProviderConfig;ClusterProviderConfig
	// +kubebuilder:default=ProviderConfig
	Kind string `json:"kind,omitempty"`

	// name of the provider config.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
}

// Connection says where the details for connecting are to be written.
type Connection struct {
	// secretName is the Secret in the same namespace that Mooring makes and keeps, with the keys of
	// the Service Binding specification. A Secret of that name that Mooring did not make is never
	// touched. When the name changes the new Secret is written first, and the former one is kept up to date for 24 hours.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	SecretName string `json:"secretName"`
}

// SecretKeyReference names a key of a Secret in the same namespace.
type SecretKeyReference struct {
	// name of the Secret, in the same namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`

	// key in the Secret. Default: password.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key,omitempty"`
}

// ResourceStatus holds the status fields that every cloud kind shares.
type ResourceStatus struct {
	// observedGeneration is the generation of the spec that the conditions speak about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// appliedGeneration is the generation of the spec that was last applied in full.
	// +optional
	AppliedGeneration int64 `json:"appliedGeneration,omitempty"`

	// conditions are Ready (this generation was applied, and it is usable), Synced (nothing differs),
	// Available (it can be used now), and while they hold Reconciling and Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// externalName is the name in the cloud. From the moment it is set it does not change.
	// +optional
	ExternalName string `json:"externalName,omitempty"`

	// externalID is the cloud's own identity of the object, which no other object ever gets again,
	// where the cloud has one (RDS: DbiResourceId).
	// +optional
	ExternalID string `json:"externalID,omitempty"`

	// origin says how this object came to have its cloud object: Created by Mooring, or Adopted, which means that the cloud object
	// existed before and was taken over. An adopted cloud object stays in the cloud when this object is deleted before its spec was
	// ever applied in full.
	// +optional
	Origin Origin `json:"origin,omitempty"`

	// markMissing is true while the cloud does not show the mark of a cloud object that Mooring has just created. The mark is then
	// written again.
	// +optional
	MarkMissing bool `json:"markMissing,omitempty"`

	// creationRefused is true while it is known that nothing was created in the cloud: the cloud refused the first creation, and none was
	// sent since. Then this object may change its name, location and account, and its deletion needs no cloud.
	// +optional
	CreationRefused bool `json:"creationRefused,omitempty"`

	// provider is the cloud: aws or gcp.
	// +optional
	Provider string `json:"provider,omitempty"`

	// location is the region or location in the cloud: where the cloud object was observed, or is to be created.
	// +optional
	Location string `json:"location,omitempty"`

	// accountID is the account (AWS) or project (Google Cloud) that the object lives in.
	// +optional
	AccountID string `json:"accountID,omitempty"`

	// className is the class that the object goes by: the one in the spec, or the one that was the default when it was created.
	// +optional
	ClassName string `json:"className,omitempty"`

	// providerConfigRef names the provider config that leads to the object's account. An object of a class stays with the one
	// that the class named when the object was created, whatever becomes of the class.
	// +optional
	ProviderConfigRef *BoundProviderConfig `json:"providerConfigRef,omitempty"`

	// effective holds what comes from the class, and from where in it. All else is the object's own spec.
	// +optional
	Effective *Effective `json:"effective,omitempty"`

	// firstReadyTime is when the cloud object was first seen to be usable. From then on it may hold data, and is
	// never taken for new again.
	// +optional
	FirstReadyTime *metav1.Time `json:"firstReadyTime,omitempty"`

	// operation is the name of the cloud's operation that is under way. A hint: nothing depends on it.
	// +optional
	Operation string `json:"operation,omitempty"`

	// plan identifies the changes that wait for approval.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// pendingChanges lists what differs between spec and cloud and is not yet put right.
	// +optional
	// +listType=map
	// +listMapKey=field
	PendingChanges []PendingChange `json:"pendingChanges,omitempty"`

	// applied holds, for each field that Mooring set in the cloud, the value it set, or for maps and
	// lists the names of the entries it set: so that an entry taken out of the spec is taken out of
	// the cloud, entries of others stay, and drift can be told from an edit.
	// +optional
	Applied map[string][]string `json:"applied,omitempty"`

	// fixed holds the fields that can't change any more, and their values in the cloud. An empty value says that the cloud has none, and
	// that none can be made. The spec may always be changed to name the value that is here. A field that it names otherwise may also be
	// taken out; one that names the value stays in. A field that is not here can be corrected while the cloud refuses it.
	// +optional
	Fixed map[string]string `json:"fixed,omitempty"`

	// binding names the Secret with the details for connecting (Service Binding specification).
	// +optional
	Binding *Binding `json:"binding,omitempty"`

	// formerSecrets are connection Secrets of names that spec.connection.secretName had before. They are kept up to date
	// for 24 hours after the new Secret was written, and then deleted.
	// +optional
	// +listType=map
	// +listMapKey=name
	FormerSecrets []FormerSecret `json:"formerSecrets,omitempty"`
}

// FormerSecret is a connection Secret whose name the spec no longer has.
type FormerSecret struct {
	// name of the Secret, in the same namespace.
	// +required
	Name string `json:"name"`

	// keptUntil is when Mooring deletes it.
	// +required
	KeptUntil metav1.Time `json:"keptUntil"`
}

// Effective holds what an object has from its class, in the words of the spec.
type Effective struct {
	// size is the size in the class's catalogue that was chosen, by the spec or by the class.
	// +optional
	Size string `json:"size,omitempty"`

	// defaults are the class's defaults for what the spec does not say.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Defaults *runtime.RawExtension `json:"defaults,omitempty"`

	// sized is what the size stands for.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Sized *runtime.RawExtension `json:"sized,omitempty"`

	// enforced is what the class insists on.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Enforced *runtime.RawExtension `json:"enforced,omitempty"`
}

// BoundProviderConfig names the provider config that an object is bound by.
type BoundProviderConfig struct {
	// kind is ProviderConfig, of the object's namespace, or ClusterProviderConfig.
	// +required
	Kind string `json:"kind"`

	// name of the provider config.
	// +required
	Name string `json:"name"`
}

// Binding names a Secret, as the Service Binding specification wants it.
type Binding struct {
	// name of the Secret, in the same namespace.
	// +required
	Name string `json:"name"`
}

// PlanStatus identifies the changes that wait for approval.
type PlanStatus struct {
	// hash of the waiting changes and the serial. Set the annotation mooring.dev/approve to it to
	// have them made. Empty when nothing waits.
	// +optional
	Hash string `json:"hash,omitempty"`

	// serial grows with each plan that was settled, so that an old approval approves nothing new.
	// +optional
	Serial int64 `json:"serial,omitempty"`
}

// PendingChange is one difference between spec and cloud.
type PendingChange struct {
	// field is the path of the field in the spec.
	// +required
	Field string `json:"field"`

	// from is the value in the cloud. Empty if there is none.
	// +optional
	From string `json:"from,omitempty"`

	// to is the value that is wanted. Empty if the field is to be removed.
	// +optional
	To string `json:"to,omitempty"`

	// effect is what making the change does: Online, Interrupts, Restarts, LosesBackups, Irreversible, or
	// Impossible.
	// +optional
	Effect string `json:"effect,omitempty"`

	// cause is what made the difference: Spec (an edit), Drift (a change in the cloud) or Class.
	// +optional
	Cause string `json:"cause,omitempty"`
}

// Causes of a pending change.
const (
	CauseSpec  = "Spec"
	CauseDrift = "Drift"
	CauseClass = "Class"
)
