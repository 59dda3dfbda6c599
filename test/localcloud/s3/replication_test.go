package s3_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// copies is a rule that S3 takes, changed.
func copies(id string, priority int32, change func(*types.ReplicationRule)) types.ReplicationRule {
	r := types.ReplicationRule{
		ID: &id, Priority: &priority, Status: "Enabled", Filter: &types.ReplicationRuleFilter{},
		DeleteMarkerReplication: &types.DeleteMarkerReplication{Status: "Disabled"}, Destination: &types.Destination{Bucket: new("arn:aws:s3:::shop-copies")},
	}
	if id == "" {
		r.ID = nil
	}
	change(&r)
	return r
}

func asItIs(*types.ReplicationRule) {}

func timed(minutes int32) (*types.ReplicationTime, *types.ReplicationTimeValue) {
	value := &types.ReplicationTimeValue{Minutes: &minutes}
	return &types.ReplicationTime{Status: "Enabled", Time: value}, value
}

func TestS3Replication(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "replicating"
	sdk.MakeBucket(t, client, name)
	sdk.MakeBucket(t, client, "unversioned")
	role := "arn:aws:iam::" + sdk.OwnAccount + ":role/shop-replication"
	put := func(role string, rules ...types.ReplicationRule) error {
		_, err := client.PutBucketReplication(ctx, &s3.PutBucketReplicationInput{Bucket: &name, ReplicationConfiguration: &types.ReplicationConfiguration{Role: &role, Rules: rules}})
		return err
	}
	version := func(status types.BucketVersioningStatus) error {
		_, err := client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: &name, VersioningConfiguration: &types.VersioningConfiguration{Status: status}})
		return err
	}
	sdk.WantCode(t, put(role, copies("a", 1, asItIs)), "InvalidRequest")
	sdk.WantCode(t, version("Enabled"), "")
	for what, wrong := range map[string]struct {
		code  string
		rules []types.ReplicationRule
	}{
		"no rules":                   {"MalformedXML", []types.ReplicationRule{}},
		"a bucket that is not there": {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.Destination.Bucket = new("arn:aws:s3:::none-there") })}},
		"a bucket without versions":  {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.Destination.Bucket = new("arn:aws:s3:::unversioned") })}},
		"the bucket itself":          {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.Destination.Bucket = new("arn:aws:s3:::replicating") })}},
		"a name for an ARN":          {"InvalidArgument", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.Destination.Bucket = new("shop-copies") })}},
		"one id twice":               {"InvalidArgument", []types.ReplicationRule{copies("a", 1, asItIs), copies("a", 2, asItIs)}},
		"one priority twice":         {"InvalidRequest", []types.ReplicationRule{copies("a", 1, asItIs), copies("b", 1, asItIs)}},
		"no priority":                {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.Priority = nil })}},
		"both versions of schema":    {"InvalidRequest", []types.ReplicationRule{copies("a", 1, asItIs), {ID: new("b"), Status: "Enabled", Prefix: new(""), Destination: copies("b", 2, asItIs).Destination}}},
		"nothing of delete markers":  {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.DeleteMarkerReplication = nil })}},
		"delete markers by tags": {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			r.Filter.Tag, r.DeleteMarkerReplication.Status = &types.Tag{Key: new("a"), Value: new("b")}, "Enabled"
		})}},
		"an owner without account": {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			r.Destination.AccessControlTranslation = &types.AccessControlTranslation{Owner: "Destination"}
		})}},
		"a key without objects": {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			r.Destination.EncryptionConfiguration = &types.EncryptionConfiguration{ReplicaKmsKeyID: new("arn:aws:kms:eu-west-1:111111111111:key/a")}
		})}},
		"objects without a key": {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			r.SourceSelectionCriteria = &types.SourceSelectionCriteria{SseKmsEncryptedObjects: &types.SseKmsEncryptedObjects{Status: "Enabled"}}
		})}},
		"a time without metrics": {"InvalidRequest", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) { r.Destination.ReplicationTime, _ = timed(15) })}},
		"another time": {"InvalidArgument", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			time, threshold := timed(30)
			r.Destination.ReplicationTime, r.Destination.Metrics = time, &types.Metrics{Status: "Enabled", EventThreshold: threshold}
		})}},
		"a threshold without a time": {"InvalidArgument", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			_, threshold := timed(15)
			r.Destination.Metrics = &types.Metrics{Status: "Enabled", EventThreshold: threshold}
		})}},
		"existing objects": {"MalformedXML", []types.ReplicationRule{copies("a", 1, func(r *types.ReplicationRule) {
			r.ExistingObjectReplication = &types.ExistingObjectReplication{Status: "Enabled"}
		})}},
	} {
		if err := put(role, wrong.rules...); err == nil {
			t.Errorf("%s: taken", what)
		} else {
			sdk.WantCode(t, err, wrong.code)
		}
	}
	sdk.WantCode(t, put("arn:aws:iam::222222222222:role/shop-replication", copies("a", 1, asItIs)), "AccessDenied")
	sdk.WantCode(t, put("arn:aws:iam::"+sdk.OwnAccount+":role/audit-replication", copies("a", 1, asItIs)), "AccessDenied")
	sdk.WantCode(t, put("arn:aws:iam::"+sdk.OwnAccount+":user/a", copies("a", 1, asItIs)), "InvalidArgument")
	sdk.WantCode(t, put("role", copies("a", 1, asItIs)), "InvalidArgument")
	sdk.WantCode(t, put(role, copies("", 1, func(r *types.ReplicationRule) { r.Filter.Prefix = new("a/") })), "")
	got := check.Need(client.GetBucketReplication(ctx, &s3.GetBucketReplicationInput{Bucket: &name}))(t).ReplicationConfiguration
	if len(got.Rules) != 1 || *got.Rules[0].ID == "" || *got.Rules[0].Filter.Prefix != "a/" || *got.Role != role {
		t.Errorf("the bucket has %+v", got)
	}
	sdk.WantCode(t, version("Suspended"), "InvalidBucketState")
	for range 2 {
		_, err := client.DeleteBucketReplication(ctx, &s3.DeleteBucketReplicationInput{Bucket: &name})
		sdk.WantCode(t, err, "")
	}
	_, err := client.GetBucketReplication(ctx, &s3.GetBucketReplicationInput{Bucket: &name})
	sdk.WantCode(t, err, "ReplicationConfigurationNotFoundError")
	sdk.WantCode(t, version("Suspended"), "")
}
