package s3_test

import (
	"encoding/json"
	"strings"
	"testing"

	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type notified = v1alpha1.BucketNotificationAWS

// notifying returns parameters that tell somebody.
func notifying(n v1alpha1.BucketNotificationsAWS) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Notifications: &n}}
}

// sqs and sns return the ARN of a queue and of a topic.
func sqs(name string) string { return "arn:aws:sqs:" + awstest.Region + ":111111111111:" + name }
func sns(name string) string { return "arn:aws:sns:" + awstest.Region + ":111111111111:" + name }

// theirEntries are what somebody else has in the document.
func theirEntries() *s3types.NotificationConfiguration {
	return &s3types.NotificationConfiguration{
		QueueConfigurations: []s3types.QueueConfiguration{{Id: new("theirs"), QueueArn: new(sqs("audit")), Events: []s3types.Event{"s3:ObjectRemoved:*"},
			Filter: &s3types.NotificationConfigurationFilter{Key: &s3types.S3KeyFilter{FilterRules: []s3types.FilterRule{{Name: "Suffix", Value: new(".log")}}}}}},
		TopicConfigurations:          []s3types.TopicConfiguration{{Id: new("their-topic"), TopicArn: new(sns("audit")), Events: []s3types.Event{"s3:ObjectAcl:Put"}}},
		LambdaFunctionConfigurations: []s3types.LambdaFunctionConfiguration{{Id: new("their-function"), LambdaFunctionArn: new("arn:aws:lambda:" + awstest.Region + ":111111111111:function:audit"), Events: []s3types.Event{"s3:ObjectRestore:*"}}},
		EventBridgeConfiguration:     &s3types.EventBridgeConfiguration{},
	}
}

// Entries of others, and EventBridge where the spec says nothing of it, survive that ours are added, changed, moved to another list, removed and released.
func TestNotificationsOfOthersStay(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-shared", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	theirs := theirEntries()
	awstest.PutNotifications(t, w.S3, req.Name, theirs)
	ours := notified{Name: "uploads", ARN: sqs("uploads"), Events: []string{"s3:ObjectCreated:*"}}
	other := ours
	other.Prefix = new("photos/")
	asTopic := ours
	asTopic.ARN = sns("uploads")
	for _, step := range []struct {
		name           string
		spec           v1alpha1.BucketNotificationsAWS
		queues, topics []string
	}{
		{"added", v1alpha1.BucketNotificationsAWS{Queues: []notified{ours}, Topics: []notified{}}, []string{"theirs", "uploads"}, []string{"their-topic"}},
		{"changed", v1alpha1.BucketNotificationsAWS{Queues: []notified{other}, Topics: []notified{}}, []string{"theirs", "uploads"}, []string{"their-topic"}},
		{"moved", v1alpha1.BucketNotificationsAWS{Queues: []notified{}, Topics: []notified{asTopic}}, []string{"theirs"}, []string{"their-topic", "uploads"}},
		{"removed", v1alpha1.BucketNotificationsAWS{Queues: []notified{}, Topics: []notified{}}, []string{"theirs"}, []string{"their-topic"}},
		{"added again", v1alpha1.BucketNotificationsAWS{Queues: []notified{ours}}, []string{"theirs", "uploads"}, []string{"their-topic"}},
		{"released", v1alpha1.BucketNotificationsAWS{}, []string{"theirs", "uploads"}, []string{"their-topic"}},
		{"none, where nothing is ours any more", v1alpha1.BucketNotificationsAWS{Queues: []notified{}}, []string{"theirs", "uploads"}, []string{"their-topic"}},
	} {
		req.Spec = notifying(step.spec)
		req.Applied = w.settleBucket(req).Applied
		got := awstest.NotificationsOf(t, w.S3, req.Name)
		var queues, topics []string
		for _, q := range got.QueueConfigurations {
			queues = append(queues, *q.Id)
		}
		for _, c := range got.TopicConfigurations {
			topics = append(topics, *c.Id)
		}
		if diff := cmp.Diff([][]string{step.queues, step.topics}, [][]string{queues, topics}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		ignore := cmp.Comparer(func(a, b s3types.QueueConfiguration) bool {
			return *a.Id == *b.Id && *a.QueueArn == *b.QueueArn && *a.Filter.Key.FilterRules[0].Value == *b.Filter.Key.FilterRules[0].Value
		})
		if !cmp.Equal(theirs.QueueConfigurations[0], got.QueueConfigurations[0], ignore) || got.EventBridgeConfiguration == nil || len(got.LambdaFunctionConfigurations) != 1 {
			t.Errorf("%s: what others set is %+v", step.name, got)
		}
	}
}

// A name that others have in the same list is taken over with the spec that declares it.
func TestANotificationIsTakenOver(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-over", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	awstest.PutNotifications(t, w.S3, req.Name, theirEntries())
	req.Spec = notifying(v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "theirs", ARN: sqs("audit"), Events: []string{"s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectRemoved:Delete"}, Suffix: new(".log")}}})
	if changes := w.bucket(req).Changes; len(changes) != 0 {
		t.Errorf("the same entry in other words: got changes %v", changes)
	}
	req.Applied = w.settleBucket(req).Applied
	req.Spec = notifying(v1alpha1.BucketNotificationsAWS{Queues: []notified{}})
	w.settleBucket(req)
	if left := awstest.NotificationsOf(t, w.S3, req.Name).QueueConfigurations; len(left) != 0 {
		t.Errorf("the entry is still there: %v", left)
	}
}

// A new bucket costs one write for all entries, and none for none.
func TestNotificationsOfANewBucket(t *testing.T) {
	for name, tt := range map[string]struct {
		spec v1alpha1.BucketNotificationsAWS
		want []string
	}{
		"shop-some": {v1alpha1.BucketNotificationsAWS{EventBridge: new(true), Queues: []notified{{Name: "a", ARN: sqs("events"), Events: []string{"s3:ObjectCreated:*"}}},
			Topics: []notified{{Name: "b", ARN: sns("events"), Events: []string{"s3:ObjectRemoved:*"}}}}, []string{"CreateBucket", "PutBucketNotificationConfiguration"}},
		"shop-none": {v1alpha1.BucketNotificationsAWS{EventBridge: new(false), Queues: []notified{}}, []string{"CreateBucket"}},
	} {
		w := newEnvironment(t, localcloud.Options{})
		if _, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf(name, notifying(tt.spec))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.Operations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What S3 refuses is refused by its field, with advice, and the other fields are written.
func TestNotificationsThatAreRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-refused", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	theirs := theirEntries()
	theirs.EventBridgeConfiguration = nil
	awstest.PutNotifications(t, w.S3, req.Name, theirs)
	for name, tt := range map[string]struct {
		entry  notified
		advice string
	}{
		"a queue that is not there":     {notified{Name: "a", ARN: sqs("no-such-queue"), Events: []string{"s3:ObjectCreated:*"}}, "sqs:SendMessage"},
		"a queue that S3 may not use":   {notified{Name: "a", ARN: sqs("deaf-uploads"), Events: []string{"s3:ObjectCreated:*"}}, "sqs:SendMessage"},
		"an entry beside one of others": {notified{Name: "a", ARN: sqs("uploads"), Events: []string{"s3:ObjectRemoved:Delete"}}, "somebody else may have set"},
		"an id that others have":        {notified{Name: "their-topic", ARN: sqs("uploads"), Events: []string{"s3:ObjectCreated:*"}}, "correct spec.aws.notifications.queues"},
	} {
		req.Spec = notifying(v1alpha1.BucketNotificationsAWS{EventBridge: new(true), Queues: []notified{tt.entry}})
		result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.notifications.queues" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%s: %v, failed %v; want aws.notifications.queues, Invalid", name, err, result.Failed)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, tt.advice) || !strings.Contains(message, "Amazon S3 says: ") {
			t.Errorf("%s: %q says nothing of %q", name, message, tt.advice)
		}
		if got := awstest.NotificationsOf(t, w.S3, req.Name); got.EventBridgeConfiguration == nil || len(got.QueueConfigurations) != 1 {
			t.Errorf("%s: the bucket has %+v; want EventBridge, and the queue of others", name, got)
		}
		awstest.PutNotifications(t, w.S3, req.Name, theirs)
	}
}

// refusedDrafts returns what the driver says of a spec that nobody sent yet.
func refusedDrafts(t *testing.T, spec v1alpha1.BucketParameters) []driver.Refusal {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	refusals, err := aws.New(aws.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: awstest.Region})
	if err != nil {
		t.Fatal(err)
	}
	return refusals
}

// What S3 would refuse whatever else the bucket has is refused before any call, and as a draft.
func TestNotificationsThatCannotBe(t *testing.T) {
	created := []string{"s3:ObjectCreated:*"}
	for name, tt := range map[string]struct {
		spec    v1alpha1.BucketNotificationsAWS
		problem string // empty if there is none
	}{
		"the same objects and event twice": {v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "a", ARN: sqs("a"), Events: created}, {Name: "b", ARN: sqs("b"), Events: []string{"s3:ObjectCreated:Put"}, Prefix: new("b/")}}},
			`"b" and "a" of spec.aws.notifications.queues both have s3:ObjectCreated:Put`},
		"likewise in two lists": {v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "a", ARN: sqs("a"), Events: created, Suffix: new(".jpg")}}, Topics: []notified{{Name: "b", ARN: sns("b"), Events: created, Prefix: new("b/")}}},
			`spec.aws.notifications.topics: "b" and "a" of spec.aws.notifications.queues`},
		"other prefixes": {v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "a", ARN: sqs("a"), Events: created, Prefix: new("a/")}, {Name: "b", ARN: sqs("b"), Events: created, Prefix: new("b/")}}}, ""},
		"other suffixes": {v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "a", ARN: sqs("a"), Events: created, Suffix: new(".jpg")}, {Name: "b", ARN: sqs("b"), Events: created, Prefix: new("b/"), Suffix: new(".png")}}}, ""},
		"other events":   {v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "a", ARN: sqs("a"), Events: created}, {Name: "b", ARN: sqs("b"), Events: []string{"s3:ObjectRemoved:*"}}}}, ""},
		"another region": {v1alpha1.BucketNotificationsAWS{Topics: []notified{{Name: "a", ARN: "arn:aws:sns:us-west-2:111111111111:a", Events: created}}}, "the bucket is in " + awstest.Region},
	} {
		w := newEnvironment(t, localcloud.Options{})
		spec := notifying(tt.spec)
		spec.Location = new(awstest.Region)
		refusals := refusedDrafts(t, spec)
		if tt.problem == "" {
			if len(refusals) != 0 {
				t.Errorf("%s: refused: %v", name, refusals)
			}
			continue
		}
		_, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-never", spec))
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), tt.problem) || len(w.Operations()) != 0 {
			t.Errorf("%s: created with %v after %v", name, err, w.Operations())
		}
		if len(refusals) != 1 || !strings.Contains(refusals[0].Message, tt.problem) {
			t.Errorf("%s: the draft is refused by %v, want %q", name, refusals, tt.problem)
		}
	}
}
