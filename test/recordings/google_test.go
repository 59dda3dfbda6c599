package recordings

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// project is the project of all recordings of Google Cloud.
const project = "mooring-test"

// placeholders are what stands in the recordings in place of what differs each time.
var placeholders = strings.NewReplacer(
	"${projectId}", project, "${projectNumber}", "123456789012", "${uniqueId}", "recorded",
	"${operationID}", "00000000-0000-0000-0000-000000000001", "${networkID}", "network", "${addressID}", "range",
)

// An exchange is one recorded call of an API of Google and its answer.
type exchange struct {
	Method, Path string
	Status       int
	Request      json.RawMessage
	Response     json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler. It fills in the placeholders.
func (e *exchange) UnmarshalJSON(raw []byte) error {
	type plain exchange
	return json.Unmarshal([]byte(placeholders.Replace(string(raw))), (*plain)(e))
}

// resource returns the path without version and query: the drivers speak v1 of Cloud SQL, the recordings v1beta4.
func resource(path string) string {
	path, _, _ = strings.Cut(path, "?")
	for _, version := range []string{"/sql/v1beta4", "/v1", "/storage/v1"} {
		if rest, ok := strings.CutPrefix(path, version); ok {
			return rest
		}
	}
	return path
}

// segments returns the parts of the resource.
func (e *exchange) segments() []string {
	return strings.Split(strings.Trim(resource(e.Path), "/"), "/")
}

// A replay serves recorded answers, the newest for each method and resource.
type replay struct {
	t *testing.T
	*httptest.Server
	mu      sync.Mutex
	answers map[string]exchange
	wrote   []exchange // the calls that write
}

// writes returns the calls that wrote since it was last asked.
func (r *replay) writes() []exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.wrote
	r.wrote = nil
	return calls
}

// newReplay returns a server that knows no answer yet, and a connection of the real driver to it.
func newReplay(t *testing.T) (*replay, driver.Session) {
	r := &replay{t: t, answers: map[string]exchange{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	cfg := driver.Opening{
		Config:      driver.Config{Account: v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: project, Region: "us-central1"}}, Location: "us-central1"},
		Credentials: map[string][]byte{v1alpha1.SecretKeyGCPCredentials: key(t)},
	}
	conn, err := gcp.New(gcp.Options{Endpoint: r.URL}).Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, conn
}

// key returns a key of a service account.
var key = func() func(*testing.T) []byte {
	var once sync.Once
	var made []byte
	return func(t *testing.T) []byte {
		once.Do(func() {
			cloud, err := localcloud.Start(localcloud.Options{ListenersOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			made = cloud.GCPKey(project)
			if err := cloud.Close(); err != nil {
				t.Fatal(err)
			}
		})
		return made
	}
}()

// answer makes an answer known.
func (r *replay) answer(e exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[e.Method+" "+resource(e.Path)] = e
}

// note keeps a call that writes.
func (r *replay) note(request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote = append(r.wrote, exchange{Method: request.Method, Path: request.URL.RequestURI(), Request: body})
}

// ServeHTTP implements http.Handler.
func (r *replay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if request.URL.Path == "/token" {
		_, _ = w.Write([]byte(`{"access_token":"recorded","token_type":"Bearer","expires_in":3600}`))
		return
	}
	if request.Method != http.MethodGet {
		r.note(request)
	}
	if strings.HasSuffix(request.URL.Path, "/flags") { // nobody recorded the list: the driver does without where it can't be read
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if strings.HasSuffix(request.URL.Path, "/timeSeries") { // nor the lag of a replica
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/backups") { // nobody recorded the list either: these servers have no backups of ours
		_, _ = w.Write([]byte(`{}`))
		return
	}
	r.mu.Lock()
	e, ok := r.answers[request.Method+" "+resource(request.URL.Path)]
	r.mu.Unlock()
	if !ok {
		r.t.Errorf("the driver called %s %s, of which there is no recording", request.Method, request.URL)
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	w.WriteHeader(e.Status)
	if e.Status != http.StatusNoContent {
		_, _ = w.Write(e.Response)
	}
}

// object decodes JSON.
func object(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	out := map[string]any{}
	if len(raw) == 0 {
		return out
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return out
}

// at returns what stands at a path of an object; nil if nothing does.
func at(v any, path ...string) any {
	for _, k := range path {
		inner, _ := v.(map[string]any)
		v = inner[k]
	}
	return v
}

func stringAt(v any, path ...string) string {
	s, _ := at(v, path...).(string)
	return s
}

// number32 reads a number that Google writes as a string.
func number32(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		panic(err)
	}
	return int32(n)
}

// tags returns labels as the tags of a specification; nil if there are none.
func tags(labels any) map[string]v1alpha1.TagValue {
	all, _ := labels.(map[string]any)
	if len(all) == 0 {
		return nil
	}
	out := map[string]v1alpha1.TagValue{}
	for k, v := range all {
		out[k] = v1alpha1.TagValue(v.(string))
	}
	return out
}

// wantMirror compares the mirror with what an independent reading of the answer says.
func wantMirror(t *testing.T, mirror json.RawMessage, want any) {
	t.Helper()
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range compare(object(t, raw), object(t, mirror), nil) {
		t.Errorf("the mirror: %v", d)
	}
}
