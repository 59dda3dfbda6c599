package portable

import (
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// BackupRetentionEffect says what it does to keep automatic backups for another number of days: what is older than the new
// number is deleted, and with 0 there are none any more. from is nil if it is not known.
func BackupRetentionEffect(from *int32, to int32) (driver.Effect, string) {
	switch {
	case from == nil || to >= *from:
		return driver.Online, ""
	case to == 0:
		return driver.LosesBackups, "automatic backups end, and with them the restore to a point in time"
	default:
		return driver.LosesBackups, fmt.Sprintf("restore points older than %s are deleted", days(to))
	}
}

// BackupRetentionEffects lists what BackupRetentionEffect returns.
func BackupRetentionEffects() []driver.PossibleEffect {
	return []driver.PossibleEffect{
		{Effect: driver.Online, When: "the number grows"},
		{Effect: driver.LosesBackups, When: "the number shrinks: older restore points are deleted, and 0 deletes all automatic backups"},
	}
}

func days(n int32) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}
