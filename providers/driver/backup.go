package driver

import (
	"fmt"

	"github.com/mooring-dev/mooring/providers/field"
)

// RetentionEffect says what it does to keep automatic backups for another number of days: what is older than the new
// number is deleted, and with 0 there are none any more. from is nil if it is not known.
func RetentionEffect(from *int32, to int32) (field.Effect, string) {
	switch {
	case from == nil || to >= *from:
		return field.Online, ""
	case to == 0:
		return field.LosesBackups, "automatic backups end, and with them the restore to a point in time"
	default:
		return field.LosesBackups, fmt.Sprintf("restore points older than %s are deleted", days(to))
	}
}

// RetentionEffects lists what RetentionEffect returns.
func RetentionEffects() []field.PossibleEffect {
	return []field.PossibleEffect{
		{Effect: field.Online, When: "the number grows"},
		{Effect: field.LosesBackups, When: "the number shrinks: older restore points are deleted, and 0 deletes all automatic backups"},
	}
}

func days(n int32) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}
