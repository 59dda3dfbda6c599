package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DatabaseSnapshotParameters describes a snapshot of a database server. Every field is optional: unset means unmanaged.
type DatabaseSnapshotParameters struct {
	// tags of the snapshot. Mooring keeps tags that others set. AWS takes letters, digits, spaces and _.:/=+-@: keys of 1 to 128 characters, and values
	// of at most 256. There are at most 45, because AWS takes 50, and Mooring's own mark needs 5. Backups of Cloud SQL have no labels, so tags of a
	// snapshot in Google Cloud are refused.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Tag.html
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backup
	// +optional
	// +kubebuilder:validation:MaxProperties=45
	Tags map[string]TagValue `json:"tags,omitzero"`
}

// DatabaseReference names a Database of the same namespace.
type DatabaseReference struct {
	// name of the Database.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
}

// DatabaseSnapshotSource says of what a snapshot is: exactly one of its fields is set.
// +kubebuilder:validation:XValidation:rule="has(self.databaseRef) != has(self.externalName)",message="set exactly one of spec.source.databaseRef, to take a snapshot of a Database, and spec.source.externalName, for a snapshot that exists"
type DatabaseSnapshotSource struct {
	// databaseRef names a Database of the same namespace. Mooring takes one snapshot of its server, as soon as the server can be used. Account and
	// location are those of the Database.
	// +optional
	DatabaseRef *DatabaseReference `json:"databaseRef,omitempty"`

	// externalName is the name of a snapshot that exists in the cloud: of a manual snapshot of RDS, or the id of a backup of Cloud SQL, or the name of a
	// final snapshot of Mooring. The snapshot has to be in the account of spec.providerConfigRef. spec.adoption and spec.management say what Mooring does
	// with it. Automated snapshots of RDS (rds:...) can't be named, because RDS deletes them by itself: copy one to a manual snapshot. Mooring creates
	// nothing for it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$`
	ExternalName string `json:"externalName,omitempty"`
}

// DatabaseSnapshotSpec is the desired state of a snapshot.
// +kubebuilder:validation:XValidation:rule="!has(self.className)",message="a DatabaseSnapshot has no class, because its account is that of its Database or of spec.providerConfigRef: remove spec.className",fieldPath=".className"
// +kubebuilder:validation:XValidation:rule="has(self.source.databaseRef) != has(self.providerConfigRef)",message="spec.providerConfigRef names the account of a snapshot that exists (spec.source.externalName), and is required there. With spec.source.databaseRef, the account is that of the Database: remove spec.providerConfigRef"
// +kubebuilder:validation:XValidation:rule="!has(self.source.externalName) || !has(self.externalName)",message="spec.source.externalName is the name of the snapshot already: remove spec.externalName",fieldPath=".externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.source.databaseRef) || !has(self.location)",message="a snapshot is where its Database is: remove spec.location",fieldPath=".location"
// +kubebuilder:validation:XValidation:rule="!has(self.management) || self.management != 'Observe' || has(self.source.externalName)",message="spec.management: Observe is for a snapshot that exists: name it in spec.source.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.whenVanished) || self.whenVanished == 'Stop'",message="a snapshot that vanished can't be taken again, because another one would be of another time: remove spec.whenVanished",fieldPath=".whenVanished"
// +kubebuilder:validation:XValidation:rule="!has(self.updates) || !has(self.updates.timing) || self.updates.timing != 'MaintenanceWindow'",message="spec.updates.timing MaintenanceWindow is for databases, because a snapshot has no maintenance window: set it to Immediate, or remove it",fieldPath=".updates.timing"
// +kubebuilder:validation:XValidation:rule="!has(self.tags) || self.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".tags"
// +kubebuilder:validation:XValidation:rule="!has(self.externalName) || self.externalName.matches('^[a-z][a-z0-9]*(-[a-z0-9]+)*$')",message="spec.externalName must be a snapshot name: lower-case letters, digits and single hyphens; it must begin with a letter and must not end with a hyphen",fieldPath=".externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.updates) || !has(self.updates.strategy)",message="spec.updates.strategy is for the version of a Database: remove it",fieldPath=".updates"
type DatabaseSnapshotSpec struct {
	ResourceSpec               `json:",inline"`
	DatabaseSnapshotParameters `json:",inline"`

	// source says of what the snapshot is. It can't change.
	// +required
	Source DatabaseSnapshotSource `json:"source"`

	// location is the region of a snapshot that exists (source.externalName). If unset, it is the region of the provider config.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=63
	Location string `json:"location,omitempty"`

	// deletionPolicy is Delete (the snapshot is deleted for good) or Retain (it stays in the cloud, marked as released where the cloud can change the
	// mark). The default is Delete with source.databaseRef, and Retain with source.externalName.
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// expiresAfter is after which time Mooring deletes this object, in hours, minutes and seconds: 720h is 30 days. At least 1h. The time begins when the snapshot was
	// taken, or with this object if that is younger. deletionPolicy says what becomes of the snapshot, as with any deletion. A snapshot that is not taken yet
	// does not expire, nor does a paused object, nor one from which a Database is being restored (spec.restoreFrom). If the time has passed already when it is set, the object is deleted
	// at once. If unset, it stays until somebody deletes it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,5}s)?$') && size(self) > 1 && duration(self) >= duration('1h')",message="expiresAfter must be a duration of at least 1h in hours, minutes and seconds, for example 720h for 30 days"
	ExpiresAfter string `json:"expiresAfter,omitempty"`
}

// DatabaseSnapshotStatus is the observed state of a snapshot.
type DatabaseSnapshotStatus struct {
	ResourceStatus `json:",inline"`

	// readyToUse is true once a server can be restored from the snapshot.
	// +optional
	ReadyToUse bool `json:"readyToUse,omitempty"`

	// creationTime is when the cloud began to take the snapshot, in UTC.
	// +optional
	CreationTime *metav1.Time `json:"creationTime,omitempty"`

	// sourceServer is the name in the cloud of the server of which the snapshot is. That server may be gone.
	// +optional
	SourceServer string `json:"sourceServer,omitempty"`

	// sizeGiB is the size of the server's disk in GiB, and the least that a restored server takes.
	// +optional
	SizeGiB int32 `json:"sizeGiB,omitempty"`

	// engine is the engine of the server: postgres, mysql, mariadb, or another one in the cloud's words.
	// +optional
	Engine string `json:"engine,omitempty"`

	// engineVersion is the version of the engine.
	// +optional
	EngineVersion string `json:"engineVersion,omitempty"`

	// encrypted is true if the snapshot is encrypted at rest.
	// +optional
	Encrypted bool `json:"encrypted,omitempty"`

	// encryptionKey is the key that it is encrypted with, in the cloud's words; empty for the cloud's own key in Google Cloud.
	// +optional
	EncryptionKey string `json:"encryptionKey,omitempty"`

	// expirationTime is when the cloud deletes the snapshot by itself: Cloud SQL keeps a final backup for 365 days. It is not set for a snapshot that stays until
	// somebody deletes it.
	// +optional
	ExpirationTime *metav1.Time `json:"expirationTime,omitempty"`

	// deletionTime is when Mooring deletes this object, because spec.expiresAfter passes then.
	// +optional
	DeletionTime *metav1.Time `json:"deletionTime,omitempty"`

	// database says of which server in the cloud Mooring takes the snapshot.
	// +optional
	Database ParentStatus `json:"database,omitzero"`

	// observed mirrors the snapshot in the cloud, with the field names of the spec.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Observed *DatabaseSnapshotParameters `json:"observed,omitempty"`
}

// DatabaseSnapshot is a snapshot of a database server: a manual snapshot of Amazon RDS or a backup of Cloud SQL. Mooring takes it once. It may outlive
// its Database.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=dbsnap,categories=mooring
// +kubebuilder:selectablefield:JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Database",type=string,JSONPath=`.spec.source.databaseRef.name`
// +kubebuilder:printcolumn:name="Size GiB",type=integer,JSONPath=`.status.sizeGiB`
// +kubebuilder:printcolumn:name="Taken",type=date,JSONPath=`.status.creationTime`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.status.deletionTime`
// +kubebuilder:printcolumn:name="External name",type=string,JSONPath=`.status.externalName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Engine",type=string,priority=1,JSONPath=`.status.engine`
// +kubebuilder:printcolumn:name="Version",type=string,priority=1,JSONPath=`.status.engineVersion`
// +kubebuilder:printcolumn:name="Server",type=string,priority=1,JSONPath=`.status.sourceServer`
// +kubebuilder:printcolumn:name="Provider",type=string,priority=1,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.location`
// +kubebuilder:printcolumn:name="Account",type=string,priority=1,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label in the cloud"
// +kubebuilder:validation:XValidation:rule="self.spec.source == oldSelf.spec.source",message="spec.source can't change, because a snapshot is of what it was taken of: create another DatabaseSnapshot",fieldPath=".spec.source"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || !has(oldSelf.status) || !has(oldSelf.status.externalName) || self.spec.externalName == oldSelf.status.externalName || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.externalName can't change once the snapshot exists: create another DatabaseSnapshot with the new name",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.location) || !has(oldSelf.status) || !has(oldSelf.status.location) || self.spec.location == oldSelf.status.location || (has(oldSelf.spec.location) && self.spec.location == oldSelf.spec.location)",message="spec.location can't change once the snapshot was found: create another DatabaseSnapshot",fieldPath=".spec.location"
type DatabaseSnapshot struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the snapshot.
	// +required
	Spec DatabaseSnapshotSpec `json:"spec"`

	// status is the observed state of the snapshot.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status DatabaseSnapshotStatus `json:"status,omitempty"`
}

// DatabaseSnapshotList is a list of snapshots.
//
// +kubebuilder:object:root=true
type DatabaseSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DatabaseSnapshot `json:"items"`
}

func init() { register(&DatabaseSnapshot{}, &DatabaseSnapshotList{}) }

// GetSpec implements ResourceObject.
func (s *DatabaseSnapshot) GetSpec() any { return &s.Spec }

// GetResourceSpec implements ResourceObject.
func (s *DatabaseSnapshot) GetResourceSpec() *ResourceSpec { return &s.Spec.ResourceSpec }

// GetResourceStatus implements ResourceObject.
func (s *DatabaseSnapshot) GetResourceStatus() *ResourceStatus { return &s.Status.ResourceStatus }

// GetConditions implements ResourceObject.
func (s *DatabaseSnapshot) GetConditions() []metav1.Condition { return s.Status.Conditions }

// GetParameters implements ResourceObject.
func (s *DatabaseSnapshot) GetParameters() any { return s.Spec.DatabaseSnapshotParameters.DeepCopy() }

// GetLocation implements ResourceObject.
func (s *DatabaseSnapshot) GetLocation() string { return s.Spec.Location }

// GetConnection implements ResourceObject: nobody connects to a snapshot.
func (s *DatabaseSnapshot) GetConnection() *Connection { return nil }

// GetCredentials implements ResourceObject: a snapshot has no login.
func (s *DatabaseSnapshot) GetCredentials() *DatabaseCredentials { return nil }

// GetDeletionPolicy implements ResourceObject. What existed before the object stays unless the spec says otherwise.
func (s *DatabaseSnapshot) GetDeletionPolicy() DeletionPolicy {
	if s.Spec.DeletionPolicy == "" && s.Spec.Source.ExternalName != "" {
		return DeletionRetain
	}
	return s.Spec.DeletionPolicy
}

// GetForceDestroy implements ResourceObject: a snapshot has no contents that hold up its deletion.
func (s *DatabaseSnapshot) GetForceDestroy() bool { return false }

// GetObserved implements ResourceObject.
func (s *DatabaseSnapshot) GetObserved() any {
	if s.Status.Observed == nil {
		return nil
	}
	return s.Status.Observed
}

// SetObserved implements ResourceObject.
func (s *DatabaseSnapshot) SetObserved(mirror json.RawMessage) error {
	return setObserved(&s.Status.Observed, mirror)
}
