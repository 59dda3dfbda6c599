package storage

import (
	"strconv"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleSoftDelete gives a bucket 7 days unless it says otherwise, and the time from which its policy, or one that keeps longer, is effective. No
// recording shows another change than to 0.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (softDeletePolicy.effectiveTime)
func settleSoftDelete(r *google.Request, resource google.Object, old *storage.Bucket) {
	soft := google.Member(resource, "softDeletePolicy")
	if soft["retentionDurationSeconds"] == nil {
		soft["retentionDurationSeconds"] = strconv.FormatInt(shortestSoft, 10)
	}
	now := google.Typed[storage.Bucket](resource).SoftDeletePolicy.RetentionDurationSeconds
	switch {
	case now == 0:
		delete(soft, "effectiveTime")
	case old == nil || old.SoftDeletePolicy.RetentionDurationSeconds < now:
		soft["effectiveTime"] = gcsTime(r.Now)
	default:
		soft["effectiveTime"] = old.SoftDeletePolicy.EffectiveTime
	}
}
