package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Engine is a database product.
type Engine string

// The values of Engine.
const (
	EnginePostgres Engine = "postgres"
	EngineMySQL    Engine = "mysql"
)

// DatabaseParameters describes a managed database server. Every field is optional: unset means
// unmanaged. The same shape, without validation, mirrors the cloud in status.observed.
type DatabaseParameters struct {
	// location is the region (AWS: eu-central-1; Google Cloud: europe-west3). Unset, the provider
	// config's region is taken. It can't change once the server exists.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*[a-z0-9]$`
	Location *string `json:"location,omitempty"`

	// engine is postgres or mysql. It can't change once the server exists.
	// +optional
	// +kubebuilder:validation:Enum=postgres;mysql
	Engine *Engine `json:"engine,omitempty"`

	// version of the engine, as "16" or "16.3" (postgres), "8.0" or "8.4" (mysql). A newer minor version in
	// the cloud is no drift. A newer major version here upgrades the server, which interrupts it.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9]{1,2}(\.[0-9]{1,2}){0,2}$`
	// +kubebuilder:validation:MaxLength=8
	Version *string `json:"version,omitempty"`

	// storage is the server's disk.
	// +optional
	Storage *DatabaseStorage `json:"storage,omitempty"`

	// databaseName is the initial database, made with the server. Unset, none is made beside the
	// engine's own. It can't change once the server exists.
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_]*$`
	// +kubebuilder:validation:MaxLength=63
	DatabaseName *string `json:"databaseName,omitempty"`

	// backup says how automatic backups are kept.
	// +optional
	Backup *DatabaseBackup `json:"backup,omitempty"`

	// deletionProtection makes the cloud refuse to delete the server. Set it to false before deleting.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// tags become tags (AWS) or labels (Google Cloud). Tags that others set stay. Keys and values
	// keep to what both clouds take: lower-case letters, digits, - and _.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Tags map[string]TagValue `json:"tags,omitzero"`

	// aws holds what only Amazon RDS has.
	// +optional
	AWS *DatabaseAWS `json:"aws,omitempty"`

	// gcp holds what only Cloud SQL has. A server that Mooring creates there refuses connections without TLS (sslMode ENCRYPTED_ONLY);
	// a server that exists is left as it is.
	// +optional
	GCP *DatabaseGCP `json:"gcp,omitempty"`
}

// DatabaseStorage is a server's disk.
type DatabaseStorage struct {
	// sizeGiB is the least size of the disk in GiB. A larger disk in the cloud is no drift. Disks only grow.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=65536
	SizeGiB *int32 `json:"sizeGiB,omitempty"`
}

// DatabaseBackup says how automatic backups are kept.
type DatabaseBackup struct {
	// retentionDays is how many days automatic backups are kept; 0 switches them off. AWS: 0 to 35.
	// Google Cloud: so many daily backups, 0 to 365. The transaction logs of point-in-time recovery are kept for as many days, in the
	// edition Enterprise for at most 7 and in Enterprise Plus for at most 14; days that somebody chose in the cloud stay as far as they can.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=365
	RetentionDays *int32 `json:"retentionDays,omitempty"`
}

// DatabaseAWS holds what only Amazon RDS has.
type DatabaseAWS struct {
	// instanceClass is the size of the instance, as db.t4g.micro. Changing it restarts the server.
	// +optional
	// +kubebuilder:validation:Pattern=`^db\.[a-z0-9-]+\.[a-z0-9-]+(\.[a-z0-9-]+)*$`
	// +kubebuilder:validation:MaxLength=63
	InstanceClass *string `json:"instanceClass,omitempty"`
}

// DatabaseGCP holds what only Cloud SQL has.
type DatabaseGCP struct {
	// tier is the size of the instance, as db-custom-2-7680 or db-f1-micro. Changing it restarts the server.
	// +optional
	// +kubebuilder:validation:Pattern=`^db-[a-zA-Z0-9-]+$`
	// +kubebuilder:validation:MaxLength=63
	Tier *string `json:"tier,omitempty"`
}

// DatabaseCredentials is the administrator's login.
type DatabaseCredentials struct {
	// username of the administrator. Unset: postgres for PostgreSQL; admin (AWS) or root (Google
	// Cloud) for MySQL. It can't change once the server exists.
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_]*$`
	// +kubebuilder:validation:MaxLength=16
	Username *string `json:"username,omitempty"`

	// passwordSecretRef names the password to set, in a Secret of the same namespace. A changed value
	// is set in the cloud. Unset, Mooring makes one if there is a connection; on a server that was adopted,
	// whose password only others know, that one takes effect once it is approved.
	// +optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty"`
}

// DatabaseSpec is what a database server is to be.
// +kubebuilder:validation:XValidation:rule="!has(self.connection) || !has(self.credentials) || !has(self.credentials.passwordSecretRef) || self.credentials.passwordSecretRef.name != self.connection.secretName",message="spec.credentials.passwordSecretRef must not name the Secret in spec.connection.secretName: Mooring writes that one, so put the password into another Secret",fieldPath=".credentials"
type DatabaseSpec struct {
	ResourceSpec       `json:",inline"`
	DatabaseParameters `json:",inline"`

	// size is a name from the class's catalogue (spec.sizes of the DatabaseClass). It stands for an instance class or tier, which
	// can't be named beside it. Changing it restarts the server.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Size string `json:"size,omitempty"`

	// credentials is the administrator's login.
	// +optional
	Credentials *DatabaseCredentials `json:"credentials,omitempty"`

	// connection asks for a Secret that says how to connect: type, provider, host, port, username,
	// password, uri, database, certificates.
	// +optional
	Connection *Connection `json:"connection,omitempty"`

	// deletionPolicy is Snapshot (default: a final snapshot is taken, and the object goes only once that is
	// available), Delete (nothing is kept) or Retain: the server stays in the cloud, marked as released.
	// +optional
	// +kubebuilder:validation:Enum=Snapshot;Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// DatabaseStatus is what was seen of a database server.
type DatabaseStatus struct {
	ResourceStatus `json:",inline"`

	// endpoint is where the server answers, as HOST:PORT. The connection Secret has it too, with the login.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`

	// observed mirrors the server in the cloud, in the words of the spec.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Observed *DatabaseParameters `json:"observed,omitempty"`
}

// Database is a managed database server with an initial database and an administrator's login:
// Amazon RDS or Google Cloud SQL.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=db,categories=mooring
// +kubebuilder:selectablefield:JSONPath=`.status.provider`
// +kubebuilder:selectablefield:JSONPath=`.status.className`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Synced",type=string,JSONPath=`.status.conditions[?(@.type=="Synced")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="External name",type=string,JSONPath=`.status.externalName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Available",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Class",type=string,priority=1,JSONPath=`.status.className`
// +kubebuilder:printcolumn:name="Size",type=string,priority=1,JSONPath=`.status.effective.size`
// +kubebuilder:printcolumn:name="Engine",type=string,priority=1,JSONPath=`.status.observed.engine`
// +kubebuilder:printcolumn:name="Version",type=string,priority=1,JSONPath=`.status.observed.version`
// +kubebuilder:printcolumn:name="Endpoint",type=string,priority=1,JSONPath=`.status.endpoint`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.location`
// +kubebuilder:printcolumn:name="Account",type=string,priority=1,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots: it becomes a label in the cloud"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.size) || !has(self.spec.providerConfigRef)",message="spec.size is a name from a class's catalogue: set spec.className in place of spec.providerConfigRef, or name an instance class (aws) or tier (gcp)",fieldPath=".spec.size"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.size) || !((has(self.spec.aws) && has(self.spec.aws.instanceClass)) || (has(self.spec.gcp) && has(self.spec.gcp.tier)))",message="spec.size stands for an instance class or tier: take out aws.instanceClass and gcp.tier, or the size",fieldPath=".spec.size"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.className) || !has(self.spec.providerConfigRef)",message="spec.className and spec.providerConfigRef exclude each other: the class names the account"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.providerConfigRef) || has(self.spec.engine) || (has(self.spec.management) && self.spec.management == 'Observe')",message="spec.engine is needed: postgres or mysql",fieldPath=".spec.engine"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.location) || !has(oldSelf.status) || !has(oldSelf.status.location) || self.spec.location == oldSelf.status.location || (has(oldSelf.spec.location) && self.spec.location == oldSelf.spec.location) || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.location can't change once the server exists: create another Database with the new location and move the data",fieldPath=".spec.location"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.externalName) || !has(oldSelf.spec.providerConfigRef) || has(self.spec.providerConfigRef) || has(self.spec.className)",message="spec.providerConfigRef can't be taken away once the server exists, unless spec.className takes its place: it says which account that is in, and with whose credentials it is deleted",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || !has(oldSelf.status) || !has(oldSelf.status.externalName) || self.spec.externalName == oldSelf.status.externalName || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.externalName can't change once the cloud object exists: create another object with the new name",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.externalName) || (has(self.spec.engine) ? self.spec.engine : '-') == (has(oldSelf.spec.engine) ? oldSelf.spec.engine : '-') || (has(oldSelf.status.fixed) && 'engine' in oldSelf.status.fixed ? (has(self.spec.engine) ? self.spec.engine : '-') == oldSelf.status.fixed['engine'] || ((has(self.spec.engine) ? self.spec.engine : '-') == '-' && (has(oldSelf.spec.engine) ? oldSelf.spec.engine : '-') != oldSelf.status.fixed['engine']) : (has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && (c.reason == 'Immutable' || (c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity'] && (has(oldSelf.status.fixed) || !has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID)))))) || (has(oldSelf.spec.engine) ? oldSelf.spec.engine : '-') == '-')",message="spec.engine can't change once the server exists: create another Database and move the data",fieldPath=".spec.engine"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.externalName) || (has(self.spec.databaseName) ? self.spec.databaseName : '-') == (has(oldSelf.spec.databaseName) ? oldSelf.spec.databaseName : '-') || (has(oldSelf.status.fixed) && 'databaseName' in oldSelf.status.fixed ? (has(self.spec.databaseName) ? self.spec.databaseName : '-') == oldSelf.status.fixed['databaseName'] || ((has(self.spec.databaseName) ? self.spec.databaseName : '-') == '-' && (has(oldSelf.spec.databaseName) ? oldSelf.spec.databaseName : '-') != oldSelf.status.fixed['databaseName']) : (has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && (c.reason == 'Immutable' || (c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity'] && (has(oldSelf.status.fixed) || !has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID)))))) || (has(oldSelf.spec.databaseName) ? oldSelf.spec.databaseName : '-') == '-')",message="spec.databaseName can't change once the server exists: create further databases with SQL",fieldPath=".spec.databaseName"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.externalName) || (has(self.spec.credentials) && has(self.spec.credentials.username) ? self.spec.credentials.username : '-') == (has(oldSelf.spec.credentials) && has(oldSelf.spec.credentials.username) ? oldSelf.spec.credentials.username : '-') || (has(oldSelf.status.fixed) && 'credentials.username' in oldSelf.status.fixed ? (has(self.spec.credentials) && has(self.spec.credentials.username) ? self.spec.credentials.username : '-') == oldSelf.status.fixed['credentials.username'] || ((has(self.spec.credentials) && has(self.spec.credentials.username) ? self.spec.credentials.username : '-') == '-' && (has(oldSelf.spec.credentials) && has(oldSelf.spec.credentials.username) ? oldSelf.spec.credentials.username : '-') != oldSelf.status.fixed['credentials.username']) : (has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && (c.reason == 'Immutable' || (c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity'] && (has(oldSelf.status.fixed) || !has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID)))))))",message="spec.credentials.username can't change once the server exists: create further users with SQL",fieldPath=".spec.credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || self.spec.externalName.matches('^[a-z][a-z0-9]*(-[a-z0-9]+)*$') || (((has(self.spec.adoption) && self.spec.adoption == 'IfExists') || (has(self.spec.management) && self.spec.management == 'Observe') || (has(self.status) && has(self.status.externalName) && self.spec.externalName == self.status.externalName)) && self.spec.externalName.matches('^[a-z][a-z0-9-]*[a-z0-9]$'))",message="spec.externalName must be an instance name: lower-case letters, digits and single hyphens, beginning with a letter and not ending with a hyphen; to adopt (IfExists) or observe an instance the name may also have two hyphens in a row",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.tags) || self.spec.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.tags keys must begin with a lower-case letter, hold only lower-case letters, digits, - and _ (63 at most), and not begin with mooring-, which Mooring's own mark uses",fieldPath=".spec.tags"
// +kubebuilder:validation:XValidation:rule="!(has(self.spec.aws) && has(self.spec.gcp))",message="spec.aws and spec.gcp exclude each other: a server is in one cloud"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.management) || self.spec.management != 'Observe' || has(self.spec.externalName)",message="management: Observe needs spec.externalName, the name of the instance to observe"
type Database struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the database is to be.
	// +required
	Spec DatabaseSpec `json:"spec"`

	// status is what was seen of the database.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status DatabaseStatus `json:"status,omitempty"`
}

// DatabaseList is a list of databases.
//
// +kubebuilder:object:root=true
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Database `json:"items"`
}
