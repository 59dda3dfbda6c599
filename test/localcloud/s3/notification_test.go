package s3_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// queueEntry is an entry that S3 takes, changed.
func queueEntry(id string, change func(*types.QueueConfiguration)) types.QueueConfiguration {
	q := types.QueueConfiguration{Id: &id, QueueArn: new("arn:aws:sqs:eu-west-1:111111111111:uploads"), Events: []types.Event{"s3:ObjectCreated:*"}}
	if id == "" {
		q.Id = nil
	}
	change(&q)
	return q
}

func keyFilter(rules ...types.FilterRule) *types.NotificationConfigurationFilter {
	return &types.NotificationConfigurationFilter{Key: &types.S3KeyFilter{FilterRules: rules}}
}

func TestS3Notifications(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "notifying"
	sdk.MakeBucket(t, client, name)
	put := func(skip bool, document types.NotificationConfiguration) error {
		in := &s3.PutBucketNotificationConfigurationInput{Bucket: &name, NotificationConfiguration: &document}
		if skip {
			in.SkipDestinationValidation = new(true)
		}
		_, err := client.PutBucketNotificationConfiguration(ctx, in)
		return err
	}
	queues := func(entries ...types.QueueConfiguration) types.NotificationConfiguration {
		return types.NotificationConfiguration{QueueConfigurations: entries}
	}
	get := func() *s3.GetBucketNotificationConfigurationOutput {
		return check.Need(client.GetBucketNotificationConfiguration(ctx, &s3.GetBucketNotificationConfigurationInput{Bucket: &name}))(t)
	}
	if got := get(); got.EventBridgeConfiguration != nil || len(got.QueueConfigurations) != 0 {
		t.Errorf("a new bucket has %+v", got)
	}
	document := queues(queueEntry("", func(q *types.QueueConfiguration) {
		q.Filter = keyFilter(types.FilterRule{Name: "prefix", Value: new("a/")}, types.FilterRule{Name: "SUFFIX", Value: new(".b")})
	}))
	document.EventBridgeConfiguration = &types.EventBridgeConfiguration{}
	document.TopicConfigurations = []types.TopicConfiguration{{Id: new("t"), TopicArn: new("arn:aws:sns:eu-west-1:111111111111:events"), Events: []types.Event{"s3:ObjectRemoved:*"}}}
	document.LambdaFunctionConfigurations = []types.LambdaFunctionConfiguration{{Id: new("f"), LambdaFunctionArn: new("arn:aws:lambda:eu-west-1:111111111111:function:audit:live"), Events: []types.Event{"s3:ObjectAcl:Put"}}}
	sdk.WantCode(t, put(false, document), "")
	got := get()
	if q := got.QueueConfigurations[0]; *q.Id == "" || q.Filter.Key.FilterRules[0].Name != "Prefix" || q.Filter.Key.FilterRules[1].Name != "Suffix" {
		t.Errorf("the entry has no id, or names of filters as they were sent: %+v", q)
	}
	if got.EventBridgeConfiguration == nil || len(got.TopicConfigurations) != 1 || len(got.LambdaFunctionConfigurations) != 1 {
		t.Errorf("the bucket has %+v", got)
	}
	for what, wrong := range map[string]types.NotificationConfiguration{
		"a queue that is not there":  queues(queueEntry("a", func(q *types.QueueConfiguration) { q.QueueArn = new("arn:aws:sqs:eu-west-1:111111111111:none") })),
		"a queue that S3 can't use":  queues(queueEntry("a", func(q *types.QueueConfiguration) { q.QueueArn = new("arn:aws:sqs:eu-west-1:111111111111:deaf-uploads") })),
		"another region":             queues(queueEntry("a", func(q *types.QueueConfiguration) { q.QueueArn = new("arn:aws:sqs:us-west-2:111111111111:uploads") })),
		"a topic":                    queues(queueEntry("a", func(q *types.QueueConfiguration) { q.QueueArn = new("arn:aws:sns:eu-west-1:111111111111:uploads") })),
		"a FIFO queue":               queues(queueEntry("a", func(q *types.QueueConfiguration) { q.QueueArn = new("arn:aws:sqs:eu-west-1:111111111111:uploads.fifo") })),
		"an event that there is not": queues(queueEntry("a", func(q *types.QueueConfiguration) { q.Events = []types.Event{"s3:ObjectAcl:*"} })),
		"a filter that there is not": queues(queueEntry("a", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "infix", Value: new("a")})
		})),
		"two prefixes": queues(queueEntry("a", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "prefix", Value: new("a")}, types.FilterRule{Name: "Prefix", Value: new("b")})
		})),
		"a filter without a name":  queues(queueEntry("a", func(q *types.QueueConfiguration) { q.Filter = keyFilter(types.FilterRule{Value: new("a")}) })),
		"a filter without a value": queues(queueEntry("a", func(q *types.QueueConfiguration) { q.Filter = keyFilter(types.FilterRule{Name: "prefix"}) })),
		"an empty value": queues(queueEntry("a", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "prefix", Value: new("")})
		})),
		"a value that is too long": queues(queueEntry("a", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "prefix", Value: new(strings.Repeat("é", 513))})
		})),
		"two suffixes": queues(queueEntry("a", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "Suffix", Value: new("a")}, types.FilterRule{Name: "suffix", Value: new("b")})
		})),
		"prefixes that overlap": queues(queueEntry("a", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "prefix", Value: new("a/")})
		}), queueEntry("b", func(q *types.QueueConfiguration) {
			q.Filter = keyFilter(types.FilterRule{Name: "prefix", Value: new("a/b")})
		})),
		"one id twice": queues(queueEntry("a", func(*types.QueueConfiguration) {}), queueEntry("a", func(q *types.QueueConfiguration) { q.Events = []types.Event{"s3:ObjectRemoved:*"} })),
		"one event twice": queues(queueEntry("a", func(*types.QueueConfiguration) {}), queueEntry("b", func(q *types.QueueConfiguration) {
			q.Events, q.Filter = []types.Event{"s3:ObjectCreated:Put"}, keyFilter(types.FilterRule{Name: "suffix", Value: new(".b")})
		})),
	} {
		if err := put(false, wrong); err == nil {
			t.Errorf("%s is taken", what)
		} else {
			sdk.WantCode(t, err, "InvalidArgument")
		}
	}
	unseen := queues(queueEntry("a", func(q *types.QueueConfiguration) { q.QueueArn = new("arn:aws:sqs:eu-west-1:111111111111:none") }))
	sdk.WantCode(t, put(true, unseen), "")
	sdk.WantCode(t, put(false, queues(queueEntry("a", func(q *types.QueueConfiguration) { q.Events = []types.Event{} }))), "MalformedXML")
	sdk.WantCode(t, put(false, types.NotificationConfiguration{}), "")
	if got := get(); len(got.QueueConfigurations) != 0 {
		t.Errorf("an empty document leaves %+v", got)
	}
}
