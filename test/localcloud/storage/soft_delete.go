package storage

import (
	"strconv"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// The shortest and the longest time in seconds for which a policy keeps what was deleted. https://cloud.google.com/storage/docs/soft-delete
const (
	shortestSoft = 7 * day
	longestSoft  = 90 * day
)

// settleSoftDelete gives a bucket 7 days unless it says otherwise, and the time from which its policy, or one that
// keeps longer, is effective. No recording shows another change than to 0.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (softDeletePolicy.effectiveTime)
func settleSoftDelete(c *change) error {
	soft := google.Member(c.resource, "softDeletePolicy")
	if soft["retentionDurationSeconds"] == nil {
		soft["retentionDurationSeconds"] = strconv.Itoa(shortestSoft)
	}
	now := google.Typed[storage.Bucket](c.resource).SoftDeletePolicy.RetentionDurationSeconds
	switch {
	case now == 0:
		delete(soft, "effectiveTime")
	case c.old == nil || c.old.SoftDeletePolicy.RetentionDurationSeconds < now:
		soft["effectiveTime"] = gcsTime(c.Now)
	default:
		soft["effectiveTime"] = c.old.SoftDeletePolicy.EffectiveTime
	}
	return nil
}

func validSoftDelete(c *change) error {
	if soft := c.now.SoftDeletePolicy.RetentionDurationSeconds; soft != 0 && (soft < shortestSoft || soft > longestSoft) {
		return google.Invalid("Soft delete policy duration must be 0 or between 7 and 90 days.")
	}
	return nil
}
