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
	// primaryRef names the Database whose server this one follows. It is of the same namespace, and in the same account. It can't change: a read replica
	// never follows another server.
	// +required
	PrimaryRef DatabaseReference `json:"primaryRef"`

	// role is Replica or Primary. With Replica, the server repeats what is written to the primary, and takes no writes. Primary promotes it: it takes writes from then on, and
	// no longer repeats those of the primary. That can't be undone, so it waits for approval. A new server is created with Replica.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_PromoteReadReplica.html
	// Source: https://cloud.google.com/sql/docs/postgres/replication/manage-replicas#promote-replica
	// +optional
	// +kubebuilder:default=Replica
	// +kubebuilder:validation:Enum=Replica;Primary
	Role ReplicaRole `json:"role,omitempty"`
}
