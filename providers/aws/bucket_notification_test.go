package aws_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type notified = v1alpha1.BucketNotificationAWS

// notifying returns parameters that tell somebody.
func notifying(n v1alpha1.BucketNotificationsAWS) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Notifications: &n}}
}

// sqs and sns return the ARN of a queue and of a topic.
func sqs(name string) string { return "arn:aws:sqs:" + region + ":111111111111:" + name }
func sns(name string) string { return "arn:aws:sns:" + region + ":111111111111:" + name }

// notificationsOf returns the document of a bucket.
func notificationsOf(t testing.TB, client *s3.Client, name string) *s3types.NotificationConfiguration {
	t.Helper()
	out := do(t, client.GetBucketNotificationConfiguration, &s3.GetBucketNotificationConfigurationInput{Bucket: &name})
	return &s3types.NotificationConfiguration{EventBridgeConfiguration: out.EventBridgeConfiguration, QueueConfigurations: out.QueueConfigurations,
		TopicConfigurations: out.TopicConfigurations, LambdaFunctionConfigurations: out.LambdaFunctionConfigurations}
}

func putNotifications(t testing.TB, client *s3.Client, name string, document *s3types.NotificationConfiguration) {
	t.Helper()
	do(t, client.PutBucketNotificationConfiguration, &s3.PutBucketNotificationConfigurationInput{Bucket: &name, NotificationConfiguration: document})
}

// editNotifications edits one field, and keeps the others. It writes the names of filters in lower case, as some tools do.
func (b *backdoor) editNotifications(t testing.TB, name, f string, value any) {
	document := notificationsOf(t, b.s3, name)
	if f == "aws.notifications.eventBridge" {
		if document.EventBridgeConfiguration = nil; value.(bool) {
			document.EventBridgeConfiguration = &s3types.EventBridgeConfiguration{}
		}
		putNotifications(t, b.s3, name, document)
		return
	}
	var queues []s3types.QueueConfiguration
	var topics []s3types.TopicConfiguration
	var functions []s3types.LambdaFunctionConfiguration
	for _, n := range value.([]notified) {
		filter := &s3types.NotificationConfigurationFilter{Key: &s3types.S3KeyFilter{}}
		for rule, value := range map[s3types.FilterRuleName]*string{"prefix": n.Prefix, "suffix": n.Suffix} {
			if value != nil {
				filter.Key.FilterRules = append(filter.Key.FilterRules, s3types.FilterRule{Name: rule, Value: value})
			}
		}
		var events []s3types.Event
		for _, event := range n.Events {
			events = append(events, s3types.Event(event))
		}
		queues = append(queues, s3types.QueueConfiguration{Id: &n.Name, QueueArn: &n.ARN, Events: events, Filter: filter})
		topics = append(topics, s3types.TopicConfiguration{Id: &n.Name, TopicArn: &n.ARN, Events: events, Filter: filter})
		functions = append(functions, s3types.LambdaFunctionConfiguration{Id: &n.Name, LambdaFunctionArn: &n.ARN, Events: events, Filter: filter})
	}
	switch f {
	case "aws.notifications.queues":
		document.QueueConfigurations = queues
	case "aws.notifications.topics":
		document.TopicConfigurations = topics
	default:
		document.LambdaFunctionConfigurations = functions
	}
	putNotifications(t, b.s3, name, document)
}

// theirEntries are what somebody else has in the document.
func theirEntries() *s3types.NotificationConfiguration {
	return &s3types.NotificationConfiguration{
		QueueConfigurations: []s3types.QueueConfiguration{{Id: new("theirs"), QueueArn: new(sqs("audit")), Events: []s3types.Event{"s3:ObjectRemoved:*"},
			Filter: &s3types.NotificationConfigurationFilter{Key: &s3types.S3KeyFilter{FilterRules: []s3types.FilterRule{{Name: "Suffix", Value: new(".log")}}}}}},
		TopicConfigurations:          []s3types.TopicConfiguration{{Id: new("their-topic"), TopicArn: new(sns("audit")), Events: []s3types.Event{"s3:ObjectAcl:Put"}}},
		LambdaFunctionConfigurations: []s3types.LambdaFunctionConfiguration{{Id: new("their-function"), LambdaFunctionArn: new("arn:aws:lambda:" + region + ":111111111111:function:audit"), Events: []s3types.Event{"s3:ObjectRestore:*"}}},
		EventBridgeConfiguration:     &s3types.EventBridgeConfiguration{},
	}
}

// Entries of others, and EventBridge where the spec says nothing of it, survive that ours are added, changed, moved to another list, removed and released.
func TestNotificationsOfOthersStay(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := bucketOf("shop-shared", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	theirs := theirEntries()
	putNotifications(t, w.s3, req.Name, theirs)
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
		got := notificationsOf(t, w.s3, req.Name)
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
	req := bucketOf("shop-over", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	putNotifications(t, w.s3, req.Name, theirEntries())
	req.Spec = notifying(v1alpha1.BucketNotificationsAWS{Queues: []notified{{Name: "theirs", ARN: sqs("audit"), Events: []string{"s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectRemoved:Delete"}, Suffix: new(".log")}}})
	if changes := w.bucket(req).Changes; len(changes) != 0 {
		t.Errorf("the same entry in other words: got changes %v", changes)
	}
	req.Applied = w.settleBucket(req).Applied
	req.Spec = notifying(v1alpha1.BucketNotificationsAWS{Queues: []notified{}})
	w.settleBucket(req)
	if left := notificationsOf(t, w.s3, req.Name).QueueConfigurations; len(left) != 0 {
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
		if _, err := drivertest.Buckets(w.conn).Create(t.Context(), bucketOf(name, notifying(tt.spec))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.operations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What S3 refuses is refused by its field, with advice, and the other fields are written.
func TestNotificationsThatAreRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := bucketOf("shop-refused", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	theirs := theirEntries()
	theirs.EventBridgeConfiguration = nil
	putNotifications(t, w.s3, req.Name, theirs)
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
		result, err := drivertest.Buckets(w.conn).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.notifications.queues" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%s: %v, failed %v; want aws.notifications.queues, Invalid", name, err, result.Failed)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, tt.advice) || !strings.Contains(message, "Amazon S3 says: ") {
			t.Errorf("%s: %q says nothing of %q", name, message, tt.advice)
		}
		if got := notificationsOf(t, w.s3, req.Name); got.EventBridgeConfiguration == nil || len(got.QueueConfigurations) != 1 {
			t.Errorf("%s: the bucket has %+v; want EventBridge, and the queue of others", name, got)
		}
		putNotifications(t, w.s3, req.Name, theirs)
	}
}

// refusedDrafts returns what the driver says of a spec that nobody sent yet.
func refusedDrafts(t *testing.T, spec v1alpha1.BucketParameters) []driver.Refusal {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	refusals, err := aws.New(aws.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: region})
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
		"another region": {v1alpha1.BucketNotificationsAWS{Topics: []notified{{Name: "a", ARN: "arn:aws:sns:us-west-2:111111111111:a", Events: created}}}, "the bucket is in " + region},
	} {
		w := newEnvironment(t, localcloud.Options{})
		spec := notifying(tt.spec)
		spec.Location = new(region)
		refusals := refusedDrafts(t, spec)
		if tt.problem == "" {
			if len(refusals) != 0 {
				t.Errorf("%s: refused: %v", name, refusals)
			}
			continue
		}
		_, err := drivertest.Buckets(w.conn).Create(t.Context(), bucketOf("shop-never", spec))
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), tt.problem) || len(w.operations()) != 0 {
			t.Errorf("%s: created with %v after %v", name, err, w.operations())
		}
		if len(refusals) != 1 || !strings.Contains(refusals[0].Message, tt.problem) {
			t.Errorf("%s: the draft is refused by %v, want %q", name, refusals, tt.problem)
		}
	}
}
