package sql

import (
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// recoveryRow: PostgreSQL has a switch of that name, and MySQL needs the binary log for it.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr
// https://cloud.google.com/sql/docs/mysql/backup-recovery/configure-pitr
var recoveryRow = table.Field("backup.pointInTimeRecovery",
	func(p *databaseParameters) *bool {
		if p.Backup == nil {
			return nil
		}
		return p.Backup.PointInTimeRecovery
	},
	func(i *instance) *bool { return new(i.recovers()) },
	func(p *instanceParams, v bool) { p.PointInTimeRecovery = &v }).
	EffectOf(recoveryEffect,
		driver.PossibleEffect{Effect: driver.Restarts, When: "it becomes true", Cost: recoveryCost},
		driver.PossibleEffect{Effect: driver.LosesBackups, When: "it becomes false: the transaction logs are deleted, and a MySQL server restarts"})

// recovers reports whether Cloud SQL can restore an instance to any point in time between two backups.
func (i *instance) recovers() bool {
	b := i.backupConfiguration()
	return b.PointInTimeRecoveryEnabled || b.BinaryLogEnabled
}

// recoveryEffect: "If you enable PITR on an existing instance, the instance restarts", and without it the logs that exist are deleted. For MySQL
// both restart the server, since the binary log is a setting that mysqld reads when it starts.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr#before-you-begin
// https://cloud.google.com/sql/docs/postgres/backup-recovery/restore
// https://dev.mysql.com/doc/refman/8.4/en/replication-options-binary-log.html#option_mysqld_log-bin
func recoveryEffect(_ *bool, to bool, have *instance) (driver.Effect, string) {
	switch {
	case to:
		return driver.Restarts, "Cloud SQL restarts the server to keep transaction logs"
	case have.engine() == v1alpha1.EngineMySQL:
		return driver.LosesBackups, "the binary logs are deleted, and with them the restore to a point in time; " + recoveryCost.Text
	}
	return driver.LosesBackups, "the transaction logs are deleted, and with them the restore to a point in time"
}

// recovery adds to what a call says about backups, nil for nothing, whether the instance can be recovered to any point in time: if it comes into
// two zones, which Cloud SQL takes with recovery only, or as the parameters say.
// https://cloud.google.com/sql/docs/postgres/configure-ha
// https://cloud.google.com/sql/docs/mysql/configure-ha
func (p *instanceParams) recovery(s *sqladmin.Settings, b *sqladmin.BackupConfiguration, engine v1alpha1.Engine) *sqladmin.BackupConfiguration {
	on := s.AvailabilityType == regional || p.PointInTimeRecovery != nil && *p.PointInTimeRecovery
	if !on && p.PointInTimeRecovery == nil {
		return b
	}
	if b == nil {
		b = &sqladmin.BackupConfiguration{}
	}
	if engine == v1alpha1.EngineMySQL {
		b.BinaryLogEnabled = on
		b.ForceSendFields = append(b.ForceSendFields, "BinaryLogEnabled")
	} else {
		b.PointInTimeRecoveryEnabled = on
		b.ForceSendFields = append(b.ForceSendFields, "PointInTimeRecoveryEnabled")
	}
	b.Enabled = b.Enabled || on // without backups there is nothing that logs could be replayed onto
	return b
}

// fewerLogs says for how many days logs are kept where backups begin without a number, and there would be fewer of them than days: while
// backups are off Cloud SQL takes any numbers.
func fewerLogs(b *sqladmin.BackupConfiguration, have *instance) {
	if b != nil && b.Enabled && b.TransactionLogRetentionDays == 0 && have.logDays() > have.retainedBackups() {
		b.TransactionLogRetentionDays = have.retainedBackups()
	}
}

// checkBackups refuses two zones or recovery without backups, and two zones without recovery, before Cloud SQL does without the names of the
// fields. availability is what the server has or is to have.
func checkBackups(spec *databaseParameters, availability *v1alpha1.Availability) error {
	var recovery *bool
	if spec.Backup != nil {
		recovery = spec.Backup.PointInTimeRecovery
	}
	days := wantRetention(spec)
	none, twoZones := days != nil && *days == 0, availability != nil && *availability == v1alpha1.AvailabilityMultiZone
	switch {
	case none && twoZones:
		return table.Fields{"availability", "backup.retentionDays"}.Refuse("spec.availability MultiZone needs automatic backups in Google Cloud, and spec.backup.retentionDays 0 switches them off: " +
			"set spec.backup.retentionDays to 1 or more, or spec.availability to SingleZone")
	case none && recovery != nil && *recovery:
		return table.Fields{"backup.pointInTimeRecovery", "backup.retentionDays"}.Refuse("spec.backup.pointInTimeRecovery true needs automatic backups, and spec.backup.retentionDays 0 switches them off: " +
			"set spec.backup.retentionDays to 1 or more, or spec.backup.pointInTimeRecovery to false")
	case twoZones && recovery != nil && !*recovery:
		return table.Fields{"availability", "backup.pointInTimeRecovery"}.Refuse("spec.availability MultiZone needs point-in-time recovery in Google Cloud, and spec.backup.pointInTimeRecovery false switches it off: " +
			"set spec.backup.pointInTimeRecovery to true, or spec.availability to SingleZone")
	}
	return nil
}
