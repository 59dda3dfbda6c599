package recordings

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// A sending is a case on its way through the driver, which makes each recorded change from a spec.
type sending[S any] struct {
	*testing.T
	*replay
	title   string
	steps   []exchange
	cloud   table.External[S]
	nameOf  func(exchange) string
	entries []*known
	failed  []difference // what the driver refused of the newest change
}

// judge holds the driver's calls to the recorded one.
func (s *sending[S]) judge(step exchange, before, after json.RawMessage) {
	s.Helper()
	call := s.title + "/" + s.nameOf(step)
	for _, left := range judge(s.entries, call, append(judgeSent(s.T, s.nameOf, step, s.writes(), before, after), s.failed...)) {
		s.Errorf("%s: %v", call, left)
	}
	s.failed = nil
}

// make lets the driver make a change: from what the answers before it show to what those after it show. It creates where before is nil.
func (s *sending[S]) make(name string, before, after []exchange, step exchange, ready func(*table.Request[S])) {
	s.Helper()
	req := table.Request[S]{Request: driver.Request{Name: name, Location: "us-central1", Whole: true, Mark: driver.Mark{Cluster: "recorded", Namespace: "recorded", Name: "recorded", UID: "recorded"}}}
	former := json.RawMessage(`{}`)
	observe := func(answers []exchange) driver.Observation {
		for _, a := range answers {
			s.answer(a)
		}
		seen, err := s.cloud.Observe(s.Context(), req)
		if err != nil || seen.State != driver.Ready {
			s.Errorf("%s: observed %v, error %v", s.nameOf(step), seen.State, err)
		}
		return seen
	}
	if before != nil { // what is there is what an earlier spec asked for
		former = observe(before).Mirror
		if err := json.Unmarshal(wanted(s.T, former, former), &req.Spec); err != nil {
			s.Fatal(err)
		}
		req.Applied = observe(before).Applied
		req.Spec = *new(S)
	}
	there := observe(after)
	if err := json.Unmarshal(wanted(s.T, there.Mirror, former), &req.Spec); err != nil {
		s.Fatal(err)
	}
	if ready != nil {
		ready(&req)
	}
	req.Location = there.Location
	if before == nil {
		s.answer(step)
		s.writes()
		if _, err := s.cloud.Create(s.Context(), req); err != nil {
			s.Errorf("%s: %v", s.nameOf(step), err)
		}
		return
	}
	seen := observe(before)
	req.ID, req.Whole = seen.ID, false
	s.answer(step)
	s.writes()
	if len(seen.Changes) == 0 {
		return
	}
	result, err := s.cloud.Update(s.Context(), req, driver.Edit{Changes: seen.Changes})
	for _, failed := range result.Failed {
		if driver.CodeOf(failed.Err) != driver.Busy { // which waits for what was begun
			s.failed = append(s.failed, difference{"refused " + failed.Field, nil, failed.Err.Error()})
		}
	}
	if err != nil && step.Status == http.StatusOK {
		s.Errorf("%s: %v", s.nameOf(step), err)
	}
}

// nextGet returns the next recorded answer of a path after a step; ok is false if there is none.
func nextGet(steps []exchange, after int, path string) (exchange, bool) {
	i := slices.IndexFunc(steps[after+1:], func(e exchange) bool {
		return e.Method == http.MethodGet && e.Status == http.StatusOK && resource(e.Path) == path
	})
	if i < 0 {
		return exchange{}, false
	}
	return steps[after+1+i], true
}

// TestBucketsSent lets the driver make the changes of the recordings of Cloud Storage.
func TestBucketsSent(t *testing.T) {
	whole := true
	for _, file := range []string{"gcs.json", "more/gcs-2019.json"} {
		whole = each(t, file, sent, func(t *testing.T, name string, steps []exchange) {
			server, conn := newReplay(t)
			s := &bucketSending{sending: sending[v1alpha1.BucketParameters]{T: t, replay: server, title: name, steps: steps, cloud: drivertest.Buckets(conn), nameOf: bucketCall, entries: knownOfSentBuckets}}
			for i, step := range steps {
				s.step(i, step)
			}
		}) && whole
	}
	if whole {
		wantNoStale(t, knownOfSentBuckets)
	}
}

// A bucketSending is a case of Cloud Storage.
type bucketSending struct {
	sending[v1alpha1.BucketParameters]
	bucket exchange // the newest answer that shows it
}

// shows makes a GET of an answer that shows a bucket, or what belongs to it.
func shows(path string, response json.RawMessage) exchange {
	return exchange{Method: http.MethodGet, Path: "/storage/v1" + path, Status: http.StatusOK, Response: response}
}

// step lets the driver make a recorded call.
func (s *bucketSending) step(i int, step exchange) {
	parts := step.segments()
	name := stringAt(object(s.T, step.Request), "name")
	if len(parts) > 1 {
		name = parts[1]
	}
	path := "/b/" + name
	if s.bucket.Response == nil { // nobody recorded these of a new bucket
		s.answer(shows(path+"/iam", json.RawMessage(`{"kind": "storage#policy", "version": 1, "etag": "CAE="}`)))
		s.answer(shows(path+"/notificationConfigs", json.RawMessage(`{"kind": "storage#notifications"}`)))
	}
	before := []exchange{s.bucket}
	switch call := bucketCall(step); call {
	case "buckets.get":
		if step.Status == http.StatusOK {
			s.bucket = shows(path, step.Response)
		}
		s.answer(step)
	case "buckets.insert":
		s.bucket = shows(path, step.Response)
		patched := step // the driver sets a filter by a call of its own
		patched.Method, patched.Path = http.MethodPatch, s.bucket.Path
		s.answer(patched)
		s.make(name, nil, []exchange{s.bucket}, step, nil)
		s.judge(step, nil, step.Response)
	case "buckets.patch":
		if step.Status != http.StatusOK {
			return // a refusal shows no state that a spec could ask for
		}
		s.bucket = shows(path, step.Response)
		s.make(name, before, []exchange{s.bucket}, step, nil)
		s.judge(step, before[0].Response, step.Response)
	case "buckets.delete":
		s.answer(step)
		s.writes()
		if _, err := s.cloud.Delete(s.Context(), bucketRequest{Request: driver.Request{Name: name, Location: "us-central1"}}); err != nil && step.Status < http.StatusBadRequest {
			s.Errorf("%s: %v", call, err)
		}
		s.judge(step, nil, nil)
	case "iam.get", "notifications.get":
		s.answer(step)
	case "iam.update", "notifications.insert", "notifications.delete":
		s.companion(i, name, step)
	case "lockRetentionPolicy.insert":
		if step.Status == http.StatusOK {
			after := shows(path, step.Response)
			s.make(name, before, []exchange{after}, step, nil)
			s.judge(step, nil, nil)
			s.bucket = after
		}
	case "objects.list", "bucketAccessControls", "iam/testPermissions.get":
	default:
		s.Errorf("no test for %s", call)
	}
}

// companion lets the driver change what belongs to a bucket and has calls of its own.
func (s *bucketSending) companion(i int, name string, step exchange) {
	list := "/b/" + name + "/" + strings.Split(step.segments()[2], "/")[0]
	none := shows(list, json.RawMessage(`{"kind": "storage#notifications"}`))
	later, recorded := nextGet(s.steps, i, list)
	former, had := s.answers["GET "+list]
	if !had || former.Status != http.StatusOK {
		former = none
	}
	if !recorded {
		later = none
		if step.Method == http.MethodPost {
			later = shows(list, json.RawMessage(`{"kind": "storage#notifications", "items": [`+string(step.Response)+`]}`))
		}
	}
	if strings.HasPrefix(bucketCall(step), "notifications.delete") && !recorded { // the one that was made last
		made, _ := nextGet(s.steps, 0, list+"/"+step.segments()[3])
		entry := object(s.T, made.Response)
		entry["id"] = step.segments()[3] // those who recorded it blanked the id in the answer alone
		text, _ := json.Marshal(entry)
		former = shows(list, json.RawMessage(`{"kind": "storage#notifications", "items": [`+string(text)+`]}`))
	}
	s.make(name, []exchange{s.bucket, former}, []exchange{s.bucket, later}, step, nil)
	s.judge(step, former.Response, later.Response)
	s.answer(later)
}

// TestDatabasesSent lets the driver make the changes of the recordings of Cloud SQL.
func TestDatabasesSent(t *testing.T) {
	whole := each(t, "cloudsql.json", sent, func(t *testing.T, name string, steps []exchange) {
		server, conn := newReplay(t)
		s := &databaseSending{sending: sending[v1alpha1.DatabaseParameters]{T: t, replay: server, title: name, steps: steps, cloud: drivertest.Databases(conn), nameOf: databaseCall, entries: knownOfSentDatabases}}
		for i, step := range steps {
			s.step(i, step)
		}
	})
	if whole {
		wantNoStale(t, knownOfSentDatabases)
		wantNoStaleCalls(t, unsentToDatabases)
	}
}

// A databaseSending is a case of Cloud SQL.
type databaseSending struct {
	sending[v1alpha1.DatabaseParameters]
}

// step lets the driver make a recorded call.
func (s *databaseSending) step(i int, step exchange) {
	parts, call := step.segments(), databaseCall(step)
	name := stringAt(object(s.T, step.Request), "name")
	if len(parts) > 3 {
		name = parts[3]
	}
	path := "/projects/" + project + "/instances/" + name
	if step.Method != http.MethodGet && setAside(unsentToDatabases, s.title+"/"+call) {
		return
	}
	switch before := s.answers["GET "+path]; call {
	case "instances.get", "operations.get", "users.list", "databases.get":
		s.answer(step)
	case "instances.insert":
		after, _ := nextGet(s.steps, i, path)
		s.make(name, nil, []exchange{after}, step, func(req *databaseRequest) { s.made(req, step) })
		s.judge(step, nil, after.Response)
	case "instances.patch", "instances.update":
		after, _ := nextGet(s.steps, i, path)
		patched := step
		patched.Method = http.MethodPatch
		s.answer(patched)
		s.answer(exchange{Method: http.MethodPost, Path: "/sql/v1beta4" + path + "/preCheckMajorVersionUpgrade", Status: http.StatusOK, Response: step.Response})
		s.make(name, []exchange{before}, []exchange{after}, step, nil)
		s.judge(step, before.Response, after.Response)
	case "instances.delete":
		s.answer(step)
		s.writes()
		if _, err := s.cloud.Delete(s.Context(), databaseRequest{Request: driver.Request{Name: name, Location: "us-central1"}}); err != nil {
			s.Errorf("%s: %v", call, err)
		}
		s.judge(step, nil, nil)
	default:
		s.companion(step, name)
	}
}

// made adds to a request for an instance what no spec says: the password, or the primary of a read replica.
func (s *databaseSending) made(req *databaseRequest, step exchange) {
	_, primary, replica := strings.Cut(stringAt(object(s.T, step.Request), "masterInstanceName"), ":")
	if !replica {
		req.Login.Password = "recorded"
		return
	}
	of := s.answers["GET /projects/"+project+"/instances/"+primary]
	req.Restore = &driver.Restore{Follows: true, Source: driver.ParentRef{Name: primary, ID: stringAt(object(s.T, of.Response), "createTime")}}
}

// companion lets the driver make the database or the user that was recorded.
func (s *databaseSending) companion(step exchange, name string) {
	s.answer(step)
	asked, req, edit := object(s.T, step.Request), databaseRequest{Request: driver.Request{Name: name, Location: "us-central1"}}, driver.Edit{}
	switch call := databaseCall(step); call {
	case "databases.insert":
		req.Spec.DatabaseName, edit.Changes = new(stringAt(asked, "name")), []driver.Change{{Field: "databaseName"}}
	case "users.insert":
		req.Login = driver.Login{Username: stringAt(asked, "name"), Password: stringAt(asked, "password")}
		edit.Changes = []driver.Change{{Field: driver.FieldUsername}}
	case "users.update":
		req.Login = driver.Login{Username: stringAt(asked, "name"), Password: stringAt(asked, "password")}
		edit.Password = driver.SetPassword
	default:
		s.Errorf("no test for %s", call)
		return
	}
	s.writes()
	if result, err := s.cloud.Update(s.Context(), req, edit); err != nil || len(result.Failed) > 0 || result.PasswordFailed != nil {
		s.Errorf("%s: %v, failed %v, the password: %v", databaseCall(step), err, result.Failed, result.PasswordFailed)
	}
	s.judge(step, nil, nil)
}
