package gcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type notified = v1alpha1.BucketNotificationGCP

// topic is a topic that Cloud Storage may publish to.
const topic = "projects/mooring-test/topics/"

func notifying(list ...notified) *v1alpha1.BucketGCP {
	return &v1alpha1.BucketGCP{Notifications: append([]notified{}, list...)}
}

// notifications returns those of a bucket.
func (c *cloud) notifications(t testing.TB, name string) []*storage.Notification {
	t.Helper()
	list, err := c.storage.Notifications.List(name).UserProject(project).Do()
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// notify makes a notification, as somebody else does.
func (c *cloud) notify(t testing.TB, name string, n notified) {
	t.Helper()
	made := &storage.Notification{Topic: n.Topic, EventTypes: n.EventTypes, PayloadFormat: "JSON_API_V1"}
	if n.ObjectNamePrefix != nil {
		made.ObjectNamePrefix = *n.ObjectNamePrefix
	}
	if n.PayloadFormat != nil {
		made.PayloadFormat = *n.PayloadFormat
	}
	for k, v := range n.CustomAttributes {
		made.CustomAttributes = map[string]string{k: string(v)}
	}
	if _, err := c.storage.Notifications.Insert(name, made).UserProject(project).Do(); err != nil {
		t.Fatal(err)
	}
}

// editNotifications leaves a bucket with these notifications alone.
func (c *cloud) editNotifications(t testing.TB, name string, want []notified) {
	t.Helper()
	for _, n := range c.notifications(t, name) {
		if err := c.storage.Notifications.Delete(name, n.Id).UserProject(project).Do(); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range want {
		c.notify(t, name, n)
	}
}

// topics returns the topics of a bucket's notifications, sorted, without the project.
func (c *cloud) topics(t testing.TB, name string) (names []string) {
	t.Helper()
	for _, n := range c.notifications(t, name) {
		names = append(names, strings.TrimPrefix(n.Topic, "//pubsub.googleapis.com/"+topic))
	}
	slices.Sort(names)
	return names
}

// Notifications of others survive that ours are added, changed, removed and released.
func TestNotificationsOfOthersStay(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "shared")
	c.notify(t, "shared", notified{Topic: topic + "audit"})
	ours := notified{Topic: topic + "uploads", EventTypes: []string{"OBJECT_FINALIZE"}}
	other := ours
	other.ObjectNamePrefix = new("photos/")
	for _, step := range []struct {
		name string
		spec *v1alpha1.BucketGCP
		want []string
	}{
		{"added", notifying(ours), []string{"audit", "uploads"}},
		{"changed", notifying(other), []string{"audit", "uploads"}},
		{"removed", notifying(), []string{"audit"}},
		{"added again", notifying(ours), []string{"audit", "uploads"}},
		{"released", nil, []string{"audit", "uploads"}},
		{"none, where nothing is ours any more", notifying(), []string{"audit", "uploads"}},
		{"the one of others in other words", notifying(notified{Topic: topic + "audit", EventTypes: []string{"OBJECT_FINALIZE", "OBJECT_ARCHIVE", "OBJECT_DELETE", "OBJECT_METADATA_UPDATE"}}), []string{"audit", "uploads"}},
		{"which was taken over", notifying(), []string{"uploads"}},
	} {
		req.Spec.GCP = step.spec
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
			t.Fatal(err)
		}
		if obs, err = x.Observe(t.Context(), req); err != nil || len(obs.Changes) != 0 {
			t.Errorf("%s: changes %v, %v", step.name, obs.Changes, err)
		}
		req.Applied = obs.Applied
		if diff := cmp.Diff(step.want, c.topics(t, "shared")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// A notification whose answer was lost is not made again: what it says finds it.
func TestALostNotificationIsFound(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "lost")
	req.Spec.GCP = notifying(notified{Topic: topic + "uploads"}, notified{Topic: topic + "events"})
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "notifications.insert"}, Kind: localcloud.ResponseLost, Times: 1})
	for range 3 {
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}) // the first one fails
	}
	lift()
	if diff := cmp.Diff([]string{"events", "uploads"}, c.topics(t, "lost")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Nor where the caller believes that it is missing still.
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "gcp.notifications", Entries: true}}}); err != nil {
		t.Fatal(err)
	}
	if got := c.topics(t, "lost"); len(got) != 2 {
		t.Errorf("the bucket has %v", got)
	}
}

// A bucket that has as many notifications of an event as it can still takes an edit: an old one of ours goes first, and none of others.
func TestNotificationsOfAFullBucket(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "full")
	c.notify(t, "full", notified{Topic: topic + "audit"})
	list := func(n int, topicName string) *v1alpha1.BucketGCP {
		all := make([]notified, n)
		for i := range all {
			all[i] = notified{Topic: topic + topicName, ObjectNamePrefix: new(string(rune('a' + i))), EventTypes: []string{"OBJECT_FINALIZE"}}
		}
		return notifying(all...)
	}
	for _, step := range []struct {
		spec *v1alpha1.BucketGCP
		fits bool
	}{{list(9, "uploads"), true}, {list(9, "events"), true}, {list(10, "events"), false}, {list(8, "uploads"), true}} {
		req.Spec.GCP = step.spec
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
		if err != nil || len(result.Failed) == 0 != step.fits {
			t.Fatalf("%d: %v, failed %v", len(step.spec.Notifications), err, result.Failed)
		}
		if obs, err = x.Observe(t.Context(), req); err != nil || len(obs.Changes) == 0 != step.fits {
			t.Errorf("%d: changes %v, %v", len(step.spec.Notifications), obs.Changes, err)
		}
		req.Applied = obs.Applied
		if got := c.topics(t, "full"); got[0] != "audit" {
			t.Errorf("%d: that of others is gone: %v", len(step.spec.Notifications), got)
		}
	}
}

// Room is made only where it is enough for the new one, and what made room for one that is refused is made again.
func TestNoNotificationIsLostToMakeRoom(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	ours := notified{Topic: topic + "uploads", EventTypes: []string{"OBJECT_FINALIZE"}}
	for name, tt := range map[string]struct {
		wanted  []notified
		deleted bool // for a moment
	}{
		"others-have-room": {[]notified{{Topic: topic + "events", EventTypes: []string{"OBJECT_FINALIZE", "OBJECT_METADATA_UPDATE"}}}, false},
		"refused":          {[]notified{{Topic: topic + "no-such-topic", EventTypes: []string{"OBJECT_FINALIZE"}}}, true},
		"refused-twice":    {[]notified{{Topic: topic + "no-such-topic", EventTypes: []string{"OBJECT_FINALIZE"}}, {Topic: topic + "deaf-events", EventTypes: []string{"OBJECT_FINALIZE"}}}, true},
	} {
		x, req := c.madeBucket(t, name)
		for i := range 10 {
			n := notified{Topic: topic + "audit", ObjectNamePrefix: new(string(rune('a' + i))), EventTypes: []string{"OBJECT_METADATA_UPDATE", "OBJECT_FINALIZE"}}
			if i == 9 {
				n.EventTypes = n.EventTypes[:1]
			}
			c.notify(t, name, n)
		}
		req.Spec.GCP = notifying(ours)
		obs := c.converge(t, req)
		req.Applied = obs.Applied
		want := c.topics(t, name)
		before := c.Ledger.Count(localcloud.Filter{Operation: "notifications.delete"})
		req.Spec.GCP = notifying(tt.wanted...)
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
		if err != nil || len(result.Failed) != 1 {
			t.Errorf("%s: %v, failed %v", name, err, result.Failed)
		}
		if diff := cmp.Diff(want, c.topics(t, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if n := c.Ledger.Count(localcloud.Filter{Operation: "notifications.delete"}) - before; n > 0 != tt.deleted {
			t.Errorf("%s: %d deletions", name, n)
		}
	}
}

// A topic that Cloud Storage can't publish to is refused by the field, with advice. The others are made, and until all are, none is deleted.
func TestTopicsThatAreRefused(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "refused")
	was := notified{Topic: topic + "uploads"}
	c.notify(t, "refused", was)
	req.Spec.GCP = notifying(was)
	obs, err := x.Observe(t.Context(), req)
	if err != nil || len(obs.Changes) != 0 {
		t.Fatal(obs.Changes, err)
	}
	req.Applied = obs.Applied
	for _, name := range []string{"no-such-topic", "deaf-events"} {
		req.Spec.GCP = notifying(notified{Topic: topic + name}, notified{Topic: topic + "events"})
		if obs, err = x.Observe(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "gcp.notifications" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%s: %v, failed %v; want gcp.notifications, Invalid", name, err, result.Failed)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, "roles/pubsub.publisher on "+topic+name) || !strings.Contains(message, "Cloud Storage says: ") {
			t.Errorf("%s: %q says nothing of the role", name, message)
		}
		if diff := cmp.Diff([]string{"events", "uploads"}, c.topics(t, "refused")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A new bucket is known to have none: each costs one call.
func TestNotificationsOfANewBucket(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "first")
	req.Name = "fresh"
	req.Spec.GCP = notifying(notified{Topic: topic + "uploads"}, notified{Topic: topic + "events"})
	before := c.count(localcloud.Any)
	if _, err := x.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if n := c.count(localcloud.Any) - before; n != 3 {
		t.Errorf("it took %d calls, want the creation and one for each", n)
	}
	if diff := cmp.Diff([]string{"events", "uploads"}, c.topics(t, "fresh")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What would send each message twice, and what is more than a bucket can have, is refused before anybody sent it.
func TestNotificationsThatCannotBe(t *testing.T) {
	eleven := make([]notified, 11)
	for i := range eleven {
		eleven[i] = notified{Topic: topic + "events", ObjectNamePrefix: new(string(rune('a' + i)))}
	}
	for name, tt := range map[string]struct {
		list []notified
		says string // empty if it can be
	}{
		"one twice, in other words":  {[]notified{{Topic: topic + "events"}, {Topic: topic + "events", PayloadFormat: new("JSON_API_V1")}}, "two entries that say the same"},
		"one topic for two prefixes": {[]notified{{Topic: topic + "events", ObjectNamePrefix: new("a")}, {Topic: topic + "events", ObjectNamePrefix: new("b")}}, ""},
		"eleven for an event":        {eleven, "more than 10 entries for OBJECT_ARCHIVE"},
	} {
		raw, err := json.Marshal(v1alpha1.BucketParameters{GCP: notifying(tt.list...)})
		if err != nil {
			t.Fatal(err)
		}
		refusals, err := gcp.New(gcp.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: location})
		if err != nil || tt.says == "" != (len(refusals) == 0) || tt.says != "" && !strings.Contains(refusals[0].Message, tt.says) {
			t.Errorf("%s: %v, %v; want %q", name, refusals, err, tt.says)
		}
	}
}
