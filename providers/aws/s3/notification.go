package s3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type notified = v1alpha1.BucketNotificationAWS

// notificationsOf returns whom a spec wants notified.
func notificationsOf(s *v1alpha1.BucketParameters) v1alpha1.BucketNotificationsAWS {
	if block := block(s).Notifications; block != nil {
		return *block
	}
	return v1alpha1.BucketNotificationsAWS{}
}

// The fields of notifications, which S3 keeps in one document.
const (
	eventBridgeField = "aws.notifications.eventBridge"
	queuesField      = "aws.notifications.queues"
	topicsField      = "aws.notifications.topics"
	functionsField   = "aws.notifications.functions"
)

// sameNotification says when two entries mean the same.
const sameNotification = "events in another order, or one by one in place of `*`; entries of other names, which others set, are left alone"

// notificationRows are whom S3 tells what happens to objects.
var notificationRows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Field(eventBridgeField,
		func(s *v1alpha1.BucketParameters) *bool { return notificationsOf(s).EventBridge },
		func(b *bucket) *bool { return b.eventBridge },
		func(p *params, v bool) { p.eventBridge = &v },
	),
	table.MembersOf(queuesField,
		func(s *v1alpha1.BucketParameters) []notified { return notificationsOf(s).Queues },
		func(b *bucket) *[]notified { return b.queues },
		func(p *params, m table.Members[notified]) { p.queues = m },
		nameOfNotified, alikeNotified,
	).Equal(sameNotification).RefersIn("arn", driver.ReferenceQueue),
	table.MembersOf(topicsField,
		func(s *v1alpha1.BucketParameters) []notified { return notificationsOf(s).Topics },
		func(b *bucket) *[]notified { return b.topics },
		func(p *params, m table.Members[notified]) { p.topics = m },
		nameOfNotified, alikeNotified,
	).Equal(sameNotification).RefersIn("arn", driver.ReferenceTopic),
	table.MembersOf(functionsField,
		func(s *v1alpha1.BucketParameters) []notified { return notificationsOf(s).Functions },
		func(b *bucket) *[]notified { return b.functions },
		func(p *params, m table.Members[notified]) { p.functions = m },
		nameOfNotified, alikeNotified,
	).Equal(sameNotification).RefersIn("arn", driver.ReferenceFunction),
}

func nameOfNotified(n notified) string { return n.Name }

// alikeNotified returns an entry as all are written that mean the same.
func alikeNotified(n notified) notified {
	n.Events = singleEvents(n.Events)
	n.Prefix, n.Suffix = session.NonEmpty(n.Prefix), session.NonEmpty(n.Suffix)
	return n
}

// singleEvents returns the events one by one, sorted: s3:ObjectCreated:* is all that begin with s3:ObjectCreated.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html
func singleEvents(events []string) []string {
	var single []string
	for _, event := range events {
		family, all := strings.CutSuffix(event, "*")
		if !all {
			single = append(single, event)
			continue
		}
		for _, known := range types.Event("").Values() {
			if name := string(known); strings.HasPrefix(name, family) && name != event {
				single = append(single, name)
			}
		}
	}
	slices.Sort(single)
	return slices.Compact(single)
}

// notifications reads and writes the document.
type notifications aspects

func (b notifications) part() table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{eventBridgeField, queuesField, topicsField, functionsField},
		Taken:  table.Names{"eventBridge", "queues", "topics", "functions"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			have, err := b.read(ctx, req.Name)
			if err != nil {
				return err
			}
			into.eventBridge = new(have.EventBridgeConfiguration != nil)
			into.queues, into.topics, into.functions = entriesFrom(queueSort, have.QueueConfigurations), entriesFrom(topicSort, have.TopicConfigurations), entriesFrom(functionSort, have.LambdaFunctionConfigurations)
			return nil
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, changes []driver.Change) (string, error) {
			return "", adviseNotifications(b.write(ctx, req.Name, have.queues != nil, params), changes)
		},
		Refuses: func(err error) bool { return driver.CodeOf(err) == driver.Invalid },
	}
}

// read returns the document: an empty one for a bucket that tells nobody.
func (b notifications) read(ctx context.Context, name string) (types.NotificationConfiguration, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketNotificationConfiguration", b.s3.GetBucketNotificationConfiguration,
		&s3.GetBucketNotificationConfigurationInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil {
		return types.NotificationConfiguration{}, err
	}
	return types.NotificationConfiguration{
		EventBridgeConfiguration: out.EventBridgeConfiguration, QueueConfigurations: out.QueueConfigurations,
		TopicConfigurations: out.TopicConfigurations, LambdaFunctionConfigurations: out.LambdaFunctionConfigurations,
	}, nil
}

// write replaces the document by one in which only what changes is another, so it reads it first. A new bucket is known to have an empty one. S3 has no
// version of the document: a change of somebody else between the two calls is lost.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
func (b notifications) write(ctx context.Context, name string, isNew bool, p *params) error {
	var document types.NotificationConfiguration
	if !isNew {
		var err error
		if document, err = b.read(ctx, name); err != nil {
			return err
		}
	}
	if p.eventBridge != nil {
		document.EventBridgeConfiguration = nil
		if *p.eventBridge {
			document.EventBridgeConfiguration = &types.EventBridgeConfiguration{}
		}
	}
	document.QueueConfigurations = withEntries(queueSort, document.QueueConfigurations, p.queues)
	document.TopicConfigurations = withEntries(topicSort, document.TopicConfigurations, p.topics)
	document.LambdaFunctionConfigurations = withEntries(functionSort, document.LambdaFunctionConfigurations, p.functions)
	_, err := session.Call(ctx, b.Session, "PutBucketNotificationConfiguration", b.s3.PutBucketNotificationConfiguration, &s3.PutBucketNotificationConfigurationInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), NotificationConfiguration: &document,
	})
	return err
}

// A sortOfEntry is how entries of one list of the document are written.
type sortOfEntry[C any] struct {
	to   func(notified, []types.Event, *types.NotificationConfigurationFilter) C
	from func(C) (id, arn *string, events []types.Event, filter *types.NotificationConfigurationFilter)
}

var (
	queueSort = sortOfEntry[types.QueueConfiguration]{
		func(n notified, events []types.Event, filter *types.NotificationConfigurationFilter) types.QueueConfiguration {
			return types.QueueConfiguration{Id: &n.Name, QueueArn: &n.ARN, Events: events, Filter: filter}
		},
		func(c types.QueueConfiguration) (id, arn *string, events []types.Event, filter *types.NotificationConfigurationFilter) {
			return c.Id, c.QueueArn, c.Events, c.Filter
		},
	}
	topicSort = sortOfEntry[types.TopicConfiguration]{
		func(n notified, events []types.Event, filter *types.NotificationConfigurationFilter) types.TopicConfiguration {
			return types.TopicConfiguration{Id: &n.Name, TopicArn: &n.ARN, Events: events, Filter: filter}
		},
		func(c types.TopicConfiguration) (id, arn *string, events []types.Event, filter *types.NotificationConfigurationFilter) {
			return c.Id, c.TopicArn, c.Events, c.Filter
		},
	}
	functionSort = sortOfEntry[types.LambdaFunctionConfiguration]{
		func(n notified, events []types.Event, filter *types.NotificationConfigurationFilter) types.LambdaFunctionConfiguration {
			return types.LambdaFunctionConfiguration{Id: &n.Name, LambdaFunctionArn: &n.ARN, Events: events, Filter: filter}
		},
		func(c types.LambdaFunctionConfiguration) (id, arn *string, events []types.Event, filter *types.NotificationConfigurationFilter) {
			return c.Id, c.LambdaFunctionArn, c.Events, c.Filter
		},
	}
)

// withEntries returns the entries of a list with what is to become of ours; all others stay as they are, and where they are.
func withEntries[C any](sort sortOfEntry[C], have []C, change table.Members[notified]) []C {
	name := func(c C) string { id, _, _, _ := sort.from(c); return aws.ToString(id) }
	out := slices.DeleteFunc(slices.Clone(have), func(c C) bool { return slices.Contains(change.Remove, name(c)) })
	for _, n := range change.Set {
		entry := sort.to(n, eventsTo(n.Events), keyFilter(n))
		if at := slices.IndexFunc(out, func(c C) bool { return name(c) == n.Name }); at >= 0 {
			out[at] = entry
		} else {
			out = append(out, entry)
		}
	}
	return out
}

// entriesFrom returns the entries of a list as a spec says them.
func entriesFrom[C any](sort sortOfEntry[C], have []C) *[]notified {
	out := make([]notified, 0, len(have))
	for _, c := range have {
		id, arn, events, filter := sort.from(c)
		n := notified{Name: aws.ToString(id), ARN: aws.ToString(arn)}
		for _, event := range events {
			n.Events = append(n.Events, string(event))
		}
		n.Prefix, n.Suffix = filtered(filter)
		out = append(out, n)
	}
	return &out
}

func eventsTo(events []string) []types.Event {
	out := make([]types.Event, 0, len(events))
	for _, event := range events {
		out = append(out, types.Event(event))
	}
	return out
}

// keyFilter returns the objects of an entry as S3 takes them; nil for all.
func keyFilter(n notified) *types.NotificationConfigurationFilter {
	var rules []types.FilterRule
	if aws.ToString(n.Prefix) != "" {
		rules = append(rules, types.FilterRule{Name: types.FilterRuleNamePrefix, Value: n.Prefix})
	}
	if aws.ToString(n.Suffix) != "" {
		rules = append(rules, types.FilterRule{Name: types.FilterRuleNameSuffix, Value: n.Suffix})
	}
	if rules == nil {
		return nil
	}
	return &types.NotificationConfigurationFilter{Key: &types.S3KeyFilter{FilterRules: rules}}
}

// filtered returns prefix and suffix, nil for none. S3 writes Prefix and Suffix, whatever case they were sent in.
func filtered(f *types.NotificationConfigurationFilter) (prefix, suffix *string) {
	if f == nil || f.Key == nil {
		return nil, nil
	}
	for _, rule := range f.Key.FilterRules {
		switch {
		case strings.EqualFold(string(rule.Name), string(types.FilterRuleNamePrefix)):
			prefix = session.NonEmpty(rule.Value)
		case strings.EqualFold(string(rule.Name), string(types.FilterRuleNameSuffix)):
			suffix = session.NonEmpty(rule.Value)
		}
	}
	return prefix, suffix
}

// grants says what the policy of a destination has to allow, by the field that names it.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
var grants = map[string]string{
	queuesField:    "each queue has to exist in the bucket's region, and its policy to allow s3.amazonaws.com sqs:SendMessage for this bucket; the policy of the key of an encrypted queue has to allow it kms:GenerateDataKey and kms:Decrypt",
	topicsField:    "each topic has to exist in the bucket's region, and its policy to allow s3.amazonaws.com sns:Publish for this bucket; the policy of the key of an encrypted topic has to allow it kms:GenerateDataKey and kms:Decrypt",
	functionsField: "each function has to exist in the bucket's region, and its policy to allow s3.amazonaws.com lambda:InvokeFunction for this bucket (aws lambda add-permission)",
}

// adviseNotifications says what to do about a refusal: S3 judges all entries together, and its words name no field of the spec.
func adviseNotifications(err error, changes []driver.Change) error {
	if err == nil || driver.CodeOf(err) != driver.Invalid || len(changes) == 0 {
		return err
	}
	e, field, advice := *session.AsError(err), changes[0].Field, ""
	switch {
	case strings.Contains(e.Message, "destination configurations"):
		advice = grants[field]
		if advice == "" {
			advice = "S3 looks at all destinations of the bucket with each change"
		}
		advice += ". If they are right, an entry that somebody else set in the bucket leads nowhere: correct or remove that"
	case strings.Contains(e.Message, "ambiguously") || strings.Contains(e.Message, "overlap"):
		advice = fmt.Sprintf("an entry of spec.%s and another one of the bucket, which somebody else may have set, have an event in common and prefixes and suffixes that an object can have both of: change one of them", field)
	default:
		advice = "correct spec." + field
	}
	e.Message = fmt.Sprintf("%s. Amazon S3 says: %s", advice, e.Message)
	return &e
}

// checkNotifications refuses entries that S3 would refuse, whoever else has entries there: two that have an event and an object in common, and a destination
// in another region than the bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html
func checkNotifications(spec *v1alpha1.BucketParameters, location string) []error {
	var problems []error
	var all []declaredNotification
	n := notificationsOf(spec)
	for _, list := range []struct {
		field   string
		entries []notified
	}{{queuesField, n.Queues}, {topicsField, n.Topics}, {functionsField, n.Functions}} {
		for _, entry := range list.entries {
			d := declaredNotification{list.field, entry}
			problems = append(problems, d.checkRegion(location))
			for _, other := range all {
				problems = append(problems, d.checkApart(other))
			}
			all = append(all, d)
		}
	}
	return problems
}

// A declaredNotification is an entry and the field that it is in.
type declaredNotification struct {
	field string
	notified
}

func (d declaredNotification) checkRegion(location string) error {
	parts := strings.Split(d.ARN, ":")
	if location == "" || len(parts) < 4 || parts[3] == location {
		return nil
	}
	return table.Fields{d.field, "location"}.Refuse("spec.%s: %q names %s, and the bucket is in %s: S3 sends events within its region only, so name a destination there", d.field, d.Name, d.ARN, location)
}

func (d declaredNotification) checkApart(other declaredNotification) error {
	events := singleEvents(other.Events)
	event := slices.IndexFunc(singleEvents(d.Events), func(e string) bool { return slices.Contains(events, e) })
	if event < 0 || !overlap(d.Prefix, other.Prefix, strings.HasPrefix) || !overlap(d.Suffix, other.Suffix, strings.HasSuffix) {
		return nil
	}
	return table.Fields{d.field, other.field}.Refuse("spec.%s: %q and %q of spec.%s both have %s for the same objects, which S3 takes once: give them prefixes or suffixes that no object has both of, or send the events to one topic of Amazon SNS that both listen to",
		d.field, d.Name, other.Name, other.field, singleEvents(d.Events)[event])
}

// overlap reports whether a name can begin, or end, with both.
func overlap(a, b *string, begins func(name, with string) bool) bool {
	return begins(aws.ToString(a), aws.ToString(b)) || begins(aws.ToString(b), aws.ToString(a))
}
