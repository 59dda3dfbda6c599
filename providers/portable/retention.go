package portable

import (
	"strconv"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// WantedRetentionDays returns the days that a spec wants objects to be retained: 0 for `retention: {}`, which is none, and nil if the spec does not say.
func WantedRetentionDays(s *v1alpha1.BucketParameters) *int32 {
	switch {
	case s.Retention == nil:
		return nil
	case *s.Retention == v1alpha1.BucketRetention{}:
		return new(int32(0))
	}
	return s.Retention.Days
}

// WantedRetentionLock returns whether a spec wants the retention to be locked: false for `retention: {}`, and nil if the spec does not say.
func WantedRetentionLock(s *v1alpha1.BucketParameters) *bool {
	switch {
	case s.Retention == nil:
		return nil
	case *s.Retention == v1alpha1.BucketRetention{}:
		return new(false)
	}
	return s.Retention.Locked
}

// Retains reports whether a spec asks for a retention.
func Retains(s *v1alpha1.BucketParameters) bool {
	days := WantedRetentionDays(s)
	return days != nil && *days > 0
}

// InexpressibleRetention stands for a period that a spec can't say, because it is no whole number of days.
const InexpressibleRetention int32 = -1

// RetentionText is how people see days of retention; empty for none.
func RetentionText(days int32) string {
	switch days {
	case 0:
		return ""
	case InexpressibleRetention:
		return "(no whole number of days)"
	}
	return strconv.Itoa(int(days))
}

// LockedRetention is the retention that nobody can take back, as both clouds have it. does is what it brings about, as in Reserved.
func LockedRetention(does string) driver.Reserved {
	return driver.Reserved{Field: "retention.locked", Value: "true", Most: "retention.days", Does: does}
}
