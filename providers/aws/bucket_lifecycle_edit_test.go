package aws_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/awstest"
)

// editLifecycle is how somebody else sets rules: with one condition of a filter in an element that may hold several, and classes by S3's own names.
func (b *backdoor) editLifecycle(t testing.TB, name string, want []v1alpha1.LifecycleRule) {
	exact := func(c v1alpha1.LifecycleStorageClass) s3types.TransitionStorageClass {
		if own := map[v1alpha1.LifecycleStorageClass]s3types.TransitionStorageClass{"Infrequent": "STANDARD_IA", "Cold": "GLACIER_IR", "Archive": "GLACIER"}[c]; own != "" {
			return own
		}
		return s3types.TransitionStorageClass(c)
	}
	rules := []s3types.LifecycleRule{}
	for _, r := range want {
		rule := s3types.LifecycleRule{ID: &r.Name, Status: "Enabled", Filter: &s3types.LifecycleRuleFilter{}}
		if r.Prefix != nil {
			rule.Filter.And = &s3types.LifecycleRuleAndOperator{Prefix: r.Prefix}
		}
		if r.ExpireAfterDays != nil {
			rule.Expiration = &s3types.LifecycleExpiration{Days: r.ExpireAfterDays}
		}
		for _, m := range r.Transitions {
			rule.Transitions = append(rule.Transitions, s3types.Transition{Days: m.AfterDays, StorageClass: exact(m.StorageClass)})
		}
		if old := r.NoncurrentVersions; old != nil {
			if old.ExpireAfterDays != nil {
				rule.NoncurrentVersionExpiration = &s3types.NoncurrentVersionExpiration{NoncurrentDays: old.ExpireAfterDays, NewerNoncurrentVersions: old.Keep}
			}
			for _, m := range old.Transitions {
				rule.NoncurrentVersionTransitions = append(rule.NoncurrentVersionTransitions, s3types.NoncurrentVersionTransition{NoncurrentDays: m.AfterDays, StorageClass: exact(m.StorageClass)})
			}
		}
		if r.AbortUploadsAfterDays != nil {
			rule.AbortIncompleteMultipartUpload = &s3types.AbortIncompleteMultipartUpload{DaysAfterInitiation: r.AbortUploadsAfterDays}
		}
		rules = append(rules, rule)
	}
	awstest.Do(t, b.S3.PutBucketLifecycleConfiguration, &s3.PutBucketLifecycleConfigurationInput{Bucket: &name,
		LifecycleConfiguration: &s3types.BucketLifecycleConfiguration{Rules: rules}})
}
