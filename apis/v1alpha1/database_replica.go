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
}
