package gcp_test

import (
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// rawLifecycle returns rules as people write them in Cloud Storage, where each has one action.
func rawLifecycle(rules []v1alpha1.LifecycleRule) *storage.BucketLifecycle {
	exact := map[v1alpha1.LifecycleStorageClass]string{"Infrequent": "NEARLINE", "Cold": "COLDLINE", "Archive": "ARCHIVE", "NEARLINE": "NEARLINE"}
	raw := &storage.BucketLifecycle{}
	for _, r := range rules {
		add := func(action, class string, c storage.BucketLifecycleRuleCondition) {
			if r.Prefix != nil {
				c.MatchesPrefix = []string{*r.Prefix}
			}
			raw.Rule = append(raw.Rule, &storage.BucketLifecycleRule{Action: &storage.BucketLifecycleRuleAction{Type: action, StorageClass: class}, Condition: &c})
		}
		for _, m := range r.Transitions {
			add("SetStorageClass", exact[m.StorageClass], storage.BucketLifecycleRuleCondition{Age: new(int64(*m.AfterDays)), IsLive: new(true)})
		}
		if old := r.NoncurrentVersions; old != nil {
			for _, m := range old.Transitions {
				add("SetStorageClass", exact[m.StorageClass], storage.BucketLifecycleRuleCondition{DaysSinceNoncurrentTime: int64(*m.AfterDays)})
			}
		}
		if r.AbortUploadsAfterDays != nil {
			add("AbortIncompleteMultipartUpload", "", storage.BucketLifecycleRuleCondition{Age: new(int64(*r.AbortUploadsAfterDays))})
		}
	}
	return raw
}
