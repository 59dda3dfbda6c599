package recordings

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	copyRole  = "arn:aws:iam::111111111111:role/role"
	copyRoles = "the recording has a word in place of the ARN"
)

var getReplication = &s3.GetBucketReplicationInput{Bucket: own}

func putReplication(rules ...types.ReplicationRule) *s3.PutBucketReplicationInput {
	if rules == nil {
		rules = []types.ReplicationRule{}
	}
	return &s3.PutBucketReplicationInput{Bucket: own, ReplicationConfiguration: &types.ReplicationConfiguration{Role: new(copyRole), Rules: rules}}
}

func copyTo(id string, priority int32, status types.ReplicationRuleStatus, filter types.ReplicationRuleFilter) types.ReplicationRule {
	return types.ReplicationRule{
		ID: &id, Priority: &priority, Status: status, Filter: &filter, DeleteMarkerReplication: &types.DeleteMarkerReplication{Status: "Disabled"},
		Destination: &types.Destination{Bucket: new("arn:aws:s3:::recorded-copies")},
	}
}

func versioned(name string) *s3.PutBucketVersioningInput {
	return &s3.PutBucketVersioningInput{Bucket: &name, VersioningConfiguration: &types.VersioningConfiguration{Status: "Enabled"}}
}

func init() {
	prefixed := copyTo("id", 1, "Enabled", types.ReplicationRuleFilter{Prefix: new("Tax")})
	timed, minutes := copyTo("rtc", 0, "Disabled", types.ReplicationRuleFilter{}), &types.ReplicationTimeValue{Minutes: new(int32(15))}
	timed.Destination.StorageClass = "STANDARD"
	timed.Destination.ReplicationTime = &types.ReplicationTime{Status: "Enabled", Time: minutes}
	timed.Destination.Metrics = &types.Metrics{Status: "Enabled", EventThreshold: minutes}
	s3Cases["test_replication_config"] = []s3Call{
		prepared(create), prepared(&s3.CreateBucketInput{Bucket: new("recorded-copies")}), prepared(versioned("recorded-copies")),
		{step: "expected_error_no_replication_set", in: getReplication},
		{step: "expected_error_versioning_not_enabled", in: putReplication(prefixed)},
		prepared(versioned(*own)),
		{step: "put-bucket-replication", in: putReplication(prefixed)}, {step: "get-bucket-replication", in: getReplication},
		{step: "put-empty-bucket-replication-rules", in: putReplication()},
		{step: "delete-bucket-replication", in: &s3.DeleteBucketReplicationInput{Bucket: own}},
		{step: "delete-bucket-replication-idempotent", in: &s3.DeleteBucketReplicationInput{Bucket: own}},
	}
	s3Cases["test_replication_config_without_filter"] = []s3Call{
		prepared(create), prepared(versioned(*own)),
		{step: "expected_error_dest_does_not_exist", in: putReplication(timed)},
		prepared(&s3.CreateBucketInput{Bucket: new("recorded-copies")}),
		{step: "expected_error_dest_versioning_disabled", in: putReplication(timed)},
		prepared(versioned("recorded-copies")),
		{step: "put-bucket-replication", in: putReplication(timed)}, {step: "get-bucket-replication", in: getReplication},
	}
	s3Cases["test_bucket_availability"] = append(s3Cases["test_bucket_availability"], s3Call{step: "bucket-replication", in: &s3.GetBucketReplicationInput{Bucket: none}})
}

// recordedReplication are the rules in an answer as a spec asks for them; not nil if there are none.
func recordedReplication(response any) *v1alpha1.BucketReplicationAWS {
	out := &v1alpha1.BucketReplicationAWS{Rules: []v1alpha1.ReplicationRuleAWS{}}
	if role := stringAt(response, "ReplicationConfiguration", "Role"); role != "" {
		out.Role = &role
	}
	for _, r := range objects(at(response, "ReplicationConfiguration", "Rules")) {
		priority, _ := at(r, "Priority").(float64)
		rule := v1alpha1.ReplicationRuleAWS{Name: stringAt(r, "ID"), Priority: new(int32(priority)), Bucket: stringAt(r, "Destination", "Bucket")}
		if stringAt(r, "Status") == "Disabled" {
			rule.Enabled = new(false)
		}
		if prefix := stringAt(r, "Filter", "Prefix"); prefix != "" {
			rule.Prefix = &prefix
		}
		if class := stringAt(r, "Destination", "StorageClass"); class != "" {
			rule.StorageClass = &class
		}
		if stringAt(r, "Destination", "ReplicationTime", "Status") == "Enabled" {
			rule.ReplicationTime = new(true)
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

// replication demands that a recorded document is what the spec has that asks for it, and that the driver takes the answers to what it sends.
func (r *s3Replay) replication(call string, a s3Answer, req bucketRequest) {
	r.Helper()
	const none = "<Error><Code>ReplicationConfigurationNotFoundError</Code></Error>"
	ours := v1alpha1.ReplicationRuleAWS{Name: "ours", Priority: new(int32(1)), Bucket: "recorded-copies"}
	req.Spec.AWS = &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{Role: new(copyRole), Rules: []v1alpha1.ReplicationRuleAWS{ours}}}
	switch call {
	case "GetBucketReplication":
		if stringAt(a.Response, "Error", "Code") == "ReplicationConfigurationNotFoundError" {
			a.Response = map[string]any{"Error": map[string]any{"Code": "NoSuchReplication"}} // which is no error of the driver
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{Replication: recordedReplication(a.Response)}}, "aws.replication.role", "aws.replication.rules")
	case "PutBucketReplication":
		r.answer("GetBucketReplication", awsAnswer{status: http.StatusNotFound, body: []byte(none)})
		r.changed(a, req, call, driver.Change{Field: "aws.replication.rules", Entries: true, Names: []string{"ours"}})
	default:
		r.answer("GetBucketReplication", awsAnswer{status: http.StatusOK, body: []byte("<ReplicationConfiguration><Role>" + copyRole + "</Role><Rule><ID>ours</ID></Rule></ReplicationConfiguration>")})
		req.Spec.AWS.Replication.Rules = []v1alpha1.ReplicationRuleAWS{}
		r.changed(a, req, call, driver.Change{Field: "aws.replication.rules", Entries: true, Names: []string{"ours"}, Remove: []string{"ours"}})
	}
}
