package storage

import (
	"net/http"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

const (
	day = 24 * 60 * 60 // seconds
	// longestRetention is 100 years.
	longestRetention = 3155760000
)

// settleRetention keeps a locked policy from being shortened, and says from when on a policy is effective.
func settleRetention(c *change) error {
	was, is := policyOf(c.old), policyOf(google.Typed[storage.Bucket](c.resource))
	if was.IsLocked && is.RetentionPeriod < was.RetentionPeriod {
		return google.Err(http.StatusForbidden, "forbidden", "Cannot reduce the retention duration of a locked retention policy.")
	}
	policy, ok := c.resource["retentionPolicy"].(google.Object)
	if !ok {
		return nil
	}
	delete(policy, "isLocked")
	if was.IsLocked {
		policy["isLocked"] = true
	}
	if was.RetentionPeriod != is.RetentionPeriod {
		policy["effectiveTime"] = gcsTime(c.Now)
	}
	return nil
}

// policyOf is the retention policy of a bucket; an empty one if it has none.
func policyOf(b *storage.Bucket) *storage.BucketRetentionPolicy {
	if b == nil || b.RetentionPolicy == nil {
		return &storage.BucketRetentionPolicy{}
	}
	return b.RetentionPolicy
}

func validRetention(c *change) error {
	if p := c.now.RetentionPolicy; p != nil && (p.RetentionPeriod < 1 || p.RetentionPeriod > longestRetention) {
		return google.Invalid("Retention period must be between 1 second and 100 years.")
	}
	return nil
}

// validVersioning has old versions of objects in a bucket without a retention policy alone.
func validVersioning(c *change) error {
	if c.now.RetentionPolicy != nil && c.now.Versioning != nil && c.now.Versioning.Enabled {
		return google.Invalid("Object Versioning cannot be enabled on a bucket with a retention policy.")
	}
	return nil
}
