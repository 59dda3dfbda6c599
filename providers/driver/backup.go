package driver

import (
	"fmt"
)

// RetentionEffect says what it does to keep automatic backups for another number of days: what is older than the new
// number is deleted, and with 0 there are none any more. from is nil if it is not known.
func RetentionEffect(from *int32, to int32) (Effect, string) {
	switch {
	case from == nil || to >= *from:
		return Online, ""
	case to == 0:
		return LosesBackups, "automatic backups end, and with them the restore to a point in time"
	default:
		return LosesBackups, fmt.Sprintf("restore points older than %s are deleted", days(to))
	}
}

// RetentionEffects lists what RetentionEffect returns.
func RetentionEffects() []PossibleEffect {
	return []PossibleEffect{
		{Effect: Online, When: "the number grows"},
		{Effect: LosesBackups, When: "the number shrinks: older restore points are deleted, and 0 deletes all automatic backups"},
	}
}

func days(n int32) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}
