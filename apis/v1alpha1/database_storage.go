package v1alpha1

// DatabaseStorage is a server's disk.
// +kubebuilder:validation:XValidation:rule="!has(self.maxSizeGiB) || !has(self.sizeGiB) || self.maxSizeGiB >= self.sizeGiB",message="maxSizeGiB must be at least sizeGiB: set both to the same for a disk that does not grow by itself"
type DatabaseStorage struct {
	// sizeGiB is the minimum size of the disk in GiB. A larger disk in the cloud is not drift. A disk can't shrink.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.ModifyingExisting.html
	// Source: https://cloud.google.com/sql/docs/postgres/instance-settings
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=65536
	SizeGiB *int32 `json:"sizeGiB,omitempty"`

	// maxSizeGiB is the limit in GiB up to which the cloud may grow the disk by itself when it fills up. The same as sizeGiB, or less than
	// the disk has by now, means that it does not grow by itself. A disk that has grown can't shrink. A change interrupts nothing. AWS: it
	// must be at least 10% above sizeGiB. If unset, the disk of a new server does not grow by itself. Google Cloud: if unset, the disk of a
	// new server grows by itself without a limit.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.Autoscaling.html
	// Source: https://cloud.google.com/sql/docs/postgres/instance-settings
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=65536
	MaxSizeGiB *int32 `json:"maxSizeGiB,omitempty"`
}

// DatabaseBackup configures automatic backups.
// +kubebuilder:validation:XValidation:rule="!has(self.pointInTimeRecovery) || !self.pointInTimeRecovery || !has(self.retentionDays) || self.retentionDays > 0",message="pointInTimeRecovery needs automatic backups, and retentionDays 0 switches them off: set retentionDays to 1 or more, or pointInTimeRecovery to false",fieldPath=".pointInTimeRecovery"
type DatabaseBackup struct {
	// retentionDays is how many days the cloud keeps automatic backups. 0 disables them. AWS: 0 to 35. Google Cloud: this number of
	// daily backups, 0 to 365. Google Cloud keeps the transaction logs for point-in-time recovery for the same time, but at most 7 days
	// in the edition Enterprise and 14 days in Enterprise Plus. If somebody chose another number of days for the logs in the cloud,
	// Mooring keeps it if possible.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.BackupRetention.html
	// Source: https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=365
	RetentionDays *int32 `json:"retentionDays,omitempty"`

	// startTime is when the daily automatic backup begins, HH:MM in UTC, for example "03:00". It has no effect while automatic
	// backups are disabled. AWS: the backup begins within 30 minutes from then. A longer window that begins at this time is not drift.
	// RDS refuses a backup window that overlaps the maintenance window. Google Cloud: the backup begins within four hours from then. If
	// unset, the cloud chooses a time.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.html
	// Source: https://cloud.google.com/sql/docs/postgres/backup-recovery/backups
	// +optional
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	// +kubebuilder:validation:MaxLength=5
	StartTime *string `json:"startTime,omitempty"`

	// pointInTimeRecovery says whether the cloud keeps the transaction logs by which it can restore the server, as another one, to any point
	// in time between two backups. true needs automatic backups. If unset, a new server has what the cloud chooses, and an existing server
	// keeps what it has.
	//
	// AWS: RDS has no switch for it. It can restore a server to any point in time exactly while it keeps automatic backups: true needs
	// retentionDays of 1 or more, and false needs retentionDays 0. Google Cloud: for PostgreSQL it is point-in-time recovery, for MySQL the
	// binary log. If unset, a new server has it in the edition Enterprise Plus, and with availability MultiZone, which requires it. With true
	// and without retentionDays, Mooring switches automatic backups on. To switch it on restarts the server. To switch it off deletes the logs
	// and with them all restore points between backups, and restarts a MySQL server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIT.html
	// Source: https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr
	// +optional
	PointInTimeRecovery *bool `json:"pointInTimeRecovery,omitempty"`
}
