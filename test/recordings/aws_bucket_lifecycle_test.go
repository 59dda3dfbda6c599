package recordings

import (
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func putLifecycle(rules ...types.LifecycleRule) *s3.PutBucketLifecycleConfigurationInput {
	return &s3.PutBucketLifecycleConfigurationInput{Bucket: own, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules}}
}

var getLifecycle = &s3.GetBucketLifecycleConfigurationInput{Bucket: own}

// expiring returns a rule that deletes objects after 7 days.
func expiring(id string, filter types.LifecycleRuleFilter) types.LifecycleRule {
	return types.LifecycleRule{ID: &id, Status: "Enabled", Filter: &filter, Expiration: &types.LifecycleExpiration{Days: new(int32(7))}}
}

func init() {
	positive, two := tag("testlifecycle", "positive"), tag("testlifecycletwo", "positive-two")
	versioned := expiring("rule2", types.LifecycleRuleFilter{})
	versioned.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: new(int32(1))}
	marker := expiring("rule-marker", types.LifecycleRuleFilter{})
	marker.Expiration = &types.LifecycleExpiration{ExpiredObjectDeleteMarker: new(true)}
	prefix := func(p string) types.LifecycleRuleFilter { return types.LifecycleRuleFilter{Prefix: &p} }
	for title, rules := range map[string][]types.LifecycleRule{
		"test_bucket_lifecycle_configuration_object_expiry":           {expiring("rule_number_one", prefix(""))},
		"test_bucket_lifecycle_configuration_object_expiry_versioned": {versioned},
		"test_bucket_lifecycle_multiple_rules":                        {expiring("rule_one", prefix("testobject")), expiring("rule_two", prefix("test")), expiring("rule_three", prefix("t"))},
		"test_bucket_lifecycle_object_size_rules": {expiring("rule_one", types.LifecycleRuleFilter{ObjectSizeGreaterThan: new(int64(20))}),
			expiring("rule_two", types.LifecycleRuleFilter{ObjectSizeLessThan: new(int64(10))})},
		"test_bucket_lifecycle_tag_rules": {expiring("rule_one", types.LifecycleRuleFilter{Tag: &positive}),
			expiring("rule_two", types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Tags: []types.Tag{positive, two}}})},
		"test_lifecycle_expired_object_delete_marker": {marker},
	} {
		s3Cases[title] = []s3Call{prepared(create), prepared(putLifecycle(rules...)), {step: "get-bucket-lifecycle-conf", in: getLifecycle}}
	}
	s3Cases["test_delete_lifecycle_configuration_on_bucket_deletion"] = []s3Call{
		prepared(create), prepared(putLifecycle(expiring("wholebucket", prefix("")))), {step: "get-bucket-lifecycle-conf", in: getLifecycle},
		prepared(&s3.DeleteBucketInput{Bucket: own}), prepared(create), {step: "get-bucket-lifecycle-exc", in: getLifecycle},
	}
	s3Cases["test_bucket_availability"] = []s3Call{{step: "bucket-lifecycle", in: &s3.GetBucketLifecycleConfigurationInput{Bucket: none}}}
}

// recordedLifecycle are the rules in an answer as a spec asks for them; not nil if there are none. The recordings leave out when objects expire, so the
// answer gets what the case asked for. In XML, tags beside other conditions have no element around them.
func recordedLifecycle(response any) []v1alpha1.LifecycleRule {
	rules := []v1alpha1.LifecycleRule{}
	number := func(v any) *int64 {
		if n, ok := v.(float64); ok {
			return new(int64(n))
		}
		return nil
	}
	for _, r := range objects(at(response, "Rules")) {
		rule, fields := v1alpha1.LifecycleRule{Name: stringAt(r, "ID")}, r
		if rule.Name == "rule-marker" {
			fields["Expiration"], rule.RemoveExpiredDeleteMarkers = map[string]any{"ExpiredObjectDeleteMarker": true}, new(true)
		} else {
			fields["Expiration"], rule.ExpireAfterDays = map[string]any{"Days": 7}, new(int32(7))
		}
		filter := at(r, "Filter")
		if and, ok := at(filter, "And").(map[string]any); ok {
			and["Tag"] = and["Tags"]
			delete(and, "Tags")
		}
		if prefix := stringAt(filter, "Prefix"); prefix != "" {
			rule.Prefix = &prefix
		}
		rule.LargerThanBytes, rule.SmallerThanBytes = number(at(filter, "ObjectSizeGreaterThan")), number(at(filter, "ObjectSizeLessThan"))
		for _, t := range append(objects(at(filter, "And", "Tag")), objects([]any{at(filter, "Tag")})...) {
			if key := stringAt(t, "Key"); key != "" {
				if rule.Tags == nil {
					rule.Tags = map[string]v1alpha1.TagValue{}
				}
				rule.Tags[key] = v1alpha1.TagValue(stringAt(t, "Value"))
			}
		}
		if days := number(at(r, "NoncurrentVersionExpiration", "NoncurrentDays")); days != nil {
			rule.NoncurrentVersions = &v1alpha1.NoncurrentVersions{ExpireAfterDays: new(int32(*days))}
		}
		rules = append(rules, rule)
	}
	return rules
}
