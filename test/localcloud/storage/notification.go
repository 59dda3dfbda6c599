package storage

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

const topicHost = "//pubsub.googleapis.com/"

var (
	topicName = regexp.MustCompile(`^(?://pubsub\.googleapis\.com/)?(projects/[^/]+/topics/([^/]+))$`)
	// gcsEventTypes are all sorts of events. https://cloud.google.com/storage/docs/pubsub-notifications#events
	gcsEventTypes = []string{"OBJECT_FINALIZE", "OBJECT_METADATA_UPDATE", "OBJECT_DELETE", "OBJECT_ARCHIVE"}
)

// The most notifications that a bucket has, and that it has for a sort of events. https://cloud.google.com/storage/docs/pubsub-notifications#overview
const mostNotifications, mostOfAnEvent = 100, 10

// insertNotification makes a notification with an id of its own, also where there is one that says the same. Topics have names of PlatformDestinations.
// No recording shows the refusals. That of a topic has the words that people report, and the others have none that anybody reports.
// https://github.com/GoogleCloudPlatform/k8s-config-connector/issues/433
func (s *Service) insertNotification(r *google.Request) (any, error) {
	b, _, err := s.find(r, "storage.buckets.update")
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[storage.Notification](r.Body)
	if err != nil {
		return nil, err
	}
	topic := topicName.FindStringSubmatch(want.Topic)
	switch {
	case topic == nil:
		return nil, google.Invalid("Invalid Google Cloud Pub/Sub topic: " + want.Topic)
	case want.PayloadFormat != "JSON_API_V1" && want.PayloadFormat != "NONE":
		return nil, google.Invalid("Invalid value for payload_format: " + want.PayloadFormat)
	case slices.ContainsFunc(want.EventTypes, func(e string) bool { return !slices.Contains(gcsEventTypes, e) }):
		return nil, google.Invalid("Invalid value for event_types")
	case len(b.notifications) >= mostNotifications:
		return nil, google.Invalid(fmt.Sprintf("A bucket can have at most %d notification configurations.", mostNotifications))
	case slices.ContainsFunc(gcsEventTypes, func(e string) bool { return hasEvent(want, e) && b.notifying(e) >= mostOfAnEvent }):
		return nil, google.Invalid(fmt.Sprintf("A bucket can have at most %d notification configurations for an event.", mostOfAnEvent))
	}
	if name := cloud.PlatformDestinations.FindStringSubmatch(topic[2]); name == nil || name[1] != "" {
		return nil, google.Err(http.StatusForbidden, "forbidden", fmt.Sprintf("The service account 'service-%d@gs-project-accounts.iam.gserviceaccount.com' does not have permission to publish messages to to the Cloud Pub/Sub topic '%s%s', or that topic does not exist.",
			b.owner.Number, topicHost, topic[1]))
	}
	b.notified++
	id := strconv.Itoa(b.notified)
	made := &storage.Notification{
		Kind: "storage#notification", Id: id, Topic: topicHost + topic[1], Etag: id, PayloadFormat: want.PayloadFormat,
		SelfLink:   s.cloud.GCPEndpoint() + "/storage/v1/b/" + r.PathValue("bucket") + "/notificationConfigs/" + id,
		EventTypes: want.EventTypes, ObjectNamePrefix: want.ObjectNamePrefix, CustomAttributes: want.CustomAttributes,
	}
	b.notifications = append(b.notifications, made)
	return made, nil
}

func hasEvent(n *storage.Notification, event string) bool {
	return len(n.EventTypes) == 0 || slices.Contains(n.EventTypes, event)
}

// notifying counts the notifications for a sort of events.
func (b *gcsBucket) notifying(event string) (n int) {
	for _, other := range b.notifications {
		if hasEvent(other, event) {
			n++
		}
	}
	return n
}

func (s *Service) listNotifications(r *google.Request) (any, error) {
	b, _, err := s.find(r, "storage.buckets.get")
	if err != nil {
		return nil, err
	}
	return &storage.Notifications{Kind: "storage#notifications", Items: b.notifications}, nil
}

func (s *Service) getNotification(r *google.Request) (any, error) {
	b, _, err := s.find(r, "storage.buckets.get")
	if err != nil {
		return nil, err
	}
	if at := b.notificationIndex(r.PathValue("notification")); at >= 0 {
		return b.notifications[at], nil
	}
	return nil, errNoNotification
}

func (s *Service) deleteNotification(r *google.Request) (any, error) {
	b, _, err := s.find(r, "storage.buckets.update")
	if err != nil {
		return nil, err
	}
	at := b.notificationIndex(r.PathValue("notification"))
	if at < 0 {
		return nil, errNoNotification
	}
	b.notifications = slices.Delete(slices.Clone(b.notifications), at, at+1)
	return nil, nil
}

// errNoNotification has words that nobody reports.
var errNoNotification = google.Err(http.StatusNotFound, "notFound", "No such notification.")

func (b *gcsBucket) notificationIndex(id string) int {
	return slices.IndexFunc(b.notifications, func(n *storage.Notification) bool { return n.Id == id })
}
