package s3_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const ofOthers = `{"Version":"2012-10-17","Statement":[{"Sid":"A","Effect":"Allow","Principal":{"AWS":"333333333333"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::shop-foreign/*"}]}`

// attempt makes what differs, and returns what is refused. What was observed is applied from then on, as the controller notes it before the write.
func (w *environment) attempt(req *request) (failed []driver.FieldError) {
	w.T.Helper()
	seen := w.bucket(*req)
	req.Applied = seen.Applied
	if len(seen.Changes) == 0 {
		return nil
	}
	result, err := drivertest.Buckets(w.Session).Update(w.T.Context(), *req, driver.Edit{Changes: seen.Changes})
	if err != nil {
		w.T.Fatal(err)
	}
	return result.Failed
}

func (w *environment) policyOf(name string) string {
	out, err := w.S3.GetBucketPolicy(w.T.Context(), &s3.GetBucketPolicyInput{Bucket: &name})
	if err != nil {
		return ""
	}
	return *out.Policy
}

// A statement of others that has a name which the spec wants stays as it is, and when the field is taken out. What they wrote is taken over once the spec says the same.
func TestPolicyWithAStatementOfOthersByOneName(t *testing.T) {
	ours, theirs := "222222222222", "333333333333"
	for name, tt := range map[string]struct {
		spec    v1alpha1.BucketParameters
		refused bool
		applied []string
		after   string // who is let in by A once the field is taken out
	}{
		"another":           {withPolicy(lets("A", ours)), true, []string{}, theirs},
		"another, and more": {withPolicy(lets("A", ours), lets("B", ours)), true, []string{"B"}, theirs},
		"the same":          {withPolicy(lets("A", theirs)), false, []string{"A"}, ""},
		"another, exactly":  {v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{lets("A", ours)}, PolicyMode: new("Exact")}}, false, []string{"A"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := awstest.BucketOf("shop-foreign", v1alpha1.BucketParameters{})
			w.settleBucket(req)
			awstest.Do(t, w.S3.PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &req.Name, Policy: new(ofOthers)})
			req.Spec = tt.spec
			for range 2 {
				failed := w.attempt(&req)
				if len(failed) > 0 != tt.refused {
					t.Fatalf("refused %v, want %v", failed, tt.refused)
				}
				if tt.refused && (len(failed) != 1 || driver.CodeOf(failed[0].Err) != driver.Conflict || failed[0].Field != "aws.policy" || !strings.Contains(failed[0].Err.Error(), "names: A. Somebody")) {
					t.Errorf("refused with %v, want aws.policy with a Conflict that names A", failed)
				}
			}
			if !slices.Equal(req.Applied["aws.policy"], tt.applied) {
				t.Errorf("applied %q, want %q", req.Applied["aws.policy"], tt.applied)
			}
			if got := w.policyOf(req.Name); strings.Contains(got, theirs) != (tt.refused || name == "the same") || strings.Contains(got, `"B"`) != slices.Contains(tt.applied, "B") {
				t.Errorf("the policy is %s", got)
			}
			req.Spec = v1alpha1.BucketParameters{}
			if failed := w.attempt(&req); len(failed) > 0 {
				t.Error(failed)
			}
			if got := w.policyOf(req.Name); strings.Contains(got, theirs) != (tt.after != "") || strings.Contains(got, ours) {
				t.Errorf("without the field the policy is %s", got)
			}
		})
	}
}

// A Deny of others that the spec copies keeps protecting them: it is neither removed with the spec nor edited by it, whatever was applied before. One that we wrote is ours, though its
// answer was lost.
func TestADenyOfOthersIsNotTakenOver(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	deny := func(sid, account string) v1alpha1.PolicyStatement {
		s := lets(sid, account)
		s.Effect = "Deny"
		return s
	}
	req := awstest.BucketOf("shop-foreign", withPolicy(deny("Ours", "222222222222")))
	w.settleBucket(req)
	if got := w.attempt(&req); len(got) > 0 || !slices.Equal(req.Applied["aws.policy"], []string{}) {
		t.Fatalf("failed %v, applied %q: without what was noted before the creation, it is not known who set it", got, req.Applied)
	}
	req.Spec = withPolicy(deny("Ours", "222222222222"), deny("Org", "333333333333"))
	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "PutBucketPolicy"}, Kind: localcloud.ResponseLost})
	if failed := w.attempt(&req); len(failed) == 0 {
		t.Fatal("no answer was lost")
	}
	lift()
	w.attempt(&req)
	if !slices.Equal(req.Applied["aws.policy"], []string{"Org"}) {
		t.Errorf("applied %q after a lost answer, want Org", req.Applied)
	}
	req.Spec = withPolicy(deny("Ours", "444444444444"))
	if failed := w.attempt(&req); len(failed) != 1 || driver.CodeOf(failed[0].Err) != driver.Conflict {
		t.Errorf("an edit of what is not ours failed with %v, want a Conflict", failed)
	}
	req.Spec = v1alpha1.BucketParameters{}
	w.attempt(&req)
	if got := w.policyOf(req.Name); !strings.Contains(got, "222222222222") || strings.Contains(got, "333333333333") {
		t.Errorf("without the field the policy is %s, want Ours, which was not known as ours, and not Org", got)
	}
}

// What we wrote is ours although its answer was lost, and although somebody changed it meanwhile: it was noted before.
func TestPolicyWithALostAnswer(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-foreign", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = withPolicy(lets("A", "222222222222"))
	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "PutBucketPolicy"}, Kind: localcloud.ResponseLost})
	if failed := w.attempt(&req); len(failed) == 0 || !strings.Contains(w.policyOf(req.Name), "222222222222") {
		t.Fatalf("failed %v, policy %s; want a lost answer", failed, w.policyOf(req.Name))
	}
	lift()
	awstest.Do(t, w.S3.PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &req.Name, Policy: new(ofOthers)})
	req.Spec = withPolicy(lets("A", "444444444444"))
	if failed := w.attempt(&req); len(failed) > 0 || !strings.Contains(w.policyOf(req.Name), "444444444444") {
		t.Errorf("failed %v, policy %s", failed, w.policyOf(req.Name))
	}
}

// So it is with notifications: one of others stays, one that says the same is taken over.
func TestNotificationOfOthersByOneName(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-foreign", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	awstest.PutNotifications(t, w.S3, req.Name, &s3types.NotificationConfiguration{QueueConfigurations: []s3types.QueueConfiguration{{Id: new("a"), QueueArn: new(sqs("audit")), Events: []s3types.Event{"s3:ObjectCreated:*"}}}})
	tells := func(queue, prefix string) v1alpha1.BucketParameters {
		n := notified{Name: "a", ARN: sqs(queue), Events: []string{"s3:ObjectCreated:*"}}
		if prefix != "" {
			n.Prefix = &prefix
		}
		return notifying(v1alpha1.BucketNotificationsAWS{Queues: []notified{n}})
	}
	for _, step := range []struct {
		spec    v1alpha1.BucketParameters
		refused bool
		want    string
	}{
		{tells("events", ""), true, sqs("audit")},
		{tells("audit", ""), false, sqs("audit")},
		{tells("events", "b/"), false, sqs("events")},
	} {
		req.Spec = step.spec
		if failed := w.attempt(&req); len(failed) > 0 != step.refused || step.refused && driver.CodeOf(failed[0].Err) != driver.Conflict {
			t.Errorf("refused %v, want %v", failed, step.refused)
		}
		if got := *awstest.NotificationsOf(t, w.S3, req.Name).QueueConfigurations[0].QueueArn; got != step.want {
			t.Errorf("it tells %s, want %s", got, step.want)
		}
	}
}
