package v1alpha1

// DatabaseGCP contains the settings that only Cloud SQL has.
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || !has(self.dataDiskType) || self.dataDiskType == 'HYPERDISK_BALANCED'",message="iops can be chosen for dataDiskType HYPERDISK_BALANCED only: remove iops, or set dataDiskType to HYPERDISK_BALANCED",fieldPath=".iops"
// +kubebuilder:validation:XValidation:rule="!has(self.throughputMiBps) || !has(self.dataDiskType) || self.dataDiskType == 'HYPERDISK_BALANCED'",message="throughputMiBps can be chosen for dataDiskType HYPERDISK_BALANCED only: remove throughputMiBps, or set dataDiskType to HYPERDISK_BALANCED",fieldPath=".throughputMiBps"
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || !has(self.throughputMiBps) || (self.throughputMiBps * 4 <= self.iops && self.throughputMiBps * 256 >= self.iops)",message="throughputMiBps has to be at most a quarter of iops, and iops at most 256 times throughputMiBps: change one of the two",fieldPath=".throughputMiBps"
type DatabaseGCP struct {
	// tier is the size of the instance, for example db-custom-2-7680 or db-f1-micro. It decides the edition, too. A change restarts
	// the server.
	// Source: https://cloud.google.com/sql/docs/postgres/machine-series-overview
	// +optional
	// +kubebuilder:validation:Pattern=`^db-[a-zA-Z0-9-]+$`
	// +kubebuilder:validation:MaxLength=63
	Tier *string `json:"tier,omitempty"`

	// edition is ENTERPRISE or ENTERPRISE_PLUS. Every tier belongs to one edition: db-perf-optimized-* and db-c4a-* to Enterprise Plus, and
	// db-custom-*, db-f1-micro and db-g1-small to Enterprise. So the edition changes together with the tier, and a tier of the other edition is
	// refused. If unset, the edition follows from tier. Enterprise Plus keeps transaction logs for up to 35 days, Enterprise for up to 7. In
	// Enterprise Plus, PostgreSQL has to be version 12 or later, and MySQL 8.0.31 or later. A move to Enterprise Plus takes some minutes with
	// downtime near zero. The way back takes up to 60 seconds of downtime, and shortens the transaction logs to what Enterprise keeps.
	// Source: https://cloud.google.com/sql/docs/postgres/editions-intro
	// Source: https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
	// +optional
	// +kubebuilder:validation:Enum=ENTERPRISE;ENTERPRISE_PLUS
	Edition *string `json:"edition,omitempty"`

	// dataCache says whether the server caches pages on local SSDs, in addition to memory. Only tiers of Enterprise Plus have a data cache. If
	// unset, a new server and one that moves to Enterprise Plus have what Cloud SQL chooses, and an existing server keeps what it has. A
	// change takes effect with downtime near zero, and connections break. On the way back to Enterprise the cache goes.
	// Source: https://cloud.google.com/sql/docs/postgres/data-cache
	// +optional
	DataCache *bool `json:"dataCache,omitempty"`

	// maintenanceTrack says how long after its notification an update of maintenance comes: canary after 7 to 14 days, stable after 15 to 21
	// days, and week5 after 35 to 42 days. It needs spec.maintenance.window. If unset, an existing server keeps what it has. A change does not
	// disturb the server, and takes effect with the next update.
	// Source: https://cloud.google.com/sql/docs/postgres/maintenance
	// +optional
	// +kubebuilder:validation:Enum=canary;stable;week5
	MaintenanceTrack *string `json:"maintenanceTrack,omitempty"`

	// denyMaintenancePeriod is a time in which Cloud SQL makes no maintenance updates, such as a peak season. It is one
	// period, as Cloud SQL documents one for a server; its API has a list. Periods that somebody else set beside it stay. {} means none: it
	// removes the period that Mooring set, also if somebody edited it since and it still begins on the same day, or all if Mooring set none.
	// It leaves what somebody else sets later. A period takes the place of the only one that the server has. If unset, a new server has none,
	// and an existing server keeps what it has. A change does not disturb the server. Cloud SQL refuses a period for a server whose maintenance
	// version is older than 12 months: install its maintenance update first. If the server has no period of Mooring's, status.observed
	// contains the first of the others.
	// +optional
	// +structType=atomic
	DenyMaintenancePeriod *DenyMaintenancePeriod `json:"denyMaintenancePeriod,omitempty"`

	// zone is the zone of the server, for example europe-west3-a. It has to be in spec.location. If unset, Cloud SQL chooses a zone. A
	// change moves the server to the other zone, which restarts it. If Cloud SQL can't place the server there, it places the server nearby.
	// On a server with a standby in a second zone, the zone of the standby is not drift: a failover makes them change places.
	// Source: https://cloud.google.com/sql/docs/postgres/instance-settings
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z]+(-[a-z]+)+[0-9]+-[a-z]$`
	// +kubebuilder:validation:MaxLength=63
	Zone *string `json:"zone,omitempty"`

	// secondaryZone is the zone of the standby, for example europe-west3-b. It has to be in spec.location, differ from zone, and needs
	// spec.availability MultiZone. If unset, Cloud SQL chooses a zone. A change makes a new standby in the other zone, and may restart the
	// server. A failover makes server and standby change places, which is not drift: then zone is the zone of the standby.
	// Source: https://cloud.google.com/sql/docs/postgres/configure-ha
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#LocationPreference
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z]+(-[a-z]+)+[0-9]+-[a-z]$`
	// +kubebuilder:validation:MaxLength=63
	SecondaryZone *string `json:"secondaryZone,omitempty"`

	// privateNetwork is the VPC network from which clients reach the server at a private address, in the form
	// projects/PROJECT/global/networks/NETWORK. For a shared VPC, PROJECT is the host project. The network needs private services access: an
	// allocated range of addresses, and a private connection to servicenetworking.googleapis.com. The connection Secret then contains the
	// private address, also if the server has a public one. If unset, a new server has no private address, and an existing server keeps what it
	// has. To set it on an existing server restarts the server for some minutes. Another network restarts it, too, and gives it another
	// private address. Cloud SQL can't take a server out of its network: if the field becomes unset, the server keeps the network. Through a
	// ClusterProviderConfig, the class decides which network a Database may name.
	// Source: https://cloud.google.com/sql/docs/postgres/configure-private-ip
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^projects/([a-z0-9.-]+:)?[a-z0-9-]+/global/networks/[a-z]([a-z0-9-]*[a-z0-9])?$')",message="must name a VPC network in the form projects/PROJECT/global/networks/NETWORK; for a shared VPC, PROJECT is the host project"
	PrivateNetwork *string `json:"privateNetwork,omitempty"`

	// allocatedIPRange is the name of an allocated range of addresses in the private network, for example google-managed-services-default. The
	// server gets its private address from this range, so it needs privateNetwork. If unset, Cloud SQL chooses one of the ranges that the
	// private connection of the network has. A server keeps its private address as long as it stays in its network: so the range changes
	// together with privateNetwork only. Through a ClusterProviderConfig, the class decides which range a Database may name.
	// Source: https://cloud.google.com/sql/docs/postgres/configure-private-ip
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	AllocatedIPRange *string `json:"allocatedIPRange,omitempty"`

	// serverCAMode says who signs the server's certificate: GOOGLE_MANAGED_INTERNAL_CA, a certificate authority of this server alone, or
	// GOOGLE_MANAGED_CAS_CA, a certificate authority that the servers of a region share. With GOOGLE_MANAGED_CAS_CA clients also have to verify
	// the server's name, which the connection Secret contains as tls-server-name. If unset, Cloud SQL chooses. It can't change once the server
	// exists: clients that trust the former authority alone could no longer connect.
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#CaMode
	// +optional
	// +kubebuilder:validation:Enum=GOOGLE_MANAGED_INTERNAL_CA;GOOGLE_MANAGED_CAS_CA
	ServerCAMode *string `json:"serverCAMode,omitempty"`

	// dataDiskType is the type of the server's disk. The tier decides which types there are: tiers of the machine series N4 (db-custom-N4-*)
	// and C4A (db-c4a-*) have HYPERDISK_BALANCED, whose speed iops and throughputMiBps set. All other tiers have PD_SSD, and those of the
	// edition Enterprise also PD_HDD, which is slower and cheaper. If unset, Cloud SQL creates a server with HYPERDISK_BALANCED or PD_SSD, as
	// its tier demands. It can't change once the server exists.
	// Source: https://cloud.google.com/sql/docs/postgres/machine-series-overview
	// +optional
	// +kubebuilder:validation:Enum=PD_SSD;PD_HDD;HYPERDISK_BALANCED
	DataDiskType *string `json:"dataDiskType,omitempty"`

	// iops is how many input and output operations a disk of the type HYPERDISK_BALANCED does in a second: 3,000 to 160,000, at most 500 for
	// each GiB of the disk from 6 GiB on, and at most what the tier takes, for example 15,000 with 2 vCPUs of N4 or 50,000 with 2 vCPUs of C4A.
	// More than 3,000 cost money. If unset, Cloud SQL chooses by the size of the disk, and an existing server keeps what it has. A change does
	// not disturb the server, and goes together with that of the disk's size. Google Cloud refuses changes of a disk's speed that follow each
	// other within some hours; Mooring tries again until it takes the change.
	// Source: https://cloud.google.com/sql/docs/postgres/storage-options-overview
	// Source: https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced
	// +optional
	// +kubebuilder:validation:Minimum=3000
	// +kubebuilder:validation:Maximum=160000
	IOPS *int32 `json:"iops,omitempty"`

	// throughputMiBps is how much a disk of the type HYPERDISK_BALANCED reads and writes in a second, in MiB: 140 to 2,400, at most a quarter of
	// iops and at least a 256th part of it, and at most what the tier takes, for example 240 with 2 vCPUs of N4 or 800 with 2 vCPUs of C4A. More
	// than 140 cost money. If unset, Cloud SQL chooses by the size of the disk, and an existing server keeps what it has. A change does to the
	// server what a change of iops does.
	// Source: https://cloud.google.com/sql/docs/postgres/storage-options-overview
	// Source: https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced
	// +optional
	// +kubebuilder:validation:Minimum=140
	// +kubebuilder:validation:Maximum=2400
	ThroughputMiBps *int32 `json:"throughputMiBps,omitempty"`

	// connectorEnforcement is NOT_REQUIRED or REQUIRED. With REQUIRED the server refuses every direct connection, also to the address in
	// the connection Secret, and its authorized networks have no effect. Clients then connect through the Cloud SQL Auth Proxy or a
	// Cloud SQL connector, and need the IAM role Cloud SQL Client. A server that Cloud SQL creates without a value has NOT_REQUIRED. A
	// change does not restart the server.
	// Source: https://cloud.google.com/sql/docs/postgres/language-connectors#enforce
	// +optional
	// +kubebuilder:validation:Enum=NOT_REQUIRED;REQUIRED
	ConnectorEnforcement *string `json:"connectorEnforcement,omitempty"`

	// sslMode says which direct connections the server accepts. ALLOW_UNENCRYPTED_AND_ENCRYPTED accepts all. ENCRYPTED_ONLY refuses
	// connections without TLS. TRUSTED_CLIENT_CERTIFICATE_REQUIRED also refuses clients without a certificate that this server trusts:
	// create client certificates in Cloud SQL, because the connection Secret contains none. If unset, Mooring creates a server with
	// ENCRYPTED_ONLY and leaves the mode of an existing server as it is. A stricter mode restarts a MySQL server. On PostgreSQL it applies
	// to new connections only: connections that are open stay open until a restart.
	// Source: https://cloud.google.com/sql/docs/postgres/configure-ssl-instance
	// +optional
	// +kubebuilder:validation:Enum=ALLOW_UNENCRYPTED_AND_ENCRYPTED;ENCRYPTED_ONLY;TRUSTED_CLIENT_CERTIFICATE_REQUIRED
	SSLMode *string `json:"sslMode,omitempty"`

	// retainBackupsOnDelete keeps the server's backups in the project when the server is deleted, next to the final snapshot that
	// spec.deletionPolicy asks for. Automatic backups then expire as spec.backup.retentionDays says. On-demand backups stay, and cost money,
	// until somebody deletes them. A server that Cloud SQL creates without a value keeps none. A change does not disturb the server. It
	// has to be applied before the Database is deleted.
	// Source: https://cloud.google.com/sql/docs/postgres/backup-recovery/backups#retained-backups
	// +optional
	RetainBackupsOnDelete *bool `json:"retainBackupsOnDelete,omitempty"`

	// insights are settings of Query Insights. They have no effect while spec.insights is off.
	// +optional
	Insights *QueryInsights `json:"insights,omitempty"`

	// passwordValidationPolicy contains the rules that the server has for new passwords of its users, the administrator among them. Passwords
	// that are set already stay valid. Its other fields need enabled.
	// +optional
	PasswordValidationPolicy *PasswordValidationPolicy `json:"passwordValidationPolicy,omitempty"`

	// pscConfig is Private Service Connect: clients reach the server from VPC networks of several projects, without a peering. Through a
	// ClusterProviderConfig, the class decides which projects, networks and network attachments a Database may name.
	// +optional
	PSCConfig *PSCConfig `json:"pscConfig,omitempty"`

	// connectionPool is Cloud SQL's Managed Connection Pooling, in the edition Enterprise Plus. It is for applications that connect often or
	// in surges.
	// +optional
	ConnectionPool *ConnectionPool `json:"connectionPool,omitempty"`
}

// PSCConfig contains the settings of Private Service Connect of a server of Cloud SQL.
// https://cloud.google.com/sql/docs/postgres/about-private-service-connect
type PSCConfig struct {
	// enabled says whether a new server has a service attachment, which status.serviceAttachment then contains. Endpoints of Private Service
	// Connect in VPC networks lead to it. Such a server needs no address: network.publicAccess can be Blocked without gcp.privateNetwork, and
	// unset it means that a new server has no public address. The connection Secret of a server without an address contains its DNS name. The
	// platform team makes a DNS record of that name for the endpoint of each network, as Google recommends. If unset, a new server has no
	// service attachment. Mooring sets it for new servers alone: it can't change once the server exists.
	// Source: https://cloud.google.com/sql/docs/postgres/about-private-service-connect
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// allowedConsumerProjects are the projects from whose VPC networks endpoints can connect to the server, by their ids or numbers. Another
	// order is not drift. An empty list lets none in. It needs enabled: true. If unset, a new server lets none in, and an existing server
	// keeps its projects. Connections from a project that is removed can break.
	// Source: https://cloud.google.com/sql/docs/postgres/about-private-service-connect
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o == e))",message="an entry is there twice: remove one of the two"
	// +kubebuilder:validation:items:Pattern=`^([a-z][a-z0-9-]{4,28}[a-z0-9]|[0-9]{6,20})$`
	// +kubebuilder:validation:items:MaxLength=30
	AllowedConsumerProjects []string `json:"allowedConsumerProjects,omitzero"`

	// autoConnectionNetworks are the VPC networks in which Cloud SQL makes an endpoint for the server by itself, in the form
	// projects/PROJECT/global/networks/NETWORK. The endpoint is in that project. Each network needs a service connection policy for Cloud SQL
	// in the region of the server. Another order is not drift. An empty list is none. It needs enabled: true. If unset, a new server gets no
	// endpoint, and an existing server keeps those that it has. Connections through an endpoint that is removed break.
	// Source: https://cloud.google.com/sql/docs/postgres/about-private-service-connect
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o == e))",message="an entry is there twice: remove one of the two"
	// +kubebuilder:validation:items:Pattern=`^projects/([a-z0-9.-]+:)?[a-z0-9-]+/global/networks/[a-z]([a-z0-9-]*[a-z0-9])?$`
	// +kubebuilder:validation:items:MaxLength=200
	AutoConnectionNetworks []string `json:"autoConnectionNetworks,omitzero"`

	// networkAttachmentURI is the network attachment through which the server itself can connect to a VPC network, for example for a migration,
	// in the form projects/PROJECT/regions/REGION/networkAttachments/NAME. It needs enabled: true. If unset, a new server has none, and an
	// existing server keeps what it has. Google does not say what a change does: count on a restart of the server.
	// Source: https://cloud.google.com/sql/docs/postgres/about-private-service-connect
	// +optional
	// +kubebuilder:validation:MaxLength=250
	// +kubebuilder:validation:Pattern=`^projects/([a-z0-9.-]+:)?[a-z0-9-]+/regions/[a-z0-9-]+/networkAttachments/[a-z]([a-z0-9-]*[a-z0-9])?$`
	NetworkAttachmentURI *string `json:"networkAttachmentURI,omitempty"`
}

// ConnectionPool contains the settings of Managed Connection Pooling.
// https://cloud.google.com/sql/docs/postgres/managed-connection-pooling https://cloud.google.com/sql/docs/mysql/managed-connection-pooling
type ConnectionPool struct {
	// enabled says whether the server has connection pools. Only tiers of Enterprise Plus have them. On PostgreSQL, clients reach the pools at
	// port 6432, and port 5432, which the connection Secret contains, still leads to the server itself. On MySQL the port stays 3306, and all
	// connections are pooled. If unset, a new server has no pools, and an existing server keeps what it has. A change restarts the server.
	// Cloud SQL takes it in a call of its own: after a move to Enterprise Plus, and before the way back, on which Mooring turns the pools off.
	// Source: https://cloud.google.com/sql/docs/postgres/managed-connection-pooling
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// flags are the options of the pools, by Cloud SQL's names, for example max_pool_size: "50", and on PostgreSQL pool_mode: transaction.
	// Values are strings, so numbers and on or off need quotes. Entries need enabled: true. Mooring keeps flags that others set in the cloud.
	// An empty map takes away what Mooring set earlier. In server-side apply all entries have one manager. If unset, Mooring changes no flags. A change can break connections through the pools:
	// Google does not say what it does to them.
	// Source: https://cloud.google.com/sql/docs/postgres/configure-mcp
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=50
	Flags map[string]ParameterValue `json:"flags,omitzero"`
}

// DenyMaintenancePeriod is a time without maintenance updates: of 1 to 90 days, once or in every year.
// +kubebuilder:validation:XValidation:rule="has(self.startDate) == has(self.endDate)",message="startDate and endDate need each other: set both, or write {} for no period"
// +kubebuilder:validation:XValidation:rule="!has(self.startDate) || !has(self.endDate) || self.startDate.size() == self.endDate.size()",message="startDate and endDate must both have a year, for a period that comes once, or both have none, for one that comes every year"
// +kubebuilder:validation:XValidation:rule="!has(self.startDate) || !has(self.endDate) || self.startDate.size() != self.endDate.size() || [timestamp((self.endDate.size() == 10 ? self.endDate : '2024-' + self.endDate) + 'T00:00:00Z') - timestamp((self.startDate.size() == 10 ? self.startDate : (self.startDate <= self.endDate ? '2024-' : '2023-') + self.startDate) + 'T00:00:00Z')].all(d, d >= duration('24h') && d <= (self.startDate.size() == 10 ? duration('2160h') : duration('2184h')))",message="endDate must be 1 to 90 days after startDate; a period that comes every year may end in the next year"
type DenyMaintenancePeriod struct {
	// startDate is the first day: 2026-11-20 for a period that comes once, or 11-20 for one that comes every year. It needs endDate. How Cloud
	// SQL writes the date, such as without a zero in front, is no drift.
	// Source: https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:Pattern=`^([0-9]{4}-)?((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))$`
	StartDate *string `json:"startDate,omitempty"`

	// endDate is the last day: 1 to 90 days after startDate, and with a year exactly if startDate has one. A period that comes every year may
	// begin in one year and end in the next.
	// Source: https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:Pattern=`^([0-9]{4}-)?((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))$`
	EndDate *string `json:"endDate,omitempty"`

	// time is the time of day, in UTC, at which the period begins on startDate and ends on endDate, for example 00:00. It needs startDate. If
	// unset, a new period begins and ends at 00:00, and an existing one keeps what it has.
	// Source: https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance
	// +optional
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	Time *string `json:"time,omitempty"`
}

// EmptyMeans implements EmptyValue.
func (DenyMaintenancePeriod) EmptyMeans() string { return "no period" }

// PasswordValidationPolicy contains rules for new passwords of the users of a server of Cloud SQL.
type PasswordValidationPolicy struct {
	// enabled says whether the server checks new passwords. If unset, a new server does not, and an existing server keeps what it has. A
	// change does not disturb the server, nor anybody who is logged in.
	// Source: https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// minLength is how many characters a password has at least: 0 to 30, where 0 is no limit. Passwords that Mooring makes have 30. If unset,
	// an existing server keeps what it has.
	// Source: https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=30
	MinLength *int32 `json:"minLength,omitempty"`

	// complexity is COMPLEXITY_DEFAULT or COMPLEXITY_UNSPECIFIED. With COMPLEXITY_DEFAULT a password needs a lower-case letter, an upper-case
	// letter, a digit, and a character that is none of these. Passwords that Mooring makes have them. COMPLEXITY_UNSPECIFIED demands nothing.
	// If unset, an existing server keeps what it has.
	// Source: https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
	// +optional
	// +kubebuilder:validation:Enum=COMPLEXITY_DEFAULT;COMPLEXITY_UNSPECIFIED
	Complexity *string `json:"complexity,omitempty"`

	// reuseInterval is how many of its former passwords a user can't have again: 0 to 100, where 0 is none. MySQL has it from version 8.0 on.
	// Where the answer of Cloud SQL to a new password is lost, Mooring sends that password again, which such a rule may refuse: then set
	// another password in the Secret of passwordSecretRef, or reuseInterval to 0 until the Database is Ready. If unset, an existing server
	// keeps what it has.
	// Source: https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	ReuseInterval *int32 `json:"reuseInterval,omitempty"`

	// disallowUsernameSubstring refuses passwords that contain the name of their user. If unset, an existing server keeps what it has.
	// Source: https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
	// +optional
	DisallowUsernameSubstring *bool `json:"disallowUsernameSubstring,omitempty"`

	// passwordChangeIntervalSeconds is how many seconds have to pass before a password can be changed again, where 0 is no limit. It also
	// holds for Mooring: keep it well below spec.credentials.rotationPeriod. Only PostgreSQL has it. If unset, an existing server keeps what
	// it has.
	// Source: https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
	// +optional
	// +kubebuilder:validation:Minimum=0
	PasswordChangeIntervalSeconds *int32 `json:"passwordChangeIntervalSeconds,omitempty"`
}

// QueryInsights are settings of Query Insights.
type QueryInsights struct {
	// queryStringLength is how many bytes of a query are recorded: 256 to 4500. A longer query is cut. If unset, Cloud SQL records 1024 bytes
	// on a new server, and an existing server keeps what it has. More bytes take more memory. A change restarts the server.
	// Source: https://cloud.google.com/sql/docs/postgres/using-query-insights
	// +optional
	// +kubebuilder:validation:Minimum=256
	// +kubebuilder:validation:Maximum=4500
	QueryStringLength *int32 `json:"queryStringLength,omitempty"`

	// queryPlansPerMinute is how many execution plans are recorded in a minute: 0 to 20, and up to 200 in the edition Enterprise Plus. If
	// unset, Cloud SQL records 5 on a new server, and an existing server keeps what it has. A change does not disturb the server.
	// Source: https://cloud.google.com/sql/docs/postgres/using-query-insights
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=200
	QueryPlansPerMinute *int32 `json:"queryPlansPerMinute,omitempty"`

	// recordApplicationTags records the tags that applications put into comments of queries. If unset, a new server does not, and an existing
	// server keeps what it has. A change does not disturb the server.
	// Source: https://cloud.google.com/sql/docs/postgres/using-query-insights
	// +optional
	RecordApplicationTags *bool `json:"recordApplicationTags,omitempty"`

	// recordClientAddress records from which addresses queries come. If unset, a new server does not, and an existing server keeps what
	// it has. A change does not disturb the server.
	// Source: https://cloud.google.com/sql/docs/postgres/using-query-insights
	// +optional
	RecordClientAddress *bool `json:"recordClientAddress,omitempty"`
}
