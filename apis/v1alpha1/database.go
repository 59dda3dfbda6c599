package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Engine is a database product.
type Engine string

// The values of Engine.
const (
	EnginePostgres Engine = "postgres"
	EngineMySQL    Engine = "mysql"
	EngineMariaDB  Engine = "mariadb"
)

// Availability says whether a database server survives the failure of a zone.
type Availability string

// The values of Availability.
const (
	AvailabilitySingleZone Availability = "SingleZone"
	AvailabilityMultiZone  Availability = "MultiZone"
)

// TLS says whether a database server accepts connections without TLS.
type TLS string

// The values of TLS.
const (
	TLSRequired TLS = "Required"
	TLSOptional TLS = "Optional"
)

// PowerState says whether a database server runs.
type PowerState string

// The values of PowerState.
const (
	PowerStateRunning PowerState = "Running"
	PowerStateStopped PowerState = "Stopped"
)

// ParameterValue is the value of a setting of a database engine.
// +kubebuilder:validation:MaxLength=2048
type ParameterValue string

// ParametersMode says what becomes of parameters that others set.
type ParametersMode string

// The values of ParametersMode.
const (
	ParametersMerge ParametersMode = "Merge"
	ParametersExact ParametersMode = "Exact"
)

// DatabaseParameters describes a managed database server. Every field is optional: unset means
// unmanaged. The same shape, without validation, mirrors the cloud in status.observed.
type DatabaseParameters struct {
	// location is the region (AWS: eu-central-1; Google Cloud: europe-west3). If unset, it is the region of the provider config. It
	// can't change once the server exists.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.RegionsAndAvailabilityZones.html
	// Source: https://cloud.google.com/sql/docs/postgres/locations
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*[a-z0-9]$`
	Location *string `json:"location,omitempty"`

	// engine is postgres, mysql or mariadb. It can't change once the server exists. Google Cloud has no MariaDB.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
	// Source: https://cloud.google.com/sql/docs/db-versions
	// +optional
	// +kubebuilder:validation:Enum=postgres;mysql;mariadb
	Engine *Engine `json:"engine,omitempty"`

	// version of the engine, for example "16" or "16.3" (postgres), "8.0" or "8.4" (mysql), "10.11" or "11.4" (mariadb). A newer minor version in
	// the cloud is not drift, nor is a release of Amazon RDS Extended Support, such as 8.0.46-rds.20260908 for "8.0.46". A newer major version here upgrades the server: it is away for minutes, and no cloud can take the server back to the
	// earlier version.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.Upgrading.html
	// Source: https://cloud.google.com/sql/docs/postgres/upgrade-major-db-version-inplace
	// +optional
	// +kubebuilder:validation:MaxLength=21
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{1,2}(([.][0-9]{1,2}){0,2}|([.][0-9]{1,2}){1,2}-rds[.][0-9]{8})$')",message="must be a version of the engine in numbers, for example \"16\" or \"16.3\" for postgres, \"8.4\" for mysql, \"11.4\" for mariadb"
	Version *string `json:"version,omitempty"`

	// storage is the server's disk.
	// +optional
	Storage *DatabaseStorage `json:"storage,omitempty"`

	// network says from where clients can reach the server.
	// +optional
	Network *DatabaseNetwork `json:"network,omitempty"`

	// encryption says which key encrypts the server's disk, its backups and its snapshots. It can't change once the server exists. A
	// server whose key is disabled or deleted stops, and without the key nobody can read its data any more. If unset, a new server is
	// encrypted with the cloud's own key (AWS: the key aws/rds of the account; Google Cloud: a key of Google's). The key is in the server's
	// location. RDS reports the key that an alias points to, and not the alias: Mooring does not compare an alias with the server's key. So a server that RDS makes
	// with the key of a snapshot, of another server or of its primary in the same location takes no alias: name the key itself.
	// Cloud SQL's service account needs a role for the key.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.Keys.html
	// Source: https://cloud.google.com/sql/docs/postgres/configure-cmek
	// +optional
	// +kubebuilder:validation:XValidation:rule="has(self.key)",message="encryption needs key: name one, or remove encryption to let the cloud choose its own key"
	// +structType=atomic
	Encryption *Encryption `json:"encryption,omitempty"`

	// availability is SingleZone or MultiZone. With MultiZone, the cloud keeps a standby in another zone of the location. If the server
	// or its zone fails, the standby takes over at the same address, within about a minute or two. Open connections break. Nobody can
	// query the standby, and it costs about as much as the server. In which zones they are is not drift. AWS: a Multi-AZ instance. A
	// change breaks no connections, but writes are slower until the standby has all data. Google Cloud: a regional instance. A change
	// restarts the server. Cloud SQL requires automatic backups and point-in-time recovery for MultiZone: Mooring switches both on with
	// it, refuses it beside backup.retentionDays 0, and leaves both on after a change back to SingleZone. If unset, a new server is
	// in one zone.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html
	// Source: https://cloud.google.com/sql/docs/postgres/high-availability
	// +optional
	// +kubebuilder:validation:Enum=SingleZone;MultiZone
	Availability *Availability `json:"availability,omitempty"`

	// databaseName is the initial database. Mooring creates it with the server. If unset, only the engine's own databases exist. It
	// can't change once the server exists. If somebody drops it in Cloud SQL, the Database is Failed within an hour, or at once with the annotation mooring.dev/reconcile, and says what to do: Mooring makes no empty one in its place. Amazon RDS does not report what is in a server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
	// Source: https://cloud.google.com/sql/docs/postgres/create-manage-databases
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_]*$`
	// +kubebuilder:validation:MaxLength=63
	DatabaseName *string `json:"databaseName,omitempty"`

	// backup configures automatic backups.
	// +optional
	Backup *DatabaseBackup `json:"backup,omitempty"`

	// maintenance configures what the cloud does to the server by itself.
	// +optional
	Maintenance *DatabaseMaintenance `json:"maintenance,omitempty"`

	// parameters are settings of the database engine, by the names that the cloud gives them, for example max_connections: "200". AWS:
	// parameters of a DB parameter group, which Mooring makes for the server and deletes with it, and attaches at once; what is set in it first takes a
	// restart, and spec.version must be set for a new server. Google Cloud: database flags. Values are strings, so numbers and on or off need quotes. on, true and
	// 1, and numbers that are written differently, are the same and no drift. Cloud SQL takes only on and off for switches: Mooring writes
	// true and 1 as on, and false and 0 as off, if it can read Cloud SQL's list of flags. An empty map takes away what Mooring set earlier.
	// In server-side apply all entries have one manager. If unset, Mooring changes no parameters. Some parameters apply at once. Others restart the server, and the cloud's own list says which ones. A
	// change of several parameters is made at once, and restarts the server if one of them does.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html
	// Source: https://cloud.google.com/sql/docs/postgres/flags
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=100
	Parameters map[string]ParameterValue `json:"parameters,omitzero"`

	// parametersMode is Merge or Exact. With Merge, Mooring keeps parameters that others set in the cloud. With Exact, Mooring removes them: the
	// server has the parameters in spec.parameters, and the cloud's defaults for all others. It has no effect while parameters is unset. If
	// unset, it is Merge.
	// +optional
	// +kubebuilder:validation:Enum=Merge;Exact
	ParametersMode *ParametersMode `json:"parametersMode,omitempty"`

	// tls is Required or Optional. With Required, the server refuses connections without TLS. With Optional, it accepts connections with and
	// without TLS. If unset, a server that Mooring creates in Google Cloud has Required, in AWS the engine's version decides, and an existing
	// server keeps what it has. Google Cloud: it stands for gcp.sslMode, so set one of the two. Required is ENCRYPTED_ONLY, and a server
	// that also demands client certificates is no drift. Required restarts a MySQL server. On PostgreSQL it applies to new connections.
	// AWS: it is the parameter rds.force_ssl or require_secure_transport of the server's DB parameter group, so do not set that in parameters,
	// too. PostgreSQL from version 15, MySQL from 9.7 and MariaDB from 11.8 have Required by themselves. With Optional, an upgrade to such a version
	// attaches a group that keeps Optional. A group in aws.dbParameterGroupName that says otherwise is refused.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/PostgreSQL.Concepts.General.SSL.Requiring.html
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mysql-ssl-connections.require-ssl.html
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mariadb-ssl-connections.require-ssl.html
	// Source: https://cloud.google.com/sql/docs/postgres/configure-ssl-instance
	// +optional
	// +kubebuilder:validation:Enum=Required;Optional
	TLS *TLS `json:"tls,omitempty"`

	// iamAuthentication says whether database users can log in with short-lived tokens of the cloud's IAM in place of passwords. It says what the
	// server accepts. Which users log in that way is set up on the server. Passwords go on working for the others. If unset, a new server accepts
	// passwords only, and an existing server keeps what it has.
	//
	// AWS: IAM database authentication, which MariaDB has from version 10.11 on. A change does not restart the server. Google Cloud: the database flag cloudsql.iam_authentication
	// (PostgreSQL) or cloudsql_iam_authentication (MySQL), so do not name that flag in parameters, too. parametersMode Exact leaves the flag
	// alone while iamAuthentication is set. Cloud SQL's own list of flags says whether a change restarts the server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.Enabling.html
	// Source: https://cloud.google.com/sql/docs/postgres/create-edit-iam-instances
	// +optional
	IAMAuthentication *bool `json:"iamAuthentication,omitempty"`

	// insights says whether the cloud records which queries load the server. AWS: Performance Insights. RDS has none for MySQL and MariaDB on
	// small instance classes such as db.t4g.micro. Google Cloud: Query Insights. A change restarts nothing. If unset, a new server has what the
	// cloud chooses, and an existing server keeps what it has.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.Enabling.html
	// Source: https://cloud.google.com/sql/docs/postgres/using-query-insights
	// +optional
	Insights *bool `json:"insights,omitempty"`

	// powerState is Running or Stopped. With Stopped, Mooring stops the server, and nobody can connect. The data, the address and the
	// connection Secret stay. The cloud goes on charging for the disk and the backups, and Google Cloud for an address, too. With Running, Mooring
	// starts the server, and starts it again if somebody stops it. If unset, Mooring neither stops nor starts the server.
	//
	// While a server is stopped, most other changes wait, and the conditions list them. With Stopped, a new server is created first and then
	// stopped. If the server runs although the spec says Stopped, updates.disruptive decides: by default Mooring asks for approval before it
	// stops the server again.
	//
	// AWS: after 7 days, RDS starts a stopped server by itself. RDS stops no server that has read replicas or is one. Starting takes minutes, and
	// up to hours if the server has to recover. Google Cloud: the activation policy, ALWAYS or NEVER.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html
	// Source: https://cloud.google.com/sql/docs/postgres/start-stop-restart-instance
	// +optional
	// +kubebuilder:validation:Enum=Running;Stopped
	PowerState *PowerState `json:"powerState,omitempty"`

	// deletionProtection makes the cloud refuse to delete the server. Set it to false before you delete the Database.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_DeleteInstance.html
	// Source: https://cloud.google.com/sql/docs/postgres/deletion-protection
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// tags become tags (AWS) or labels (Google Cloud). Mooring keeps tags that others set. {} takes away those that the spec had. In server-side apply each entry has
	// managers of its own, and so {} is refused where the last entry would go: take that out by a patch. AWS takes letters, digits, spaces
	// and _.:/=+-@: keys of 1 to 128 characters that do not begin with aws:, and values of at most 256. Google Cloud takes lower-case
	// letters, digits, - and _: keys of 1 to 63 characters that begin with a letter, and values of at most 63. Other tags of an object in Google
	// Cloud are refused. There are at most 45 tags, because AWS takes 50, and Mooring's own mark needs 5.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Tag.html
	// Source: https://cloud.google.com/sql/docs/postgres/label-instance
	// +optional
	// +kubebuilder:validation:MaxProperties=45
	Tags map[string]TagValue `json:"tags,omitzero"`

	// aws contains the settings that only Amazon RDS has.
	// +optional
	AWS *DatabaseAWS `json:"aws,omitempty"`

	// gcp contains the settings that only Cloud SQL has.
	// +optional
	GCP *DatabaseGCP `json:"gcp,omitempty"`
}

// FinalSnapshot says what becomes of a final snapshot.
type FinalSnapshot struct {
	// retainDays is for how many days Mooring keeps the final snapshot. The DatabaseSnapshot that stands for it then has expiresAfter of that many days and
	// deletionPolicy Delete, so that who deletes that object earlier deletes the snapshot, too. What is set when the server is deleted counts; later, edit the
	// DatabaseSnapshot. In a namespace that is deleted as a whole no object can stand for the snapshot: it stays in the cloud until somebody deletes it there. If unset, the
	// snapshot stays until somebody deletes it.
	// Google Cloud: Cloud SQL deletes a final backup after 365 days by itself.
	// Source: https://cloud.google.com/sql/docs/postgres/backup-recovery/backups
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3650
	RetainDays *int32 `json:"retainDays,omitempty"`
}

// DatabaseSpec is the desired state of a database server.
// +kubebuilder:validation:XValidation:rule="!has(self.size) || !has(self.providerConfigRef)",message="spec.size needs a class: set spec.className in place of spec.providerConfigRef, or set spec.aws.instanceClass or spec.gcp.tier in place of spec.size",fieldPath=".size"
// +kubebuilder:validation:XValidation:rule="!has(self.size) || !(self.?aws.?instanceClass.hasValue() || self.?gcp.?tier.hasValue())",message="spec.size and an instance class or tier exclude each other: remove spec.aws.instanceClass and spec.gcp.tier, or remove spec.size",fieldPath=".size"
// +kubebuilder:validation:XValidation:rule="!has(self.className) || !has(self.providerConfigRef)",message="spec.className and spec.providerConfigRef exclude each other, because the class names the account: remove one of them"
// +kubebuilder:validation:XValidation:rule="has(self.engine) || !has(self.providerConfigRef) || self.?management.orValue('-') == 'Observe'",message="spec.engine is required: set it to postgres, mysql or mariadb",fieldPath=".engine"
// +kubebuilder:validation:XValidation:rule="!self.?aws.?cloudwatchLogsExports.hasValue() || !has(self.engine) || self.aws.cloudwatchLogsExports.all(l, l == 'iam-db-auth-error' || (l in ['postgresql', 'upgrade']) == (self.engine == 'postgres'))",message="spec.aws.cloudwatchLogsExports must be logs of spec.engine: postgresql, upgrade and iam-db-auth-error of postgres; audit, error, general, slowquery and iam-db-auth-error of mysql and mariadb",fieldPath=".aws"
// +kubebuilder:validation:XValidation:rule="!self.?aws.?optionGroupName.hasValue() || self.?engine.orValue('-') != 'postgres'",message="spec.aws.optionGroupName is for mysql and mariadb, because PostgreSQL has extensions in place of options: remove spec.aws.optionGroupName, and create extensions with SQL",fieldPath=".aws"
// +kubebuilder:validation:XValidation:rule="!self.?gcp.?zone.hasValue() || !has(self.location) || self.gcp.zone.startsWith(self.location + '-')",message="spec.gcp.zone must be a zone of spec.location, for example europe-west3-a of europe-west3",fieldPath=".gcp"
// +kubebuilder:validation:XValidation:rule="!self.?gcp.?secondaryZone.hasValue() || !has(self.location) || self.gcp.secondaryZone.startsWith(self.location + '-')",message="spec.gcp.secondaryZone must be a zone of spec.location, for example europe-west3-b of europe-west3",fieldPath=".gcp"
// +kubebuilder:validation:XValidation:rule="!self.?gcp.?secondaryZone.hasValue() || self.gcp.?zone.orValue('-') != self.gcp.secondaryZone",message="spec.gcp.secondaryZone must differ from spec.gcp.zone: the standby is there for the case that the zone of the server fails",fieldPath=".gcp"
// +kubebuilder:validation:XValidation:rule="!self.?gcp.?secondaryZone.hasValue() || self.?availability.orValue('MultiZone') == 'MultiZone'",message="spec.gcp.secondaryZone is the zone of a standby: set spec.availability to MultiZone, or remove spec.gcp.secondaryZone",fieldPath=".gcp"
// +kubebuilder:validation:XValidation:rule="!self.?aws.?availabilityZone.hasValue() || !has(self.location) || (self.aws.availabilityZone.startsWith(self.location) && self.aws.availabilityZone.substring(self.location.size()).matches('^(-[a-z]+-[0-9]+)?[a-z]$'))",message="spec.aws.availabilityZone must be a zone of spec.location, for example eu-central-1a of eu-central-1",fieldPath=".aws"
// +kubebuilder:validation:XValidation:rule="!self.?aws.?availabilityZone.hasValue() || self.?availability.orValue('-') != 'MultiZone'",message="spec.aws.availabilityZone and spec.availability MultiZone exclude each other, because RDS chooses both zones: remove spec.aws.availabilityZone, or set spec.availability to SingleZone",fieldPath=".aws"
// +kubebuilder:validation:XValidation:rule="!self.?encryption.?key.hasValue() || !has(self.location) || !self.encryption.key.matches('^(arn:|projects/)') || self.encryption.key.contains(':kms:' + self.location + ':') || self.encryption.key.contains('/locations/' + self.location + '/')",message="spec.encryption.key must be a key in spec.location: a server can use no key of another region",fieldPath=".encryption"
// +kubebuilder:validation:XValidation:rule="!has(self.tags) || self.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".tags"
// +kubebuilder:validation:XValidation:rule="!has(self.aws) || !has(self.gcp)",message="spec.aws and spec.gcp exclude each other, because a server is in one cloud: remove one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.parameters) || !has(self.iamAuthentication) || !('cloudsql.iam_authentication' in self.parameters || 'cloudsql_iam_authentication' in self.parameters)",message="spec.iamAuthentication and the flag for it in spec.parameters exclude each other, because both say whether IAM may log in: remove the flag from spec.parameters",fieldPath=".iamAuthentication"
// +kubebuilder:validation:XValidation:rule="self.?insights.orValue(true) || !has(self.aws) || (!has(self.aws.performanceInsights) && self.aws.?databaseInsightsMode.orValue('standard') == 'standard')",message="spec.aws.performanceInsights and spec.aws.databaseInsightsMode advanced need spec.insights: set spec.insights to true, or remove them",fieldPath=".insights"
// +kubebuilder:validation:XValidation:rule="self.?aws.?monitoring.?intervalSeconds.orValue(0) == 0 || has(self.aws.monitoring.roleARN) || has(self.className)",message="spec.aws.monitoring.intervalSeconds above 0 needs spec.aws.monitoring.roleARN: name the role with which RDS writes the metrics, or set intervalSeconds to 0",fieldPath=".aws.monitoring.intervalSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || !self.?gcp.?sslMode.hasValue()",message="spec.tls and spec.gcp.sslMode exclude each other, because both say which connections the server accepts: remove one of them",fieldPath=".tls"
// +kubebuilder:validation:XValidation:rule="self.?availability.orValue('-') != 'MultiZone' || !has(self.gcp) || self.?backup.?pointInTimeRecovery.orValue(true)",message="spec.availability MultiZone needs point-in-time recovery in Google Cloud: set spec.backup.pointInTimeRecovery to true, or spec.availability to SingleZone",fieldPath=".availability"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || !has(self.parameters) || !('rds.force_ssl' in self.parameters || 'require_secure_transport' in self.parameters)",message="spec.tls and the parameter rds.force_ssl or require_secure_transport say the same: remove one of them",fieldPath=".tls"
// +kubebuilder:validation:XValidation:rule="!has(self.parameters) || !self.?aws.?dbParameterGroupName.hasValue()",message="spec.parameters and spec.aws.dbParameterGroupName exclude each other, because the group sets the parameters: remove one of them",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="self.?availability.orValue('-') != 'MultiZone' || !has(self.gcp) || self.?backup.?retentionDays.orValue(1) > 0",message="spec.availability MultiZone needs automatic backups in Google Cloud: set spec.backup.retentionDays to 1 or more, or spec.availability to SingleZone",fieldPath=".availability"
// +kubebuilder:validation:XValidation:rule="!self.?storage.?maxSizeGiB.hasValue() || !has(self.storage.sizeGiB) || !has(self.aws) || self.storage.maxSizeGiB == self.storage.sizeGiB || self.storage.maxSizeGiB * 10 >= self.storage.sizeGiB * 11",message="spec.storage.maxSizeGiB must be at least 10% above spec.storage.sizeGiB in AWS, or the same for a disk that does not grow by itself",fieldPath=".storage"
// +kubebuilder:validation:XValidation:rule="!self.?maintenance.?window.?startTime.hasValue() || !self.?backup.?startTime.hasValue() || !has(self.aws) || (((int(self.backup.startTime.split(':')[0]) * 60 + int(self.backup.startTime.split(':')[1])) - (int(self.maintenance.window.startTime.split(':')[0]) * 60 + int(self.maintenance.window.startTime.split(':')[1])) + 1440) % 1440 >= 30 && ((int(self.maintenance.window.startTime.split(':')[0]) * 60 + int(self.maintenance.window.startTime.split(':')[1])) - (int(self.backup.startTime.split(':')[0]) * 60 + int(self.backup.startTime.split(':')[1])) + 1440) % 1440 >= 30)",message="spec.backup.startTime and spec.maintenance.window.startTime must be at least 30 minutes apart in AWS, because each window has 30 minutes and the two must not overlap: change one of them",fieldPath=".maintenance.window.startTime"
// +kubebuilder:validation:XValidation:rule="!has(self.restoreFrom) || self.?adoption.orValue('-') != 'IfExists'",message="spec.adoption: IfExists takes over a server that exists, and spec.restoreFrom is for the creation of one: remove one of them",fieldPath=".restoreFrom"
// +kubebuilder:validation:XValidation:rule="!has(self.restoreFrom) || self.?management.orValue('-') != 'Observe'",message="spec.management: Observe creates nothing, so nothing can be restored: remove spec.restoreFrom, or set spec.management to Full",fieldPath=".restoreFrom"
// +kubebuilder:validation:XValidation:rule="self.?management.orValue('-') != 'Observe' || has(self.externalName)",message="spec.management: Observe needs spec.externalName: set it to the name of the instance to observe"
// +kubebuilder:validation:XValidation:rule="self.?updates.?timing.orValue('-') != 'MaintenanceWindow' || !has(self.providerConfigRef) || self.?maintenance.?window.hasValue()",message="spec.updates.timing MaintenanceWindow needs spec.maintenance.window: set it, or set spec.updates.timing to Immediate",fieldPath=".updates.timing"
// +kubebuilder:validation:XValidation:rule="!self.?credentials.?rotationPeriod.hasValue() || has(self.connection)",message="spec.credentials.rotationPeriod needs spec.connection, or nobody would learn the new password: set spec.connection.secretName, or remove spec.credentials.rotationPeriod",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!self.?credentials.?passwordSecretRef.hasValue() || !has(self.connection) || self.credentials.passwordSecretRef.name != self.connection.secretName",message="spec.credentials.passwordSecretRef must not name the Secret in spec.connection.secretName, because Mooring writes that Secret: store the password in another Secret",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.replica) || !has(self.restoreFrom)",message="spec.replica and spec.restoreFrom exclude each other, because a read replica has the data of its primary: remove one of them",fieldPath=".replica"
// +kubebuilder:validation:XValidation:rule="!has(self.replica) || (self.?adoption.orValue('-') != 'IfExists' && self.?management.orValue('-') != 'Observe')",message="spec.replica is for the creation of a server: remove spec.adoption: IfExists, which takes over one that exists, and spec.management: Observe, which creates nothing; or remove spec.replica",fieldPath=".replica"
// +kubebuilder:validation:XValidation:rule="!has(self.replica) || self.replica.?role.orValue('Replica') != 'Replica' || !has(self.credentials) || !(has(self.credentials.passwordSecretRef) || has(self.credentials.source) || has(self.credentials.rotationPeriod))",message="a read replica has the logins of its primary: remove source, passwordSecretRef and rotationPeriod of spec.credentials, and set them on the Database that spec.replica.primaryRef names",fieldPath=".credentials"
// +kubebuilder:validation:XValidation:rule="!has(self.replica) || self.replica.?role.orValue('Replica') != 'Replica' || self.?whenVanished.orValue('-') != 'Restore'",message="a read replica has the data of its primary, so there is nothing to restore: set spec.whenVanished to Recreate or Stop",fieldPath=".whenVanished"
type DatabaseSpec struct {
	ResourceSpec       `json:",inline"`
	DatabaseParameters `json:",inline"`

	// size is a name from the class's catalogue (spec.sizes of the DatabaseClass). It means an instance class or tier, which the spec
	// then must not set. A change restarts the server.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Size string `json:"size,omitempty"`

	// restoreFrom says from what the server is restored when Mooring creates it: it then has the databases, the users and the data of a snapshot, and
	// the settings of this spec. If unset, a new server is empty. For a server that exists, restoreFrom has no effect: Mooring never restores over data. It
	// can't change once the server exists, and excludes adoption IfExists. The snapshot must be encrypted and of the same engine and major version.
	// storage.sizeGiB must not be less than its size, and databaseName must name a database that it has, because Mooring creates no empty one in a
	// restored server. The administrator gets the password that Mooring makes or that the spec names, in place of the one in the snapshot. All other
	// users keep theirs, also an administrator of another name. If the server vanishes and whenVanished is Recreate, Mooring restores it from the
	// snapshot that has the name then. If whenVanished is Restore, Mooring restores the newest state of the server itself.
	//
	// The server counts as new, and the connection Secret does not name it, until it was once as this spec says.
	//
	// AWS: the server is encrypted with the key of the snapshot, and its administrator keeps the name. For another key, copy the snapshot first. encryption.key
	// may name that key, by its ARN or its id, and no alias.
	// Google Cloud: the backup may be of a server that was deleted.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/restoreBackup
	// +optional
	RestoreFrom *DatabaseRestore `json:"restoreFrom,omitempty"`

	// replica makes the server a read replica of another Database, in the same or another location. It has the data, the databases, the users and the passwords of
	// the primary, and refuses writes. The connection Secret has the primary's login; credentials must be unset, or repeat the primary's username. Engine and major version are
	// those of the primary, and the disk is no smaller. What a read replica can't have in the cloud, such as backups, is set once the server is promoted. It is for the
	// creation of a server, excludes restoreFrom, adoption IfExists and management Observe, and can be removed once the server is promoted.
	// A replica is deleted without a final snapshot, because the primary has its data. A primary is deleted once no replica follows it.
	//
	// AWS: the primary needs backup.retentionDays above 0, and a password that the cloud does not manage. Google Cloud: the primary needs backup.pointInTimeRecovery.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.html
	// Source: https://cloud.google.com/sql/docs/postgres/replication
	// +optional
	Replica *DatabaseReplica `json:"replica,omitempty"`

	// credentials is the administrator's login.
	// +optional
	Credentials *DatabaseCredentials `json:"credentials,omitempty"`

	// connection requests a Secret with the connection details: type, provider, host, port, username, password, uri, database,
	// certificates. With credentials.source CloudManaged it has password-secret in place of password and uri.
	// +optional
	Connection *Connection `json:"connection,omitempty"`

	// deletionPolicy is Snapshot (default: the cloud takes a final snapshot, and the object is removed only once that is available),
	// Delete (nothing is kept) or Retain (the server stays in the cloud, marked as released).
	// +optional
	// +kubebuilder:validation:Enum=Snapshot;Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// finalSnapshot says what becomes of the final snapshot that the deletion of this object takes (deletionPolicy Snapshot).
	// +optional
	FinalSnapshot *FinalSnapshot `json:"finalSnapshot,omitempty"`
}

// DatabaseStatus is the observed state of a database server.
type DatabaseStatus struct {
	ResourceStatus `json:",inline"`

	// endpoint is the address of the server, HOST:PORT. The connection Secret contains it, too, with the login.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`

	// serviceAttachment is where endpoints of Private Service Connect lead to the server, if spec.gcp.pscConfig.enabled is true, in the form
	// projects/PROJECT/regions/REGION/serviceAttachments/NAME. The endpoints of VPC networks name it as their target.
	// +optional
	ServiceAttachment string `json:"serviceAttachment,omitempty"`

	// passwordSecret is where the cloud keeps the administrator's password, if spec.credentials.source is CloudManaged: in AWS, the ARN of the secret in
	// AWS Secrets Manager. It is there once the password can be read.
	// +optional
	PasswordSecret string `json:"passwordSecret,omitempty"`

	// rotation says when Mooring last changed the administrator's password and when it changes it next. It is there as long as
	// spec.credentials.rotationPeriod is.
	// +optional
	Rotation *PasswordRotation `json:"rotation,omitempty"`

	// support says when the version of the engine leaves the cloud's support, and when the server's certificate expires, as far as the cloud reports it.
	// +optional
	Support *DatabaseSupport `json:"support,omitempty"`

	// restoredFrom says from what Mooring restored the server. It is not there for a server that was created empty, or taken over.
	// +optional
	RestoredFrom *RestoredFrom `json:"restoredFrom,omitempty"`

	// replica says what the server follows. It is there for a read replica, until that is promoted.
	// +optional
	Replica *ReplicaStatus `json:"replica,omitempty"`

	// replicas are the names in the cloud of the read replicas that follow the server, with and without a Database of their own.
	// +optional
	// +listType=atomic
	Replicas []string `json:"replicas,omitempty"`

	// formerServer is the server in whose place this one was put by an upgrade (spec.updates.strategy BlueGreen). It stays, marked as released, until somebody approves its
	// deletion, and goes with this Database unless that is retained.
	// +optional
	FormerServer *FormerServer `json:"formerServer,omitempty"`

	// actions say what became of the actions that people ask for with the annotations mooring.dev/restart, mooring.dev/failover and
	// mooring.dev/rotate-password. Mooring does each once for each new value of its annotation.
	// +optional
	// +listType=map
	// +listMapKey=name
	Actions []ActionStatus `json:"actions,omitempty"`

	// observed mirrors the server in the cloud, with the field names of the spec.
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
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label in the cloud"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.location) || self.spec.location == oldSelf.spec.?location.orValue('-') || self.spec.location == oldSelf.?status.?location.orValue(self.spec.location) || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.location can't change once the server exists: create another Database with the new location and move the data",fieldPath=".spec.location"
// +kubebuilder:validation:XValidation:rule="(!has(self.spec.restoreFrom) && !has(oldSelf.spec.restoreFrom)) || ((self.spec.?restoreFrom.?snapshotRef.hasValue() ? self.spec.restoreFrom.snapshotRef.name == oldSelf.spec.?restoreFrom.?snapshotRef.?name.orValue('-') : !oldSelf.spec.?restoreFrom.?snapshotRef.hasValue()) && (self.spec.?restoreFrom.?externalSnapshotName.hasValue() ? self.spec.restoreFrom.externalSnapshotName == oldSelf.spec.?restoreFrom.?externalSnapshotName.orValue('-') : !oldSelf.spec.?restoreFrom.?externalSnapshotName.hasValue()) && (self.spec.?restoreFrom.?pointInTime.hasValue() ? self.spec.restoreFrom.pointInTime.databaseRef.name == oldSelf.spec.?restoreFrom.?pointInTime.?databaseRef.?name.orValue('-') && (has(self.spec.restoreFrom.pointInTime.time) ? has(oldSelf.spec.restoreFrom.pointInTime.time) && self.spec.restoreFrom.pointInTime.time == oldSelf.spec.restoreFrom.pointInTime.time : !has(oldSelf.spec.restoreFrom.pointInTime.time)) : !oldSelf.spec.?restoreFrom.?pointInTime.hasValue())) || !oldSelf.?status.?externalName.hasValue() || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned', 'SnapshotNotFound']))",message="spec.restoreFrom is for the creation of the server, and can't change once that exists: put it back. To go to another state, create another Database with restoreFrom",fieldPath=".spec.restoreFrom"
// +kubebuilder:validation:XValidation:rule="has(self.spec.providerConfigRef) || has(self.spec.className) || !has(oldSelf.spec.providerConfigRef) || !oldSelf.?status.?externalName.hasValue()",message="spec.providerConfigRef can't be removed once the server exists, because Mooring needs its account and credentials to delete the server: put it back, or set spec.className in its place",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || self.spec.externalName == oldSelf.?status.?externalName.orValue(self.spec.externalName) || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.externalName can't change once the cloud object exists: create another object with the new name",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="(has(self.spec.engine) ? self.spec.engine == oldSelf.spec.?engine.orValue('-') : !has(oldSelf.spec.engine)) || !oldSelf.?status.?externalName.hasValue() || (has(oldSelf.status.fixed) && 'engine' in oldSelf.status.fixed ? (has(self.spec.engine) ? self.spec.engine : '-') == oldSelf.status.fixed['engine'] || ((has(self.spec.engine) ? self.spec.engine : '-') == '-' && (has(oldSelf.spec.engine) ? oldSelf.spec.engine : '-') != oldSelf.status.fixed['engine']) : (has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && (c.reason == 'Immutable' || (c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity'] && (has(oldSelf.status.fixed) || !has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID)))))) || !has(oldSelf.spec.engine))",message="spec.engine can't change once the server exists: create another Database and move the data",fieldPath=".spec.engine"
// +kubebuilder:validation:XValidation:rule="(has(self.spec.databaseName) ? self.spec.databaseName == oldSelf.spec.?databaseName.orValue('-') : !has(oldSelf.spec.databaseName)) || !oldSelf.?status.?externalName.hasValue() || (has(oldSelf.status.fixed) && 'databaseName' in oldSelf.status.fixed ? (has(self.spec.databaseName) ? self.spec.databaseName : '-') == oldSelf.status.fixed['databaseName'] || ((has(self.spec.databaseName) ? self.spec.databaseName : '-') == '-' && (has(oldSelf.spec.databaseName) ? oldSelf.spec.databaseName : '-') != oldSelf.status.fixed['databaseName']) : (has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && (c.reason == 'Immutable' || (c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity'] && (has(oldSelf.status.fixed) || !has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID)))))) || !has(oldSelf.spec.databaseName))",message="spec.databaseName can't change once the server exists: create further databases with SQL",fieldPath=".spec.databaseName"
// +kubebuilder:validation:XValidation:rule="(self.spec.?credentials.?username.hasValue() ? self.spec.credentials.username == oldSelf.spec.?credentials.?username.orValue('-') : !oldSelf.spec.?credentials.?username.hasValue()) || !oldSelf.?status.?externalName.hasValue() || (has(oldSelf.status.fixed) && 'credentials.username' in oldSelf.status.fixed ? (has(self.spec.credentials) && has(self.spec.credentials.username) ? self.spec.credentials.username : '-') == oldSelf.status.fixed['credentials.username'] || ((has(self.spec.credentials) && has(self.spec.credentials.username) ? self.spec.credentials.username : '-') == '-' && (has(oldSelf.spec.credentials) && has(oldSelf.spec.credentials.username) ? oldSelf.spec.credentials.username : '-') != oldSelf.status.fixed['credentials.username']) : (has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && (c.reason == 'Immutable' || (c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity'] && (has(oldSelf.status.fixed) || !has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID)))))))",message="spec.credentials.username can't change once the server exists: create further users with SQL",fieldPath=".spec.credentials"
// +kubebuilder:validation:XValidation:rule="!self.spec.?gcp.?dataDiskType.hasValue() || self.spec.gcp.dataDiskType == oldSelf.spec.?gcp.?dataDiskType.orValue('-') || self.spec.gcp.dataDiskType == oldSelf.?status.?fixed[?'gcp.dataDiskType'].orValue(self.spec.gcp.dataDiskType)",message="spec.gcp.dataDiskType can't change once the server exists: create another Database and move the data",fieldPath=".spec.gcp"
// +kubebuilder:validation:XValidation:rule="!self.spec.?aws.?availabilityZone.hasValue() || self.spec.aws.availabilityZone == oldSelf.spec.?aws.?availabilityZone.orValue('-') || self.spec.aws.availabilityZone == oldSelf.?status.?fixed[?'aws.availabilityZone'].orValue(self.spec.aws.availabilityZone)",message="spec.aws.availabilityZone can't change once the server exists: create another Database in that zone and move the data",fieldPath=".spec.aws"
// +kubebuilder:validation:XValidation:rule="!self.spec.?encryption.?key.hasValue() || self.spec.encryption.key == oldSelf.spec.?encryption.?key.orValue('-') || self.spec.encryption.key == oldSelf.?status.?fixed[?'encryption.key'].orValue(self.spec.encryption.key)",message="spec.encryption.key can't change once the server exists: create another Database with the new key and move the data",fieldPath=".spec.encryption"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || self.spec.externalName.matches('^[a-z][a-z0-9]*(-[a-z0-9]+)*$') || (((has(self.spec.adoption) && self.spec.adoption == 'IfExists') || (has(self.spec.management) && self.spec.management == 'Observe') || (has(self.status) && has(self.status.externalName) && self.spec.externalName == self.status.externalName)) && self.spec.externalName.matches('^[a-z][a-z0-9-]*[a-z0-9]$'))",message="spec.externalName must be an instance name: lower-case letters, digits and single hyphens; it must begin with a letter and must not end with a hyphen. To adopt (IfExists) or observe an instance, the name may also have two hyphens in a row",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.replica) || has(oldSelf.spec.replica) || !oldSelf.?status.?externalName.hasValue() || has(oldSelf.status.replica)",message="spec.replica is for the creation of a server, and this server exists: create another Database as its read replica",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec.replica) || has(self.spec.replica) || !oldSelf.?status.?replica.hasValue()",message="spec.replica can't be removed while the server is a read replica: set spec.replica.role to Primary to promote it first, or delete this Database",fieldPath=".spec"
type Database struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the database.
	// +required
	Spec DatabaseSpec `json:"spec"`

	// status is the observed state of the database.
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

func init() { register(&Database{}, &DatabaseList{}) }

// GetSpec implements ResourceObject.
func (d *Database) GetSpec() any { return &d.Spec }

// GetResourceSpec implements ResourceObject.
func (d *Database) GetResourceSpec() *ResourceSpec { return &d.Spec.ResourceSpec }

// GetResourceStatus implements ResourceObject.
func (d *Database) GetResourceStatus() *ResourceStatus { return &d.Status.ResourceStatus }

// GetConditions implements ResourceObject.
func (d *Database) GetConditions() []metav1.Condition { return d.Status.Conditions }

// GetParameters implements ResourceObject.
func (d *Database) GetParameters() any { return d.Spec.DatabaseParameters.DeepCopy() }

// GetLocation implements ResourceObject.
func (d *Database) GetLocation() string { return value(d.Spec.Location) }

// GetConnection implements ResourceObject.
func (d *Database) GetConnection() *Connection { return d.Spec.Connection }

// GetCredentials implements ResourceObject.
func (d *Database) GetCredentials() *DatabaseCredentials { return d.Spec.Credentials }

// GetDeletionPolicy implements ResourceObject.
func (d *Database) GetDeletionPolicy() DeletionPolicy { return d.Spec.DeletionPolicy }

// GetForceDestroy implements ResourceObject: no cloud asks for it to delete a server with contents.
func (d *Database) GetForceDestroy() bool { return false }

// GetObserved implements ResourceObject.
func (d *Database) GetObserved() any {
	if d.Status.Observed == nil {
		return nil
	}
	return d.Status.Observed
}

// SetObserved implements ResourceObject.
func (d *Database) SetObserved(mirror json.RawMessage) error {
	return setObserved(&d.Status.Observed, mirror)
}
