package s3

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type notificationRule struct {
	Name  string
	Value *string
}

type notificationKey struct {
	Rule []notificationRule `xml:"FilterRule"`
}

type notificationFilter struct {
	Key *notificationKey `xml:"S3Key"`
}

// A notificationEntry sends events to one place, which is in the element of its sort.
type notificationEntry struct {
	ID       string              `xml:"Id,omitempty"`
	Queue    *string             `xml:"Queue"`
	Topic    *string             `xml:"Topic"`
	Function *string             `xml:"CloudFunction"`
	Event    []string            `xml:"Event"`
	Filter   *notificationFilter `xml:"Filter"`
}

type notificationConfiguration struct {
	XMLName     xml.Name            `xml:"NotificationConfiguration"`
	Namespace   string              `xml:"xmlns,attr,omitempty"`
	Topics      []notificationEntry `xml:"TopicConfiguration"`
	Queues      []notificationEntry `xml:"QueueConfiguration"`
	Functions   []notificationEntry `xml:"CloudFunctionConfiguration"`
	EventBridge *struct{}           `xml:"EventBridgeConfiguration"`
}

var (
	destinationARN = regexp.MustCompile(`^arn:aws(?:-[a-z-]+)?:(sqs|sns|lambda):([a-z0-9-]+):([0-9]{12}):(?:function:)?([A-Za-z0-9_-]+(?:\.fifo)?)(?::[A-Za-z0-9$_-]+)?$`)
	// notificationEvents are the families of events, and what follows in each; an event without a family has nothing there.
	notificationEvents = map[string][]string{
		"s3:ObjectCreated":               {"Put", "Post", "Copy", "CompleteMultipartUpload"},
		"s3:ObjectRemoved":               {"Delete", "DeleteMarkerCreated"},
		"s3:ObjectRestore":               {"Post", "Completed", "Delete"},
		"s3:Replication":                 {"OperationFailedReplication", "OperationMissedThreshold", "OperationReplicatedAfterThreshold", "OperationNotTracked"},
		"s3:LifecycleExpiration":         {"Delete", "DeleteMarkerCreated"},
		"s3:ObjectTagging":               {"Put", "Delete"},
		"s3:ObjectAcl":                   {"Put"},
		"s3:ObjectAnnotation":            {"Put", "Delete"},
		"s3:ObjectRetention":             {"Put"},
		"s3:ReducedRedundancyLostObject": nil, "s3:LifecycleTransition": nil, "s3:IntelligentTiering": nil,
	}
	// wholeFamilies are those of which all events have a name together.
	wholeFamilies = []string{"s3:ObjectCreated", "s3:ObjectRemoved", "s3:ObjectRestore", "s3:Replication", "s3:LifecycleExpiration", "s3:ObjectTagging", "s3:ObjectAnnotation"}
)

// notificationDocument is empty for a bucket that tells nobody. The recordings show the refusal of names of filters.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketNotificationConfiguration.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
var notificationDocument = &document[notificationConfiguration]{
	sub: "notification", noun: "BucketNotificationConfiguration", headers: []string{skipDestinations},
	get: func(b *s3Bucket) *notificationConfiguration {
		shown := b.notifications
		shown.Namespace = namespace
		return &shown
	},
	check: validNotifications,
	put:   func(_ *call, b *s3Bucket, asked *notificationConfiguration) { b.notifications = *asked },
}

// skipDestinations has S3 not look for the destinations.
const skipDestinations = "X-Amz-Skip-Destination-Validation"

// validNotifications holds entries to S3's rules, and gives one without an id an id.
func validNotifications(c *call, b *s3Bucket, asked *notificationConfiguration) error {
	var all []notificationEntry
	for _, list := range []struct {
		service string
		entries []notificationEntry
	}{{"sns", asked.Topics}, {"sqs", asked.Queues}, {"lambda", asked.Functions}} {
		for i := range list.entries {
			entry := &list.entries[i]
			if err := entry.valid(list.service, b.region); err != nil {
				return err
			}
			if entry.ID == "" {
				entry.ID = cloud.RequestID()
			}
			all = append(all, *entry)
		}
	}
	if err := togetherValid(all); err != nil {
		return err
	}
	if c.r.Header.Get(skipDestinations) != "true" {
		return reachable(all)
	}
	return nil
}

func wrongNotification(why, name, value string) error {
	e := amazon.Err(http.StatusBadRequest, "InvalidArgument", why)
	e.Detail = [][2]string{{"ArgumentName", name}, {"ArgumentValue", value}}
	return e
}

// destination returns the ARN of an entry and its element.
func (e *notificationEntry) destination(service string) (element, arn string) {
	at := map[string]struct {
		element string
		arn     *string
	}{"sqs": {"Queue", e.Queue}, "sns": {"Topic", e.Topic}, "lambda": {"CloudFunction", e.Function}}[service]
	set := 0
	for _, other := range []*string{e.Queue, e.Topic, e.Function} {
		if other != nil {
			set++
		}
	}
	if at.arn == nil || set != 1 {
		return at.element, ""
	}
	return at.element, *at.arn
}

// valid holds an entry to S3's rules, and writes the names of filters as S3 does: Prefix and Suffix. LocalStack has recorded the refusals of names of
// filters and of ARNs; those of events, of regions, of FIFO queues and of empty values have the words that people report.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html
func (e *notificationEntry) valid(service, region string) error {
	element, arn := e.destination(service)
	if arn == "" || len(e.Event) == 0 {
		return malformedXML()
	}
	parts := destinationARN.FindStringSubmatch(arn)
	switch {
	case parts == nil || parts[1] != service:
		return wrongNotification("The ARN could not be parsed", element, arn)
	case parts[2] != region:
		return wrongNotification("The notification destination service region is not valid for the bucket location constraint", element, arn)
	case strings.HasSuffix(parts[4], ".fifo"):
		return wrongNotification("FIFO SQS queues are not supported.", element, arn)
	}
	for _, event := range e.Event {
		if eventsOf(event) == nil {
			return wrongNotification("A specified event is not supported for notifications", "Event", event)
		}
	}
	if e.Filter == nil || e.Filter.Key == nil {
		return nil
	}
	seen := map[string]bool{}
	for i := range e.Filter.Key.Rule {
		rule := &e.Filter.Key.Rule[i]
		name := strings.ToLower(rule.Name)
		switch {
		case name != "prefix" && name != "suffix":
			return wrongNotification("filter rule name must be either prefix or suffix", "FilterRule.Name", rule.Name)
		case seen[name]:
			return wrongNotification("Cannot specify more than one "+name+" rule in a filter.", "FilterRule", name)
		case rule.Value == nil || *rule.Value == "": // strict: an older LocalStack has it so, and no recording shows whether S3 takes an empty one
			return wrongNotification("filter value cannot be empty", "FilterRule.Value", "")
		case len(*rule.Value) > 1024:
			return wrongNotification("Size of filter rule value cannot exceed 1024 bytes in UTF-8 representation", "FilterRule.Value", *rule.Value)
		}
		seen[name] = true
		rule.Name = strings.ToUpper(name[:1]) + name[1:]
	}
	return nil
}

// eventsOf returns the events that a name stands for, nil for one that S3 does not know.
func eventsOf(name string) []string {
	at := strings.LastIndex(name, ":")
	family, last := name[:max(at, 0)], name[at+1:]
	if single, known := notificationEvents[name]; known && single == nil {
		return []string{name}
	}
	switch {
	case last == "*" && slices.Contains(wholeFamilies, family):
		var all []string
		for _, one := range notificationEvents[family] {
			all = append(all, family+":"+one)
		}
		return all
	case slices.Contains(notificationEvents[family], last):
		return []string{name}
	}
	return nil
}

// part returns prefix or suffix of the names of an entry, empty for all.
func (e *notificationEntry) part(name string) string {
	if e.Filter == nil || e.Filter.Key == nil {
		return ""
	}
	for _, rule := range e.Filter.Key.Rule {
		if rule.Name == name {
			return *rule.Value
		}
	}
	return ""
}

// togetherValid holds the entries of a document to what S3 asks of them together. No recording shows the refusals. Their words are those that people report.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
func togetherValid(all []notificationEntry) error {
	if len(all) > 100 {
		return amazon.Err(http.StatusBadRequest, "InvalidArgument", "Configuration exceeds the maximum number of allowed notification configurations.")
	}
	for i, e := range all {
		for _, other := range all[:i] {
			if e.ID == other.ID {
				return wrongNotification("Same ID used for multiple configurations. IDs must be unique", "Id", e.ID)
			}
			if !slices.ContainsFunc(e.Event, func(event string) bool { return other.has(eventsOf(event)) }) {
				continue
			}
			prefixes := [2]string{e.part("Prefix"), other.part("Prefix")}
			suffixes := [2]string{e.part("Suffix"), other.part("Suffix")}
			if (strings.HasPrefix(prefixes[0], prefixes[1]) || strings.HasPrefix(prefixes[1], prefixes[0])) &&
				(strings.HasSuffix(suffixes[0], suffixes[1]) || strings.HasSuffix(suffixes[1], suffixes[0])) {
				return amazon.Err(http.StatusBadRequest, "InvalidArgument", "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the prefixes are overlapping for the same event type.")
			}
		}
	}
	return nil
}

func (e *notificationEntry) has(events []string) bool {
	return slices.ContainsFunc(e.Event, func(event string) bool {
		return slices.ContainsFunc(eventsOf(event), func(one string) bool { return slices.Contains(events, one) })
	})
}

// reachable refuses destinations that are not there, or do not let S3 use them: all of them, in one answer. LocalStack has recorded that of queues that are not there;
// the other words are those that people report.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
func reachable(all []notificationEntry) error {
	var detail [][2]string
	for _, e := range all {
		for service, noun := range map[string]string{"sqs": "queue", "sns": "topic", "lambda": "function"} {
			_, arn := e.destination(service)
			if arn == "" {
				continue
			}
			why := ""
			switch name := cloud.PlatformDestinations.FindStringSubmatch(destinationARN.FindStringSubmatch(arn)[4]); {
			case name == nil:
				why = "The destination " + noun + " does not exist"
			case name[1] != "":
				why = "Permissions on the destination " + noun + " do not allow S3 to publish notifications from this bucket"
			}
			if why != "" {
				n := len(detail)/2 + 1
				detail = append(detail, [2]string{fmt.Sprint("ArgumentName", n), arn}, [2]string{fmt.Sprint("ArgumentValue", n), why})
			}
		}
	}
	if detail == nil {
		return nil
	}
	e := amazon.Err(http.StatusBadRequest, "InvalidArgument", "Unable to validate the following destination configurations")
	e.Detail = detail
	return e
}
