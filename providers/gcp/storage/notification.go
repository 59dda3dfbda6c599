package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

type notified = v1alpha1.BucketNotificationGCP

// topicHost is what Cloud Storage writes before the name of a topic. https://cloud.google.com/storage/docs/json_api/v1/notifications
const topicHost = "//pubsub.googleapis.com/"

// payloadJSON is the payload of a notification that does not say.
const payloadJSON = "JSON_API_V1"

// eventTypes are all that there are, sorted: a notification without any gets all of them. https://cloud.google.com/storage/docs/pubsub-notifications#events
var eventTypes = []string{"OBJECT_ARCHIVE", "OBJECT_DELETE", "OBJECT_FINALIZE", "OBJECT_METADATA_UPDATE"}

// notificationRow is whom Cloud Storage tells what happens to objects. Its notifications have no names, can't change, and get their ids from the cloud. So what
// one says tells it from the others: after a lost answer the one that was made is found by it, and none is made twice; and one of another tool that says the same is
// taken over, in place of sending each message twice. A mark among the attributes would tell ours apart too, and go out with every message.
var notificationRow = table.MembersOf("gcp.notifications",
	func(s *v1alpha1.BucketParameters) []notified { return gcpOf(s).Notifications },
	func(b *bucket) *[]notified { return b.notifications },
	func(p *parameters, m table.Members[notified]) { p.Notifications = &m },
	sayingOf, alikeNotified,
).Equal("event types in another order, all of them in place of none, or `JSON_API_V1` in place of no format; what others set is left alone").
	RefersIn("topic", driver.ReferenceTopic)

// mostOfAnEvent is how many notifications of an event a bucket can have. https://cloud.google.com/storage/docs/pubsub-notifications
const mostOfAnEvent = 10

// eventsOf are the events that a notification is about.
func eventsOf(n notified) []string {
	if of := alikeNotified(n).EventTypes; of != nil {
		return of
	}
	return eventTypes
}

// alikeNotified returns a notification as all are written that mean the same.
func alikeNotified(n notified) notified {
	n.Topic = strings.TrimPrefix(n.Topic, topicHost)
	n.EventTypes = slices.Compact(slices.Sorted(slices.Values(n.EventTypes)))
	if len(n.EventTypes) == 0 || slices.Equal(n.EventTypes, eventTypes) {
		n.EventTypes = nil
	}
	if n.ObjectNamePrefix != nil && *n.ObjectNamePrefix == "" {
		n.ObjectNamePrefix = nil
	}
	if n.PayloadFormat == nil {
		n.PayloadFormat = new(payloadJSON)
	}
	if len(n.CustomAttributes) == 0 {
		n.CustomAttributes = nil
	}
	return n
}

// sayingOf returns what a notification says, which tells it from the others.
func sayingOf(n notified) string {
	text := table.TextOf([]notified{alikeNotified(n)})
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
}

// told are the notifications of buckets.
type told struct{ buckets *buckets }

// notificationPart reads and writes them. Each is made and deleted by a call of its own.
func notificationPart(b *buckets) table.Part[v1alpha1.BucketParameters, bucket, parameters] {
	return table.Part[v1alpha1.BucketParameters, bucket, parameters]{
		Fields: []string{"gcp.notifications"}, Taken: table.Names{"Notifications"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			there, err := told{b}.list(ctx, req.Name)
			if err != nil {
				return err
			}
			have := make([]notified, 0, len(there))
			for _, n := range there {
				have = append(have, notificationFrom(n))
			}
			into.notifications = &have
			return nil
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *parameters, _ []driver.Change) (string, error) {
			return "", told{b}.write(ctx, req.Name, have.notifications != nil, params.Notifications)
		},
	}
}

// write makes what is missing, and then deletes what is to go: until a new one is there the old one stays, so that no event is lost. Only where a bucket
// has no room for a new one does an old one of the same events go first. One that is refused does not keep the others from being made. A new bucket is
// known to have none, so they are not listed.
func (n told) write(ctx context.Context, name string, isNew bool, change *table.Members[notified]) error {
	unset := &table.Unset{}
	for _, entry := range change.Set {
		unset.Names = append(unset.Names, sayingOf(entry))
	}
	if unset.Err = n.replace(ctx, name, isNew, change, func(made string) {
		unset.Names = slices.DeleteFunc(unset.Names, func(name string) bool { return name == made })
	}); unset.Err != nil {
		return unset
	}
	return nil
}

// replace is write. It calls made with what each notification says that it made, or may have made.
func (n told) replace(ctx context.Context, name string, isNew bool, change *table.Members[notified], made func(saying string)) error {
	var there []*raw.Notification
	if !isNew {
		var err error
		if there, err = n.list(ctx, name); err != nil {
			return err
		}
	}
	goes := func(old *raw.Notification) bool {
		return slices.Contains(change.Remove, sayingOf(notificationFrom(old)))
	}
	var refused error
	for _, entry := range change.Set {
		says := func(there *raw.Notification) bool { return sayingOf(notificationFrom(there)) == sayingOf(entry) }
		if slices.ContainsFunc(there, says) {
			made(sayingOf(entry))
			continue
		}
		left, why, err := n.make(ctx, name, entry, there, goes)
		if !driver.CodeOf(cmp.Or(err, why)).SetsNothing() {
			made(sayingOf(entry))
		}
		if err != nil {
			return err
		}
		there, refused = left, cmp.Or(refused, why)
	}
	if refused != nil {
		return refused
	}
	for _, old := range there {
		if goes(old) {
			if err := n.remove(ctx, name, old.Id); err != nil {
				return err
			}
		}
	}
	return nil
}

// make makes a notification, in the room of such as go if need be. It returns those that are there then, and why the new one was refused.
func (n told) make(ctx context.Context, name string, entry notified, there []*raw.Notification, goes func(*raw.Notification) bool) (now []*raw.Notification, refused, err error) {
	left, gone, err := n.makeRoom(ctx, name, entry, there, goes)
	if err != nil {
		return nil, nil, err
	}
	refused = n.insert(ctx, name, entry)
	switch {
	case refused == nil:
		return append(left, notificationTo(entry)), nil, nil
	case len(gone) == 0:
		return left, refused, nil
	}
	refused = n.restore(ctx, name, gone, refused)
	now, err = n.list(ctx, name) // those that were made again have other ids
	if err != nil {
		return nil, nil, refused
	}
	return now, refused, nil
}

// makeRoom deletes notifications that go anyway, of events of which the bucket has as many as it can, and returns those that are left and those that it deleted. It
// deletes none where that would not be room enough: others have it, and the answer to the insertion says so.
func (n told) makeRoom(ctx context.Context, name string, entry notified, there []*raw.Notification, goes func(*raw.Notification) bool) (left, deleted []*raw.Notification, err error) {
	left = there
	for event := fullFor(entry, left); event != ""; event = fullFor(entry, left) {
		at := slices.IndexFunc(left, func(old *raw.Notification) bool {
			return goes(old) && slices.Contains(eventsOf(notificationFrom(old)), event)
		})
		if at < 0 {
			return there, nil, nil
		}
		deleted, left = append(deleted, left[at]), slices.Delete(slices.Clone(left), at, at+1)
	}
	for i, old := range deleted {
		if err := n.remove(ctx, name, old.Id); err != nil {
			return nil, nil, n.restore(ctx, name, deleted[:i], err)
		}
	}
	return left, deleted, nil
}

// restore makes notifications again that made room for one that was refused: until there is a new one the old ones tell. It returns why that was refused, and
// which it could not make again. They still go, at the next try.
func (n told) restore(ctx context.Context, name string, deleted []*raw.Notification, refused error) error {
	var lost []string
	for _, old := range deleted {
		if n.insert(ctx, name, notificationFrom(old)) != nil {
			lost = append(lost, notificationFrom(old).Topic)
		}
	}
	if len(lost) == 0 {
		return refused
	}
	e := *driver.ErrorOf(refused)
	e.Message += "; to make room, Mooring deleted notifications that were to go, and could not make them again: nobody tells " + strings.Join(lost, ", ") + " of the bucket's events now"
	return &e
}

// fullFor returns an event of a notification of which a bucket has as many as it can; empty if there is room. https://cloud.google.com/storage/docs/pubsub-notifications
func fullFor(entry notified, there []*raw.Notification) string {
	of := map[string]int{}
	for _, n := range there {
		for _, event := range eventsOf(notificationFrom(n)) {
			of[event]++
		}
	}
	events := eventsOf(entry)
	if at := slices.IndexFunc(events, func(event string) bool { return of[event] >= mostOfAnEvent }); at >= 0 {
		return events[at]
	}
	return ""
}

// list returns all notifications of a bucket, the oldest first.
func (n told) list(ctx context.Context, name string) ([]*raw.Notification, error) {
	list, err := session.Do(ctx, n.buckets.Caller, "notifications.list", func(ctx context.Context) (*raw.Notifications, error) {
		return n.buckets.folders.Notifications.List(name).Context(ctx).Do(n.buckets.payment(name)...)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(x, y *raw.Notification) int {
		return cmp.Or(cmp.Compare(len(x.Id), len(y.Id)), cmp.Compare(x.Id, y.Id)) // ids are numbers
	})
	return list.Items, nil
}

func (n told) insert(ctx context.Context, name string, entry notified) error {
	_, err := session.Do(ctx, n.buckets.Caller, "notifications.insert", func(ctx context.Context) (*raw.Notification, error) {
		return n.buckets.folders.Notifications.Insert(name, notificationTo(entry)).Context(ctx).Do(n.buckets.payment(name)...)
	})
	return adviseTopic(err, entry.Topic)
}

// remove deletes one; one that is gone is no error.
func (n told) remove(ctx context.Context, name, id string) error {
	_, err := session.Do(ctx, n.buckets.Caller, "notifications.delete", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, n.buckets.folders.Notifications.Delete(name, id).Context(ctx).Do(n.buckets.payment(name)...)
	})
	return session.UnlessNotFound(err)
}

// adviseTopic says what to do about a topic that Cloud Storage can't publish to. It denies that with 403 or refuses it with 400, and the permission that is missing is
// not one of Mooring's own. https://cloud.google.com/storage/docs/reporting-changes#prereqs
func adviseTopic(err error, topic string) error {
	if err == nil || !strings.Contains(err.Error(), "Pub/Sub") {
		return err
	}
	e := *driver.ErrorOf(err)
	e.Code = driver.Invalid
	e.Message = "grant the service agent of Cloud Storage, which gcloud storage service-agent prints, roles/pubsub.publisher on " + topic +
		" (gcloud pubsub topics add-iam-policy-binding), or name a topic that exists in spec.gcp.notifications; Cloud Storage says: " + e.Message
	return &e
}

// notificationTo returns a notification as Cloud Storage takes it.
func notificationTo(n notified) *raw.Notification {
	n = alikeNotified(n)
	out := &raw.Notification{Topic: topicHost + n.Topic, EventTypes: n.EventTypes, PayloadFormat: *n.PayloadFormat}
	if n.ObjectNamePrefix != nil {
		out.ObjectNamePrefix = *n.ObjectNamePrefix
	}
	for name, value := range n.CustomAttributes {
		if out.CustomAttributes == nil {
			out.CustomAttributes = map[string]string{}
		}
		out.CustomAttributes[name] = string(value)
	}
	return out
}

// notificationFrom returns a notification as a spec says it.
func notificationFrom(n *raw.Notification) notified {
	out := notified{Topic: strings.TrimPrefix(n.Topic, topicHost), EventTypes: n.EventTypes, ObjectNamePrefix: resource.Present(n.ObjectNamePrefix), PayloadFormat: resource.Present(n.PayloadFormat)}
	for name, value := range n.CustomAttributes {
		if out.CustomAttributes == nil {
			out.CustomAttributes = map[string]v1alpha1.AttributeValue{}
		}
		out.CustomAttributes[name] = v1alpha1.AttributeValue(value)
	}
	return out
}

// checkNotifications refuses two notifications that say the same, of which Cloud Storage would take both and send each message twice, and more for an event than a
// bucket can have. https://cloud.google.com/storage/docs/pubsub-notifications
func checkNotifications(spec *v1alpha1.BucketParameters) error {
	seen, of := map[string]bool{}, map[string]int{}
	for _, n := range gcpOf(spec).Notifications {
		saying := sayingOf(n)
		if seen[saying] {
			return table.Fields{"gcp.notifications"}.Refuse("spec.gcp.notifications has two entries that say the same, so that %s would get each message twice: remove one of them, or give it other customAttributes", n.Topic)
		}
		seen[saying] = true
		for _, event := range eventsOf(n) {
			if of[event]++; of[event] > mostOfAnEvent {
				return table.Fields{"gcp.notifications"}.Refuse("spec.gcp.notifications has more than %d entries for %s, and a bucket of Cloud Storage can have no more: remove some, or have several subscriptions of one topic", mostOfAnEvent, event)
			}
		}
	}
	return nil
}
