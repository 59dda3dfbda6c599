package v1alpha1

// ReplicaRole says whether a server that was made as a read replica still is one.
type ReplicaRole string

// The values of ReplicaRole.
const (
	ReplicaRoleReplica ReplicaRole = "Replica"
	ReplicaRolePrimary ReplicaRole = "Primary"
)

// DatabaseReplica makes a server a read replica of another one.
type DatabaseReplica struct {
	// primaryRef names the Database whose server this one follows. It is of the same namespace, and in the same account. A read replica never follows another server: once the server
	// exists, primaryRef names the Database of what it follows.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.html
	// Source: https://cloud.google.com/sql/docs/postgres/replication
	// +required
	PrimaryRef DatabaseReference `json:"primaryRef"`

	// role is Replica or Primary. With Replica, the server repeats what is written to the primary, and takes no writes. Primary promotes it: it takes writes from then on, and
	// no longer repeats those of the primary. That can't be undone, so it waits for approval. If unset, it is Replica, as it has to be for a new server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_PromoteReadReplica.html
	// Source: https://cloud.google.com/sql/docs/postgres/replication/manage-replicas#promote-replica
	// +optional
	// +kubebuilder:validation:Enum=Replica;Primary
	Role ReplicaRole `json:"role,omitempty"`
}

// ReplicaStatus says what a read replica follows.
type ReplicaStatus struct {
	// primary is the name in the cloud of the server that it follows.
	// +required
	Primary string `json:"primary"`

	// primaryID is the cloud's own identity of that server, as its Database said when the replica was made.
	// +optional
	PrimaryID string `json:"primaryID,omitempty"`

	// location is where that server is, if it is in another location.
	// +optional
	Location string `json:"location,omitempty"`

	// problem says in the cloud's words why the server does not repeat what is written to the primary. It is not there while it does.
	// +optional
	Problem string `json:"problem,omitempty"`

	// lag is how far the server lags behind its primary, as the cloud measured it last: Seconds (less than a minute), Minutes, Hours, or Days. It rises as soon as the lag is a minute, an hour or a
	// day, and falls once the lag is less than half of that. The metric mooring_replica_lag_seconds has the lag in seconds. Of PostgreSQL in RDS it is the least of the
	// last 10 minutes, because RDS counts up to 5 minutes while nothing is written. If the cloud does not say the lag, the last one stays for two sync
	// periods. It is not there if the cloud does not say it any longer, or if the server has a problem, or if the identity lacks the permission (cloudwatch:GetMetricData, monitoring.timeSeries.list).
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.Monitoring.html
	// Source: https://cloud.google.com/sql/docs/postgres/replication/replication-lag
	// +optional
	// +kubebuilder:validation:Enum=Seconds;Minutes;Hours;Days
	Lag ReplicaLag `json:"lag,omitempty"`
}

// ReplicaLag is how far a read replica lags behind its primary, as a unit of time.
type ReplicaLag string

// The values of ReplicaLag.
const (
	ReplicaLagSeconds ReplicaLag = "Seconds"
	ReplicaLagMinutes ReplicaLag = "Minutes"
	ReplicaLagHours   ReplicaLag = "Hours"
	ReplicaLagDays    ReplicaLag = "Days"
)
