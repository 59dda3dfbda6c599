package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DatabaseRestore says from what a new server is restored: exactly one of its fields is set.
// +kubebuilder:validation:XValidation:rule="[has(self.snapshotRef), has(self.externalSnapshotName), has(self.pointInTime)].filter(x, x).size() == 1",message="set exactly one of spec.restoreFrom.snapshotRef, for a DatabaseSnapshot of this namespace, spec.restoreFrom.externalSnapshotName, for a snapshot by its name in the cloud, and spec.restoreFrom.pointInTime, for another Database as it was at a time"
type DatabaseRestore struct {
	// snapshotRef names a DatabaseSnapshot of the same namespace. Mooring waits until that is ready to use. It must be in the account and the location
	// of the new server.
	// +optional
	SnapshotRef *DatabaseSnapshotReference `json:"snapshotRef,omitempty"`

	// externalSnapshotName is the name of a snapshot in the account and the location of the new server: of a manual snapshot of RDS, the id of a backup
	// of Cloud SQL, or the name of a final snapshot of Mooring. It is for a snapshot without a DatabaseSnapshot, such as one that is left of a cluster
	// that was lost. A snapshot with the mark of another namespace of this cluster is refused. In an account that a class or a ClusterProviderConfig leads to, the
	// snapshot must have the mark of this namespace, unless the class allows adoption of anything. To set it takes the verb adopt on databases.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceFromDBSnapshot.html
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/restoreBackup
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$`
	ExternalSnapshotName string `json:"externalSnapshotName,omitempty"`

	// pointInTime restores another Database of the same namespace as it was at a time, and leaves the other server as it is. AWS: by its automatic backups
	// (backup.retentionDays above 0). Google Cloud: a time needs backup.pointInTimeRecovery of the other Database, the latest one needs nothing; what a clone
	// keeps for good, such as the key and the location, must be as it is there. The other server must have a mark of this namespace.
	//
	// AWS: the other Database may be one that was deleted, if its automatic backups stay, as they do with deletionPolicy Snapshot. They must have the mark of that
	// Database. In the namespace's own account, and if the class allows adoption of anything, those without a mark are restored too, if the server had the name
	// that Mooring chooses. Google Cloud restores no deleted server to a time: restore a backup that stays of it by a DatabaseSnapshot with source.externalName.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIT.html
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.Retaining.html
	// Source: https://cloud.google.com/sql/docs/postgres/backup-recovery/pitr
	// +optional
	PointInTime *DatabasePointInTime `json:"pointInTime,omitempty"`
}

// DatabasePointInTime is a Database at a time.
type DatabasePointInTime struct {
	// databaseRef names a Database of the same namespace, in the account and the location of the new server. AWS: it may have been deleted, and it may be the
	// new Database itself, which was deleted and is created again under its name.
	// +required
	DatabaseRef DatabaseReference `json:"databaseRef"`

	// time is the moment to which the server is restored, in RFC 3339, for example 2026-11-27T14:30:00Z. Fractions of a second are dropped. It lies between the first
	// automatic backup of the other server and its latest restorable time, which AWS keeps within the last 5 minutes. If unset, it is the latest one; in
	// Google Cloud that is the server as it is. A Database that was deleted more than once needs a time, and the server is restored that had backups of it.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBInstanceToPointInTime.html
	// +optional
	Time *metav1.Time `json:"time,omitempty"`
}

// DatabaseSnapshotReference names a DatabaseSnapshot of the same namespace.
type DatabaseSnapshotReference struct {
	// name of the DatabaseSnapshot.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
}

// RestoredFrom says from what Mooring restored a server when it created it.
type RestoredFrom struct {
	// snapshot is the name of the snapshot in the cloud.
	// +optional
	Snapshot string `json:"snapshot,omitempty"`

	// snapshotID is the cloud's own identity of the snapshot, where it has one.
	// +optional
	SnapshotID string `json:"snapshotID,omitempty"`

	// server is the name in the cloud of the other server, of a restore to a point in time, or of the server that vanished.
	// +optional
	Server string `json:"server,omitempty"`

	// serverID is the cloud's own identity of the other server, if the new one was born as a copy of it.
	// +optional
	ServerID string `json:"serverID,omitempty"`

	// database is the name that the other server's mark has, if the new server was born as a copy of it, with that mark. What has the name of the
	// new server and that mark is the copy, until it has a mark of its own.
	// +optional
	Database string `json:"database,omitempty"`

	// databaseUID is the uid in that mark.
	// +optional
	DatabaseUID string `json:"databaseUID,omitempty"`

	// time is the point in time. It is not there for the latest one. In the place of a server that vanished, it is the time from which on data is lost.
	// +optional
	Time *metav1.Time `json:"time,omitempty"`

	// vanishedID is the cloud's own identity of the server in whose place this one was restored, because it had vanished and spec.whenVanished is Restore.
	// Until the restored server works, Mooring creates no other one in its place, whatever spec.whenVanished says.
	// +optional
	VanishedID string `json:"vanishedID,omitempty"`
}
