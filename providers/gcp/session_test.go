package gcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A tenant writes the key: nothing in it may send our requests anywhere.
func TestKeysNameNoPlaces(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	var hits atomic.Int64
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer evil.Close()
	var key map[string]string
	if err := json.Unmarshal(c.GCPKey(project), &key); err != nil {
		t.Fatal(err)
	}
	key["token_uri"], key["auth_uri"], key["universe_domain"] = evil.URL, evil.URL, strings.TrimPrefix(evil.URL, "http://")
	raw, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	cfg := c.config(project)
	cfg.Credentials = map[string][]byte{v1alpha1.SecretKeyGCPCredentials: raw}
	conn, err := c.driver().Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := conn.Identity(t.Context()); err != nil || got != project {
		t.Errorf("Identity: %q, %v", got, err)
	}
	if _, err := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "some-bucket"}}); err != nil {
		t.Errorf("Observe: %v", err)
	}
	if hits.Load() > 0 {
		t.Errorf("the key's own addresses were called %d times", hits.Load())
	}
}

func TestRevokedKeyIsDenied(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	conn := c.open(t)
	look := func() error {
		_, err := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "some-bucket"}})
		return err
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	c.RevokeGCPKey(project)
	for range 2 {
		if err := look(); driver.CodeOf(err) != driver.Denied || err == nil {
			t.Errorf("revoked: got %v, want Denied", err)
		}
	}
	if _, err := conn.Identity(t.Context()); driver.CodeOf(err) != driver.Denied || err == nil {
		t.Errorf("Identity: got %v, want Denied", err)
	}
	c.RestoreGCPKey(project)
	if err := look(); err != nil {
		t.Errorf("restored: %v", err)
	}
}

// A token that has run out is no fault of the credentials.
func TestExpiredTokenIsReplaced(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	conn := c.open(t)
	if _, err := conn.Identity(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.ExpireGCPTokens()
	req := newDatabase("expired", v1alpha1.EnginePostgres)
	if _, err := drivertest.Databases(conn).Create(t.Context(), req); err != nil { // a request with a body
		t.Errorf("Create: %v", err)
	}
}

// How long a token lasts is counted by the driver's own clock, which is far behind that of the machine here.
func TestTokensEndByTheDriversClock(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	conn := c.open(t)
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {53 * time.Minute, 1}, {8 * time.Minute, 2}} {
		c.clock.advance(step.after)
		if _, err := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "some-bucket"}}); err != nil {
			t.Fatal(err)
		}
		if n := c.Ledger.Count(localcloud.Filter{Service: "token"}); n != step.want {
			t.Errorf("%v later: %d tokens were fetched, want %d", step.after, n, step.want)
		}
	}
}

func TestOneTokenForMany(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	conn := c.open(t)
	done := make(chan error)
	for range 20 {
		go func() {
			_, err := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "some-bucket"}})
			done <- err
		}()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := c.Ledger.Count(localcloud.Filter{Service: "token"}); n != 1 {
		t.Errorf("%d tokens were fetched, want 1", n)
	}
}

// answering opens a connection to a server that gives every API call the same answer, and any token.
func answering(t *testing.T, api http.HandlerFunc) driver.Session {
	t.Helper()
	return answeringWithin(t, 2*time.Minute, api) // however busy the machine is
}

// answeringWithin is answering for calls that are given up after a time.
func answeringWithin(t *testing.T, timeout time.Duration, api http.HandlerFunc) driver.Session {
	t.Helper()
	c := newCloud(t, localcloud.Durations{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token":"t","token_type":"Bearer","expires_in":3600}`)
			return
		}
		api(w, r)
	}))
	t.Cleanup(server.Close)
	cfg := c.config(project)
	cfg.Endpoint = server.URL
	conn, err := gcp.New(gcp.Options{CallTimeout: timeout}).Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestAnswers(t *testing.T) {
	saying := func(status int, reason, words string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"code":%d,"message":%[2]q,"errors":[{"reason":%[3]q,"message":%[2]q}]}}`, status, words, reason)
		}
	}
	google := func(status int, reason string) http.HandlerFunc { return saying(status, reason, "said") }
	plain := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>a proxy</html>", status) }
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   driver.Code
	}{
		{"400", google(400, "invalid"), driver.Invalid},
		{"400, not now", google(400, "invalidState"), driver.Busy},
		{"401", google(401, "authError"), driver.Denied},
		{"403", google(403, "forbidden"), driver.Denied},
		{"403 is not absence, whatever the reason", google(403, "instanceDoesNotExist"), driver.Denied},
		{"403 for a rate", google(403, "rateLimitExceeded"), driver.Throttled},
		{"403 for a quota", google(403, "quotaExceeded"), driver.Quota},
		{"404 of somebody else", plain(404), driver.Unavailable},
		{"409", google(409, "conflict"), driver.Conflict},
		{"409 for an operation", google(409, "operationInProgress"), driver.Busy},
		{"412", saying(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold."), driver.Busy},
		{"412 of 2019", saying(412, "conditionNotMet", "Precondition Failed"), driver.Busy},
		{"412 of Cloud SQL", saying(412, "staleData", "Condition does not match."), driver.Busy},
		{"412 of an organization", saying(412, "conditionNotMet", "'us' violates constraint 'constraints/gcp.resourceLocations'"), driver.Denied},
		{"412 of an organization, in other words", saying(412, "conditionNotMet", "Constraint 'constraints/storage.bucketPolicyOnly' violated for 'projects/p' enabling legacy object ACLs"), driver.Denied},
		{"412 for a reason that nobody knows", saying(412, "somethingNew", "The bucket is not ripe."), driver.Invalid},
		{"400 of an organization", saying(400, "invalid", "Organization Policy check failure: the external IP of this instance violates the constraints/sql.restrictPublicIp enforced at the 1 project."), driver.Denied},
		{"400 of a custom constraint", saying(400, "failedPrecondition", `Operation denied by custom org policies: ["customConstraints/custom.tiers": "no large tiers"].`), driver.Denied},
		{"400 of a custom constraint, in other words", saying(400, "invalid", "The request violates constraint 'customConstraints/custom.tiers'."), driver.Denied},
		{"412 of domains", saying(412, "conditionNotMet", "One or more users named in the policy do not belong to a permitted customer."), driver.Denied},
		{"400 that is no policy", saying(400, "failedPrecondition", "said: the instance is at work"), driver.Busy},
		{"403 of a perimeter", saying(403, "forbidden", "Request is prohibited by organization's policy. vpcServiceControlsUniqueIdentifier: kaZ_1"), driver.Denied},
		{"418", google(418, "teapot"), driver.Invalid},
		{"422 for a reason that nobody knows", google(422, "somethingNew"), driver.Invalid},
		{"418 of somebody else", plain(418), driver.Internal},
		{"429", google(429, "rateLimitExceeded"), driver.Throttled},
		{"500", google(500, "backendError"), driver.Unavailable},
		{"502 of somebody else", plain(502), driver.Unavailable},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, driver.Unavailable},
		{"nothing", func(http.ResponseWriter, *http.Request) {}, driver.Unavailable},
		{"204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, driver.Unavailable},
		{"an object of others", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"ok"}`) }, driver.Unavailable},
		{"an empty object", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }, driver.Unavailable},
		{"another object of Google's", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"kind":"storage#folder"}`) }, driver.Unavailable},
		{"404 with an object of others", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"code":"notFound","error":"notFound"}`)
		}, driver.Unavailable},
		{"cut off", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, driver.Unavailable},
		{"no answer", nil, driver.Unavailable},
	} {
		var conn driver.Session
		if tt.answer == nil {
			conn = answeringWithin(t, 100*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		} else {
			conn = answering(t, tt.answer)
		}
		_, ofBucket := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "some-bucket"}})
		_, ofDatabase := drivertest.Databases(conn).Observe(t.Context(), databaseRequest{Request: driver.Request{Name: "some-instance"}})
		for _, err := range []error{ofBucket, ofDatabase} {
			told := driver.CodeOf(err) != driver.Invalid && driver.CodeOf(err) != driver.Denied || regexp.MustCompile(`said|onstraint|policy|ripe`).MatchString(err.Error())
			if err == nil || driver.CodeOf(err) != tt.want || !told || strings.Contains(err.Error(), "kaZ_1") {
				t.Errorf("%s: got %v (%v), want %v", tt.name, err, driver.CodeOf(err), tt.want)
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	conn := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"code":429,"message":"slow down","errors":[{"reason":"rateLimitExceeded"}]}}`)
	})
	_, err := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "some-bucket"}})
	if e, ok := err.(*driver.Error); !ok || e.RetryAfter != 7*time.Second { //nolint:errorlint // the driver wraps exactly once
		t.Errorf("got %#v", err)
	}
}

// Should the cloud repeat a password in its refusal, we don't.
func TestPasswordsAreNotRepeated(t *testing.T) {
	conn := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"code":400,"message":"the password canary-7f3a is too short","errors":[{"reason":"invalid"}]}}`)
	})
	_, err := drivertest.Databases(conn).Create(t.Context(), newDatabase("some-instance", v1alpha1.EnginePostgres))
	if text := fmt.Sprintf("%v %+v %#v", err, err, err); err == nil || strings.Contains(text, "canary") {
		t.Errorf("got %s", text)
	}
}

// A list whose pages lead back to themselves ends in an error, not never.
func TestPagesThatLoop(t *testing.T) {
	var lists atomic.Int64
	conn := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/backups") {
			lists.Add(1)
			fmt.Fprint(w, `{"backups":[{"description":"another"}],"nextPageToken":"again"}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"code":404,"message":"no","errors":[{"reason":"instanceDoesNotExist"}]}}`)
	})
	req := databaseRequest{Request: driver.Request{Name: "gone", Deletion: &driver.Deletion{Snapshot: "gone-final"}}}
	obs, err := drivertest.Databases(conn).Observe(t.Context(), req)
	if err == nil || obs.State != driver.Unknown || lists.Load() != 2 {
		t.Errorf("got %v, %v after %d pages", obs.State, err, lists.Load())
	}
}

func TestAmbientIsLookedForLater(t *testing.T) {
	cfg := driver.Opening{Config: driver.Config{Account: v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: project}}, Ambient: true}}
	forbidden := roundTrip(func(*http.Request) (*http.Response, error) { panic("Open made a call") })
	if _, err := gcp.New(gcp.Options{Transport: forbidden}).Open(t.Context(), cfg); err != nil {
		t.Error(err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNamesFitBesideTheProject(t *testing.T) {
	d := gcp.New(gcp.Options{}).Describe()
	databases, _ := d.Resource("Database")
	for project, want := range map[driver.AccountID]int{"abcdef": 63, driver.AccountID(strings.Repeat("p", 30)): 63, driver.AccountID(strings.Repeat("p", 50)): 47} {
		if got := databases.Name.In(project).MaxLength; got != want {
			t.Errorf("project of %d characters: names of %d, want %d", len(project), got, want)
		}
	}
}
