package sql

import (
	"fmt"
	"regexp"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A sqlRetention says how many backups and how many days of transaction logs an edition keeps unless asked otherwise, and how many
// days of logs at most. https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr
type sqlRetention struct{ backups, logDays, mostLogDays int64 }

var sqlRetentions = map[string]sqlRetention{
	"ENTERPRISE":      {backups: 7, logDays: 7, mostLogDays: 7},
	"ENTERPRISE_PLUS": {backups: 15, logDays: 14, mostLogDays: 35},
}

// sqlStartTimes are times of a day, as Cloud SQL takes them.
var sqlStartTimes = regexp.MustCompile(`^([01]?[0-9]|2[0-3]):([0-5][0-9])$`)

// settleBackups fills in what Cloud SQL chooses where nothing was asked for. A new instance of Enterprise Plus has backups and
// point-in-time recovery switched on.
func settleBackups(c *change) {
	backup, version := google.Member(c.settings, "backupConfiguration"), c.version()
	name, _ := c.settings["edition"].(string)
	plus := c.old == nil && c.resource["masterInstanceName"] == nil && name == "ENTERPRISE_PLUS"
	google.Defaults(backup, google.Object{
		"kind": "sql#backupConfiguration", "enabled": plus, "startTime": "04:00", "transactionLogRetentionDays": sqlRetentions[name].logDays,
	})
	if plus {
		google.Defaults(backup, google.Object{recoveryMember(version): true})
	}
	backup["transactionalLogStorageState"] = "TRANSACTIONAL_LOG_STORAGE_STATE_UNSPECIFIED"
	if backup[recoveryMember(version)] == true && sqlFamily(version) == "MYSQL" {
		backup["transactionalLogStorageState"] = "CLOUD_STORAGE"
	}
	google.Defaults(google.Member(backup, "backupRetentionSettings"), google.Object{"retentionUnit": "COUNT", "retainedBackups": sqlRetentions[name].backups})
	if start, ok := backup["startTime"].(string); ok && len(start) == 4 {
		backup["startTime"] = "0" + start
	}
}

// recoveryMember is the member of a backup configuration that switches point-in-time recovery on.
func recoveryMember(version string) string {
	if sqlFamily(version) == "MYSQL" {
		return "binaryLogEnabled"
	}
	return "pointInTimeRecoveryEnabled"
}

// moveToPlus prepares a move to Enterprise Plus: what is as the old edition chose it, and is not asked for in the same request,
// becomes what the new edition chooses, and so do backups and point-in-time recovery of which nothing is said: "All Cloud SQL Enterprise Plus edition instances
// are automatically enabled for point-in-time recovery". No recording shows a move. A move down changes nothing by itself.
// https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
func moveToPlus(next, old, asked google.Object) {
	was, is := google.Member(google.Cloned(old), "settings"), google.Member(next, "settings")
	if next["masterInstanceName"] != nil || was["edition"] != "ENTERPRISE" || is["edition"] != "ENTERPRISE_PLUS" {
		return
	}
	standard := sqlRetentions["ENTERPRISE"]
	said := google.Member(google.Cloned(asked), "settings", "backupConfiguration")
	backup := google.Member(is, "backupConfiguration")
	version, _ := next["databaseVersion"].(string)
	if recovery := recoveryMember(version); said["enabled"] == nil && said[recovery] == nil {
		backup["enabled"], backup[recovery] = true, true
	}
	for _, m := range []struct {
		in, said google.Object
		key      string
		standard int64
	}{
		{backup, said, "transactionLogRetentionDays", standard.logDays},
		{google.Member(backup, "backupRetentionSettings"), google.Member(said, "backupRetentionSettings"), "retainedBackups", standard.backups},
	} {
		if m.said[m.key] == nil && fmt.Sprint(m.in[m.key]) == fmt.Sprint(m.standard) {
			delete(m.in, m.key)
		}
	}
}

// recoveryRestarts reports whether a change of point-in-time recovery restarts the server. No recording shows it.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr#before-you-begin
func recoveryRestarts(old, now *sqladmin.DatabaseInstance) bool {
	a, b := old.Settings.BackupConfiguration, now.Settings.BackupConfiguration
	return b.PointInTimeRecoveryEnabled && !a.PointInTimeRecoveryEnabled || a.BinaryLogEnabled != b.BinaryLogEnabled
}

// validBackups holds backups, point-in-time recovery and high availability together. A read replica has no backups, and can do without them what others can't: be regional, and with MySQL keep
// binary logs: "Binary log must be disabled when backup is disabled or the instance must be a replica instance with a MySQL 5.7 or above version".
// https://cloud.google.com/sql/docs/mysql/replication#rr-info
// https://github.com/hashicorp/terraform-provider-google/issues/9371
func validBackups(in, _ *sqladmin.DatabaseInstance) error {
	b, most := in.Settings.BackupConfiguration, sqlRetentions[in.Settings.Edition].mostLogDays
	mysql := sqlFamily(in.DatabaseVersion) == "MYSQL"
	recoverable := b.PointInTimeRecoveryEnabled
	if mysql {
		recoverable = b.BinaryLogEnabled
	}
	switch {
	case !sqlStartTimes.MatchString(b.StartTime):
		return sqlInvalid("Invalid backup start time: " + b.StartTime)
	case b.TransactionLogRetentionDays < 1 || b.TransactionLogRetentionDays > most:
		return sqlInvalid(fmt.Sprintf("The number of transaction log retention days must be between 1 and %d.", most))
	case b.BackupRetentionSettings.RetainedBackups < 1 || b.BackupRetentionSettings.RetainedBackups > 365:
		return sqlInvalid("The number of retained backups must be between 1 and 365.")
	case b.Enabled && b.BackupRetentionSettings.RetainedBackups < b.TransactionLogRetentionDays:
		return sqlInvalid("backup retention should be > transaction log retention.")
	case mysql && b.PointInTimeRecoveryEnabled:
		return sqlInvalid("Point-in-time recovery of MySQL is enabled by binaryLogEnabled.")
	case !mysql && b.BinaryLogEnabled:
		return sqlInvalid("Binary log can only be enabled for MySQL instances.")
	case in.MasterInstanceName != "" && b.Enabled:
		return sqlInvalid("Backups can't be enabled for a read replica.")
	case in.MasterInstanceName != "" && (mysql || !recoverable):
		return nil
	case recoverable && !b.Enabled:
		return sqlInvalid("Point-in-time recovery must be disabled when backup is disabled.")
	case in.Settings.AvailabilityType == "REGIONAL" && (!b.Enabled || !recoverable):
		return sqlInvalid("Regional instances require automated backups and point-in-time recovery.")
	}
	return nil
}
