package s3_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestS3Lifecycle(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("lifecycle")
	sdk.MakeBucket(t, client, *name)
	get := func() (*s3.GetBucketLifecycleConfigurationOutput, error) {
		return client.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: name})
	}
	put := func(size types.TransitionDefaultMinimumObjectSize, rules ...types.LifecycleRule) error {
		_, err := client.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{Bucket: name, TransitionDefaultMinimumObjectSize: size,
			LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: append([]types.LifecycleRule{}, rules...)}})
		return err
	}
	days := aws.Int32
	rule := func(change func(*types.LifecycleRule)) types.LifecycleRule {
		r := types.LifecycleRule{Status: "Enabled", Filter: &types.LifecycleRuleFilter{Prefix: aws.String("a")}, Expiration: &types.LifecycleExpiration{Days: days(7)}}
		change(&r)
		return r
	}
	plain := func(*types.LifecycleRule) {}
	_, err := get()
	sdk.WantCode(t, err, "NoSuchLifecycleConfiguration")
	sdk.WantCode(t, put("varies_by_storage_class", rule(plain), rule(func(r *types.LifecycleRule) { r.ID = aws.String("b") })), "")
	if got := check.Need(get())(t); len(got.Rules) != 2 || aws.ToString(got.Rules[0].ID) == "" || *got.Rules[1].ID != "b" || *got.Rules[0].Filter.Prefix != "a" || got.TransitionDefaultMinimumObjectSize != "varies_by_storage_class" {
		t.Errorf("got %+v", got)
	}
	sdk.WantCode(t, put("", rule(plain)), "")
	if got := check.Need(get())(t); got.TransitionDefaultMinimumObjectSize != "all_storage_classes_128K" {
		t.Errorf("a call that names no size leaves %q", got.TransitionDefaultMinimumObjectSize)
	}
	move := func(days int32, to types.TransitionStorageClass) types.Transition {
		return types.Transition{Days: &days, StorageClass: to}
	}
	tagged := &types.LifecycleRuleFilter{Tag: &types.Tag{Key: aws.String("a"), Value: aws.String("b")}}
	for want, r := range map[string]types.LifecycleRule{
		"MalformedXML filter":     rule(func(r *types.LifecycleRule) { r.Filter = nil }),
		"MalformedXML filters":    rule(func(r *types.LifecycleRule) { r.Filter.ObjectSizeLessThan = aws.Int64(3) }),
		"MalformedXML status":     rule(func(r *types.LifecycleRule) { r.Status = "On" }),
		"MalformedXML expiration": rule(func(r *types.LifecycleRule) { r.Expiration.ExpiredObjectDeleteMarker = aws.Bool(true) }),
		"MalformedXML noncurrent": rule(func(r *types.LifecycleRule) {
			r.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NewerNoncurrentVersions: days(3)}
		}),
		"MalformedXML class":     rule(func(r *types.LifecycleRule) { r.Transitions = []types.Transition{move(3, "FROZEN")} }),
		"InvalidRequest nothing": rule(func(r *types.LifecycleRule) { r.Expiration = nil }),
		"InvalidRequest tags": rule(func(r *types.LifecycleRule) {
			r.Filter, r.AbortIncompleteMultipartUpload = tagged, &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: days(1)}
		}),
		"InvalidRequest twice": rule(func(r *types.LifecycleRule) {
			r.Transitions = []types.Transition{move(3, "GLACIER"), move(4, "GLACIER")}
		}),
		"InvalidArgument days": rule(func(r *types.LifecycleRule) { r.Expiration.Days = days(0) }),
		"InvalidArgument uploads": rule(func(r *types.LifecycleRule) {
			r.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: days(0)}
		}),
		"InvalidArgument noncurrent days": rule(func(r *types.LifecycleRule) {
			r.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: days(0)}
		}),
		"InvalidArgument a date that is no midnight": rule(func(r *types.LifecycleRule) {
			r.Expiration = &types.LifecycleExpiration{Date: aws.Time(time.Date(2027, 1, 2, 1, 0, 0, 0, time.UTC))}
		}),
		"InvalidArgument a midnight elsewhere": rule(func(r *types.LifecycleRule) {
			r.Expiration = nil
			r.Transitions = []types.Transition{{Date: aws.Time(time.Date(2027, 1, 2, 0, 0, 0, 0, time.FixedZone("CET", 3600))), StorageClass: "GLACIER"}}
		}),
		"InvalidRequest a tag twice": rule(func(r *types.LifecycleRule) {
			r.Filter = &types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Tags: []types.Tag{{Key: aws.String("a"), Value: aws.String("1")}, {Key: aws.String("a"), Value: aws.String("2")}}}}
		}),
		"InvalidArgument early": rule(func(r *types.LifecycleRule) {
			r.Expiration, r.Transitions = nil, []types.Transition{move(29, "STANDARD_IA")}
		}),
		"InvalidArgument order": rule(func(r *types.LifecycleRule) {
			r.Expiration, r.Transitions = nil, []types.Transition{move(9, "GLACIER"), move(10, "GLACIER_IR")}
		}),
		"InvalidArgument deleted": rule(func(r *types.LifecycleRule) { r.Transitions = []types.Transition{move(7, "GLACIER")} }),
		"InvalidArgument noncurrent deleted": rule(func(r *types.LifecycleRule) {
			r.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: days(3)}
			r.NoncurrentVersionTransitions = []types.NoncurrentVersionTransition{{NoncurrentDays: days(3), StorageClass: "GLACIER"}}
		}),
	} {
		t.Run(want, func(t *testing.T) {
			code, _, _ := strings.Cut(want, " ")
			sdk.WantCode(t, put("", r), code)
		})
	}
	midnight := aws.Time(time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC))
	sdk.WantCode(t, put("", rule(func(r *types.LifecycleRule) { r.Expiration = &types.LifecycleExpiration{Date: midnight} })), "")
	same := rule(func(r *types.LifecycleRule) { r.ID = aws.String("b") })
	sdk.WantCode(t, put("", same, same), "InvalidArgument")
	sdk.WantCode(t, put("smallest", rule(plain)), "MalformedXML")
	sdk.WantCode(t, put(""), "MalformedXML")
	check.Need(client.DeleteBucketLifecycle(ctx, &s3.DeleteBucketLifecycleInput{Bucket: name}))(t)
	_, err = get()
	sdk.WantCode(t, err, "NoSuchLifecycleConfiguration")
}
