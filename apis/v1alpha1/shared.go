package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Management says what Mooring does with a cloud object.
// +kubebuilder:validation:Enum=Full;Observe
type Management string

// The values of Management.
const (
	ManagementFull    Management = "Full"
	ManagementObserve Management = "Observe"
)

// Adoption says which existing cloud objects may be taken over.
// +kubebuilder:validation:Enum=IfMarked;Never;IfExists
type Adoption string

// The values of Adoption.
const (
	AdoptionIfMarked Adoption = "IfMarked"
	AdoptionNever    Adoption = "Never"
	AdoptionIfExists Adoption = "IfExists"
)

// WhenVanished says what to do if a cloud object was deleted outside Mooring.
// +kubebuilder:validation:Enum=Recreate;Restore;Stop
type WhenVanished string

// The values of WhenVanished.
const (
	WhenVanishedRecreate WhenVanished = "Recreate"
	WhenVanishedRestore  WhenVanished = "Restore"
	WhenVanishedStop     WhenVanished = "Stop"
)

// DeletionPolicy says what happens to the cloud object when the Kubernetes object is deleted.
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

// UpdateTiming says when a disruptive change is made that waits for no approval, or no longer does.
// +kubebuilder:validation:Enum=Immediate;MaintenanceWindow
type UpdateTiming string

// The values of UpdateTiming.
const (
	TimingImmediate         UpdateTiming = "Immediate"
	TimingMaintenanceWindow UpdateTiming = "MaintenanceWindow"
)

// Origin says where the cloud object of an object comes from.
type Origin string

// The values of Origin.
const (
	OriginCreated Origin = "Created"
	OriginAdopted Origin = "Adopted"
)

// ResourceSpec holds the spec fields that every cloud kind shares.
type ResourceSpec struct {
	// className names the class that provides the account, defaults and sizes: a BucketClass or a DatabaseClass. `kubectl get`
	// lists them. If neither className nor providerConfigRef is set, the object uses the class that is the default at its creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ClassName string `json:"className,omitempty"`

	// providerConfigRef names the cloud account to use directly, without a class: a ProviderConfig
	// of the same namespace, or a ClusterProviderConfig that this namespace may use.
	// +optional
	ProviderConfigRef *ProviderConfigReference `json:"providerConfigRef,omitempty"`

	// externalName is the name in the cloud. If unset, Mooring computes it from namespace and name, with a hash that is different in
	// every cluster. Set it to choose the name yourself, or to adopt an existing cloud object (see adoption). It can't change once the
	// cloud object exists.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=222
	ExternalName string `json:"externalName,omitempty"`

	// adoption says which existing cloud object may be taken over. IfMarked (default): one with the mark of this cluster, namespace
	// and name, for example after the cluster was lost and restored. Never: none. IfExists: any cloud object of that name in the
	// account; Mooring then writes its mark on it.
	// +optional
	Adoption Adoption `json:"adoption,omitempty"`

	// management is Full (default) or Observe: Mooring reads the cloud object and mirrors it into status, but never creates,
	// marks, changes or deletes it.
	// +optional
	Management Management `json:"management,omitempty"`

	// whenVanished says what to do if the cloud object was deleted outside Mooring after it had been Ready. Recreate (default for buckets in
	// AWS): create it again, empty. Restore (databases only): restore it under the same name from the newest state that the cloud still has of that very
	// server, and never create an empty one. In AWS that is the latest restorable time of its retained automated backups, or its newest snapshot. In Google
	// Cloud it is its newest backup: Cloud SQL keeps backups of a deleted instance if gcp.retainBackupsOnDelete is true, and final backups. What was
	// written after that is lost: status.restoredFrom and the Event DataLost name the time. If nothing is left, Mooring reports Stalled.
	// Stop (default for databases, and for buckets in Google Cloud): create nothing and report Stalled, because an empty database in place of a lost one
	// would hide the loss, and because Google Cloud restores a deleted bucket only while nobody has its name.
	// +optional
	WhenVanished WhenVanished `json:"whenVanished,omitempty"`

	// updates says when Mooring may make changes that disrupt users of the cloud object.
	// +optional
	Updates *Updates `json:"updates,omitempty"`
}

// Updates says when Mooring may make changes that disrupt users of the cloud object.
type Updates struct {
	// disruptive is about changes that restart, interrupt, lose backups or can't be undone. OnSpecChange (default): Mooring applies
	// an edit of the spec at once, but the correction of drift waits for approval. Always: nothing waits. OnApproval: every
	// disruptive change waits. To approve, set the annotation mooring.dev/approve to the hash in status.plan.hash.
	// +optional
	Disruptive DisruptivePolicy `json:"disruptive,omitempty"`

	// timing is when Mooring makes a disruptive change that needs no approval, or that was approved. Immediate (default): at once.
	// MaintenanceWindow: only in the maintenance window of a Database, which maintenance.window has to set in the spec or in the class.
	// For this, the window is open for one hour from its startTime, in both clouds. Mooring waits and then sends the change: nothing
	// stays pending in the cloud. A change that begins in the window may end after it. If a change can't be sent or fails until the
	// window closes, it waits for the next one. All other changes, the completion of a new server and deletions do not wait.
	// +optional
	Timing UpdateTiming `json:"timing,omitempty"`

	// strategy is how the version of a Database is changed. InPlace (default): the cloud upgrades the server, which is away for minutes. BlueGreen, in Amazon RDS only: RDS
	// prepares a second server with the new version beside the first one, which takes half an hour or more, and costs as much as the first one meanwhile. Then the second
	// one takes the name and the address of the first: connections break for some seconds, and no committed write is lost. With updates.timing MaintenanceWindow both steps
	// wait for the window. The first server stays under another name until you approve its deletion (status.formerServer), so that you can look at it. It has the data up
	// to that moment. PostgreSQL needs the parameter rds.logical_replication for another major version.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-overview.html
	// +optional
	Strategy UpdateStrategy `json:"strategy,omitempty"`
}

// UpdateStrategy says how the version of a database is changed.
// +kubebuilder:validation:Enum=InPlace;BlueGreen
type UpdateStrategy string

// The values of UpdateStrategy.
const (
	StrategyInPlace   UpdateStrategy = "InPlace"
	StrategyBlueGreen UpdateStrategy = "BlueGreen"
)

// ProviderConfigReference names a provider config. It has no namespace: a ProviderConfig is in the namespace of the object that
// refers to it.
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

// Connection says where Mooring writes the connection details.
type Connection struct {
	// secretName is the Secret in the same namespace that Mooring creates and keeps up to date, with the keys of the Service Binding
	// specification. Mooring never changes a Secret of that name that it did not create, and no two objects can have the same one. If the name changes, Mooring writes
	// the new Secret first, and keeps the former one up to date for 24 hours.
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
	// observedGeneration is the generation of the spec that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// appliedGeneration is the generation of the spec that was last applied in full.
	// +optional
	AppliedGeneration int64 `json:"appliedGeneration,omitempty"`

	// conditions are Ready (this generation was applied, and it is usable), Synced (nothing differs), Available (it can be used now),
	// and, only while they are True, Reconciling and Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// externalName is the name in the cloud. Once it is set, it does not change.
	// +optional
	ExternalName string `json:"externalName,omitempty"`

	// externalID is the cloud's immutable id of the cloud object, if the cloud has one (RDS: DbiResourceId). No other cloud object
	// ever gets the same id.
	// +optional
	ExternalID string `json:"externalID,omitempty"`

	// origin says where the cloud object comes from. Created: Mooring created it. Adopted: it existed before and was taken over.
	// If this object is deleted before its spec was ever applied in full, an adopted cloud object stays in the cloud.
	// +optional
	Origin Origin `json:"origin,omitempty"`

	// markMissing is true while the cloud does not show the mark of a cloud object that Mooring has just created. Mooring then
	// writes the mark again.
	// +optional
	MarkMissing bool `json:"markMissing,omitempty"`

	// creationRefused is true while Mooring knows that nothing was created in the cloud, because the cloud refused the first creation
	// and Mooring has sent none since. Then the name, location and account may change, and a deletion needs no call to the cloud.
	// +optional
	CreationRefused bool `json:"creationRefused,omitempty"`

	// provider is the cloud: aws or gcp.
	// +optional
	Provider string `json:"provider,omitempty"`

	// location is the region or location in the cloud where the cloud object was observed, or is to be created.
	// +optional
	Location string `json:"location,omitempty"`

	// accountID is the account (AWS) or project (Google Cloud) of the cloud object.
	// +optional
	AccountID string `json:"accountID,omitempty"`

	// className is the class of the object: the one in the spec, or the one that was the default when the object was created.
	// +optional
	ClassName string `json:"className,omitempty"`

	// providerConfigRef names the provider config of the object's account. An object of a class stays with the provider config that
	// the class named when the object was created, even if the class changes or is deleted.
	// +optional
	ProviderConfigRef *BoundProviderConfig `json:"providerConfigRef,omitempty"`

	// effective holds the values that come from the class, by their origin in the class. All other values come from the spec.
	// +optional
	Effective *Effective `json:"effective,omitempty"`

	// firstReadyTime is when Mooring first observed the cloud object to be usable, and also as its spec says if it was restored, copied or made a read replica.
	// From then on it may contain data, and Mooring never treats it as new again.
	// +optional
	FirstReadyTime *metav1.Time `json:"firstReadyTime,omitempty"`

	// operation is the name of the operation that is in progress in the cloud. It is a hint: nothing depends on it.
	// +optional
	Operation string `json:"operation,omitempty"`

	// plan identifies the changes that wait for approval, or that were approved and wait for the maintenance window.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// pendingChanges lists the differences between spec and cloud that are not yet corrected.
	// +optional
	// +listType=map
	// +listMapKey=field
	PendingChanges []PendingChange `json:"pendingChanges,omitempty"`

	// applied holds the value of each field that Mooring set in the cloud. For maps and lists it holds the names of the entries that
	// Mooring set. Where a change of an entry may restart the server, the name is followed by = and the value that was set, or by ? until
	// the value is set for the first time. With this, Mooring removes entries that were removed from the spec, keeps entries of others, and
	// distinguishes drift from an edit.
	// +optional
	Applied map[string][]string `json:"applied,omitempty"`

	// fixed holds the fields that can't change any more, with their values in the cloud. An empty value means that the cloud has none
	// and that none can be added. You may always change the spec to the value here. You may remove a field from the spec only if its
	// value differs from the one here. While the cloud refuses a field that is not here, you may correct it.
	// +optional
	Fixed map[string]string `json:"fixed,omitempty"`

	// binding names the Secret with the connection details (Service Binding specification).
	// +optional
	Binding *Binding `json:"binding,omitempty"`

	// formerSecrets are connection Secrets with former names of spec.connection.secretName. Mooring keeps them up to date for 24 hours
	// after it wrote the new Secret, and then deletes them.
	// +optional
	// +listType=map
	// +listMapKey=name
	FormerSecrets []FormerSecret `json:"formerSecrets,omitempty"`
}

// FormerSecret is a connection Secret whose name was removed from the spec.
type FormerSecret struct {
	// name of the Secret, in the same namespace.
	// +required
	Name string `json:"name"`

	// keptUntil is when Mooring deletes it.
	// +required
	KeptUntil metav1.Time `json:"keptUntil"`
}

// Effective holds the values that an object has from its class, with the field names of the spec.
type Effective struct {
	// size is the chosen size from the class's catalogue. The spec or the class chooses it.
	// +optional
	Size string `json:"size,omitempty"`

	// defaults are the class's defaults for fields that the spec does not set.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Defaults *runtime.RawExtension `json:"defaults,omitempty"`

	// sized is what the size means.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Sized *runtime.RawExtension `json:"sized,omitempty"`

	// enforced is what the class enforces.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Enforced *runtime.RawExtension `json:"enforced,omitempty"`
}

// BoundProviderConfig names the provider config that an object is bound to.
type BoundProviderConfig struct {
	// kind is ProviderConfig (in the object's namespace) or ClusterProviderConfig.
	// +required
	Kind string `json:"kind"`

	// name of the provider config.
	// +required
	Name string `json:"name"`
}

// Binding names a Secret in the form of the Service Binding specification.
type Binding struct {
	// name of the Secret, in the same namespace.
	// +required
	Name string `json:"name"`
}
