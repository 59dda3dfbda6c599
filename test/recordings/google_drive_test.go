package recordings

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2/google"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// volatile are the fields of Google's answers that differ each time: ids, times, links, certificates, addresses, and the texts of errors,
// of which the reasons count.
var volatile = []string{
	"etag", "*.etag", "id", "*.id", "generation", "selfLink", "*.selfLink", "targetLink", "projectNumber", "createTime", "*.createTime", "*.expirationTime", "*.effectiveTime", "*.lockedTime", "*.toggleTime", "*UpdateTime", "insertTime", "*.insertTime", "startTime", "endTime", "*.endTime", "*.updated", "updated", "timeCreated",
	"serviceAccountEmailAddress", "serverCaCert.*", "*.ipAddress", "user", "settings.settingsVersion", "error.message", `error.errors\[].message`,
	"databaseInstalledVersion", "gceZone",
}

// driveGoogle sends the recorded requests of every case to a stand-in, and compares what it answers.
func driveGoogle(t *testing.T, file string, nameOf func(exchange) string, entries []*known) {
	whole := each(t, file, driven, func(t *testing.T, name string, steps []exchange) {
		now := time.Now() // tokens are valid by the wall clock; the clouds' clock stands still from here on
		cloud := startLocal(t, localcloud.Options{Now: func() time.Time { return now }})
		config, err := google.JWTConfigFromJSON(cloud.GCPKey(project), "https://www.googleapis.com/auth/cloud-platform")
		if err != nil {
			t.Fatal(err)
		}
		config.TokenURL = cloud.GCPEndpoint() + "/token"
		d := &drive{client: config.Client(context.Background()), endpoint: cloud.GCPEndpoint()}
		for i, step := range steps {
			call := name + "/" + nameOf(step)
			for _, left := range judge(entries, call, d.send(t, step)) {
				t.Errorf("step %d: %s: %v", i, call, left)
			}
		}
	})
	if whole {
		wantNoStale(t, entries)
	}
}

// A drive is one case on its way through a stand-in.
type drive struct {
	client    *http.Client
	endpoint  string
	operation string // the name of the last one that the stand-in began
	version   string // of an instance's settings, as the stand-in counts them
	asked     bool   // for a time of the backups, which Cloud SQL chooses otherwise
}

// send makes one recorded call, and returns how the answer differs from the recorded one.
func (d *drive) send(t *testing.T, step exchange) []difference {
	t.Helper()
	path, body := step.Path, step.Request
	if strings.Contains(path, "/operations/") {
		path = path[:strings.LastIndex(path, "/")+1] + d.operation
	}
	if d.version != "" {
		body = bytes.ReplaceAll(body, []byte(`"settingsVersion": "123"`), []byte(`"settingsVersion": "`+d.version+`"`))
	}
	if string(body) == "null" {
		body = nil
	}
	request, err := http.NewRequestWithContext(t.Context(), step.Method, d.endpoint+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := d.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != step.Status {
		return []difference{{"status", step.Status, string(raw)}}
	}
	var recorded, answered any
	if len(step.Response) > 0 {
		if err := json.Unmarshal(step.Response, &recorded); err != nil {
			t.Fatal(err)
		}
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &answered); err != nil {
			t.Fatalf("%s %s: %s: %v", step.Method, path, raw, err)
		}
	}
	ignored := volatile
	if d.asked = d.asked || bytes.Contains(step.Request, []byte(`"startTime"`)); !d.asked {
		ignored = append(slices.Clone(ignored), "settings.backupConfiguration.startTime")
	}
	switch stringAt(answered, "kind") {
	case "sql#operation":
		d.operation = stringAt(answered, "name")
		ignored = append(slices.Clone(ignored), "name")
	case "sql#instance":
		d.version = stringAt(answered, "settings", "settingsVersion")
	}
	return compare(recorded, answered, ignored)
}

func TestBucketsDriven(t *testing.T) { driveGoogle(t, "gcs.json", bucketCall, knownOfBuckets) }

func TestDatabasesDriven(t *testing.T) {
	driveGoogle(t, "cloudsql.json", databaseCall, knownOfDatabases)
}
