package storage

import (
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleAccess keeps the lock of uniform access, and shows both names that it has.
func settleAccess(c *change) error {
	iam := google.Member(c.resource, "iamConfiguration")
	if iam["publicAccessPrevention"] == nil || iam["publicAccessPrevention"] == "unspecified" {
		iam["publicAccessPrevention"] = "inherited"
	}
	uniform := google.Member(iam, "uniformBucketLevelAccess")
	delete(uniform, "lockedTime")
	enabled, _ := uniform["enabled"].(bool)
	uniform["enabled"] = enabled
	locked := ""
	if c.old != nil && c.old.IamConfiguration.UniformBucketLevelAccess.Enabled {
		locked = c.old.IamConfiguration.UniformBucketLevelAccess.LockedTime
	}
	switch {
	case enabled && locked == "":
		locked = gcsTime(c.Now.Add(90 * 24 * time.Hour))
	case !enabled && locked != "":
		if at, err := time.Parse(time.RFC3339, locked); err != nil || !c.Now.Before(at) {
			return google.Invalid("Uniform bucket-level access is locked and can't be disabled.")
		}
	}
	if enabled {
		uniform["lockedTime"] = locked
		delete(c.resource, "acl")
		delete(c.resource, "defaultObjectAcl")
	}
	iam["bucketPolicyOnly"] = google.Cloned(uniform)
	return nil
}

// validHierarchy demands uniform access of a bucket with folders.
func validHierarchy(c *change) error {
	if h := c.now.HierarchicalNamespace; h != nil && h.Enabled && !c.now.IamConfiguration.UniformBucketLevelAccess.Enabled {
		return google.Invalid("Hierarchical namespace requires uniform bucket-level access.")
	}
	return nil
}
