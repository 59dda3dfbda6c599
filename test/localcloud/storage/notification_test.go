package storage_test

import (
	"testing"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestStorageNotifications(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	const path = "/storage/v1/b/acme-notifying/notificationConfigs"
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-notifying","location":"us-east1"}`, nil), 0, "")
	list := func(want int) raw.Notifications {
		t.Helper()
		var got raw.Notifications
		sdk.WantGCP(t, g.Send(t, "GET", path, "", &got), 0, "")
		if len(got.Items) != want {
			t.Errorf("%d notifications, want %d", len(got.Items), want)
		}
		return got
	}
	list(0)
	const uploads = `{"topic":"projects/acme/topics/uploads","payload_format":"JSON_API_V1"}`
	var made raw.Notification
	sdk.WantGCP(t, g.Send(t, "POST", path, uploads, &made), 0, "")
	if made.Id != "1" || made.Topic != "//pubsub.googleapis.com/projects/acme/topics/uploads" || made.Kind != "storage#notification" {
		t.Errorf("made %+v", made)
	}
	sdk.WantGCP(t, g.Send(t, "POST", path, uploads, nil), 0, "") // one that says the same is another one
	list(2)
	sdk.WantGCP(t, g.Send(t, "GET", path+"/1", "", nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "DELETE", path+"/1", "", nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "DELETE", path+"/1", "", nil), 404, "notFound")
	sdk.WantGCP(t, g.Send(t, "GET", path+"/1", "", nil), 404, "notFound")
	if left := list(1); left.Items[0].Id != "2" {
		t.Errorf("left is %+v", left.Items[0])
	}
	for body, want := range map[string]struct {
		status int
		reason string
	}{
		`{"topic":"uploads","payload_format":"NONE"}`:                                                           {400, "invalid"},
		`{"topic":"projects/acme/topics/uploads"}`:                                                              {400, "invalid"},
		`{"topic":"projects/acme/topics/uploads","payload_format":"NONE","event_types":["OBJECT_READ"]}`:        {400, "invalid"},
		`{"topic":"projects/acme/topics/no-such-topic","payload_format":"NONE"}`:                                {403, "forbidden"},
		`{"topic":"projects/acme/topics/deaf-uploads","payload_format":"NONE","event_types":["OBJECT_DELETE"]}`: {403, "forbidden"},
	} {
		sdk.WantGCP(t, g.Send(t, "POST", path, body, nil), want.status, want.reason)
	}
	for range 9 {
		sdk.WantGCP(t, g.Send(t, "POST", path, uploads, nil), 0, "")
	}
	sdk.WantGCP(t, g.Send(t, "POST", path, uploads, nil), 400, "invalid") // the eleventh for an event
	sdk.WantGCP(t, g.Send(t, "GET", "/storage/v1/b/no-such-bucket/notificationConfigs", "", nil), 404, "notFound")
}
