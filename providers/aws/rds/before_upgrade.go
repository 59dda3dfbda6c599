package rds

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// sentWithVersion are the fields that are sent together with another major version: what they say may be of that version alone.
var sentWithVersion = []string{"version", "parameters", parameterGroup, optionGroup}

// withBackupFirst notes which changes need a snapshot before them: those of an upgrade to another major version in place, of an instance without automated backups, or that is to have none. Of all others RDS takes one
// itself. A read replica can be made anew.
// https://repost.aws/knowledge-center/rds-postgresql-version-upgrade-issues
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html
func withBackupFirst(beside bool, have *instance, changes []driver.Change) []driver.Change {
	upgrades := slices.ContainsFunc(changes, func(c driver.Change) bool {
		return c.Field == "version" && c.Effect == driver.Irreversible && have.isMajor(c.To)
	})
	ends := slices.ContainsFunc(changes, func(c driver.Change) bool { return c.Field == "backup.retentionDays" && c.To == "0" })
	backedUp := have.BackupRetentionPeriod == nil || *have.BackupRetentionPeriod > 0 && !ends
	if beside || !upgrades || backedUp || following(have) != nil {
		return changes
	}
	changes = slices.Clone(changes)
	for i := range changes {
		changes[i].BackupFirst = slices.Contains(sentWithVersion, changes[i].Field)
	}
	return changes
}
