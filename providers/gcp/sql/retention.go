package sql

import (
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// A logRetention says for how many days an edition keeps the transaction logs of point-in-time recovery unless told otherwise, and at
// most. https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr
type logRetention struct{ standard, most int64 }

var logRetentions = map[string]logRetention{
	enterprise:     {standard: 7, most: 7},
	enterprisePlus: {standard: 14, most: 35},
}

// standardBackups is how many backups an edition keeps unless told otherwise.
var standardBackups = map[string]int64{enterprise: 7, enterprisePlus: 15}

// backups keeps so many daily backups, and the transaction logs of so many days. Without backups there is nothing that logs could be
// replayed onto: point-in-time recovery and binary logs have to go with them, or Cloud SQL refuses.
func backups(keep, logDays int64) *sqladmin.BackupConfiguration {
	if keep == 0 {
		return &sqladmin.BackupConfiguration{ForceSendFields: []string{"Enabled", "BinaryLogEnabled", "PointInTimeRecoveryEnabled"}}
	}
	return &sqladmin.BackupConfiguration{
		Enabled:                     true,
		BackupRetentionSettings:     &sqladmin.BackupRetentionSettings{RetentionUnit: "COUNT", RetainedBackups: keep},
		TransactionLogRetentionDays: logDays,
	}
}

// backupsOfNew returns what a creation says about backups; nil if the spec says nothing.
func backupsOfNew(keep *int64, edition string) *sqladmin.BackupConfiguration {
	if keep == nil {
		return nil
	}
	return backups(*keep, min(*keep, logRetentions[edition].standard))
}

// backupsOf returns what an instance as a spec declares it has of backups, and what its edition chooses where the spec says nothing: Enterprise Plus
// and two zones come with point-in-time recovery.
func backupsOf(spec *databaseParameters, have *instance) *sqladmin.BackupConfiguration {
	b := &sqladmin.BackupConfiguration{PointInTimeRecoveryEnabled: have.edition() == enterprisePlus || spec.Availability != nil && *spec.Availability == v1alpha1.AvailabilityMultiZone}
	if days := wantRetention(spec); days != nil {
		b.BackupRetentionSettings = &sqladmin.BackupRetentionSettings{RetainedBackups: int64(*days)}
		b.PointInTimeRecoveryEnabled = b.PointInTimeRecoveryEnabled && *days > 0
	}
	if spec.Backup != nil && spec.Backup.PointInTimeRecovery != nil {
		b.PointInTimeRecoveryEnabled = *spec.Backup.PointInTimeRecovery
	}
	b.Enabled = b.PointInTimeRecoveryEnabled
	return b
}

// backupsOfChanged returns what a patch says about backups when their number or the edition changes; nil if neither does.
//
// A move to another edition repeats what is there, since otherwise the new edition chooses: a move up would keep more than the spec says,
// and a move down is refused with more days of logs than the edition takes.
func backupsOfChanged(have *instance, keep *int64, edition string) *sqladmin.BackupConfiguration {
	moves := edition != have.edition()
	switch {
	case keep == nil && !moves:
		return nil
	case keep != nil && *keep > 0:
		return backups(*keep, logDays(have, *keep, edition))
	}
	changed := &sqladmin.BackupConfiguration{}
	if keep != nil {
		changed = backups(0, 0)
	}
	if moves {
		kept := have.retainedBackups()
		changed.BackupRetentionSettings = &sqladmin.BackupRetentionSettings{RetentionUnit: "COUNT", RetainedBackups: kept}
		changed.TransactionLogRetentionDays = logDays(have, kept, edition)
	}
	return changed
}

// withStartTime adds when the daily backup begins, nil for nothing, to what a call says about backups. Cloud SQL keeps the time while backups
// are off.
func withStartTime(b *sqladmin.BackupConfiguration, start *string) *sqladmin.BackupConfiguration {
	if start == nil {
		return b
	}
	if b == nil {
		b = &sqladmin.BackupConfiguration{}
	}
	b.StartTime = *start
	return b
}

// logDays returns for how many days an instance is to keep transaction logs. Cloud SQL takes at most as many as there are backups. Days
// that the edition or this rule chose follow the backups up and down; days that somebody chose stay, as far as they can.
func logDays(have *instance, keep int64, edition string) int64 {
	before := logRetentions[have.edition()]
	most := logRetentions[edition].standard
	if now := have.logDays(); now != min(have.retainedBackups(), before.standard) {
		most = min(now, logRetentions[edition].most)
	}
	return max(1, min(keep, most))
}

func (i *instance) backupConfiguration() *sqladmin.BackupConfiguration {
	if b := i.settings().BackupConfiguration; b != nil {
		return b
	}
	return &sqladmin.BackupConfiguration{}
}

// retainedBackups returns how many backups are kept while they are switched on.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/backups#retained-backups
func (i *instance) retainedBackups() int64 {
	if r := i.backupConfiguration().BackupRetentionSettings; r != nil && r.RetainedBackups > 0 {
		return r.RetainedBackups
	}
	return standardBackups[i.edition()]
}

func (i *instance) logDays() int64 {
	if days := i.backupConfiguration().TransactionLogRetentionDays; days > 0 {
		return days
	}
	return min(i.retainedBackups(), logRetentions[i.edition()].standard)
}

// retentionEffect says what another number of backups does. Without backups the binary log of MySQL ends too, and that restarts the server, as it does
// where spec.backup.pointInTimeRecovery becomes false.
func retentionEffect(from *int32, to int32, have *instance) (driver.Effect, string) {
	effect, why := portable.BackupRetentionEffect(from, to)
	if effect == driver.LosesBackups && to == 0 && have.backupConfiguration().BinaryLogEnabled {
		why += "; the binary log ends too: " + recoveryCost.Text
	}
	return effect, why
}

// haveRetention returns 0 when automatic backups are off, and else how many are kept, one a day.
func haveRetention(i *instance) *int32 {
	days := int32(0)
	if i.backupConfiguration().Enabled {
		days = int32(i.retainedBackups())
	}
	return &days
}
