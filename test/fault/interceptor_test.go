package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// An interceptor lies between managers and the API server. It knows which lifecycle each request belongs to, and
// lets it go wrong if that lifecycle says so.
type interceptor struct {
	mu         sync.Mutex
	lifecycles map[string]*lifecycle // by name and by the uids of what belongs to them
}

func newInterceptor() *interceptor { return &interceptor{lifecycles: map[string]*lifecycle{}} }

func (w *interceptor) track(l *lifecycle, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lifecycles[id] = l
}

// belonging finds what says whose a request is: the name of a lifecycle, or the uid of one of its objects.
var belonging = regexp.MustCompile(`case-[0-9]{4}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// owner returns the lifecycle that a request belongs to. The path tells it; of what is created in Mooring's own namespace
// only the body does.
func (w *interceptor) owner(path string, body []byte) *lifecycle {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range [][]byte{[]byte(path), body} {
		for _, id := range belonging.FindAll(text, -1) {
			if l := w.lifecycles[string(id)]; l != nil {
				return l
			}
		}
	}
	return nil
}

// wrap is what a manager's transport to the API server is to be wrapped in.
func (w *interceptor) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		c := apiCall(r)
		if c.resource == "events" || c.verb == "list" || c.verb == "watch" {
			return next.RoundTrip(r)
		}
		var body []byte
		if r.Body != nil {
			var err error
			if body, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		l := w.owner(r.URL.Path, body)
		if l == nil {
			return next.RoundTrip(r)
		}
		return l.send(next, r, c.name(body), c.verb != "get")
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A request is what a path and a method ask of the API server.
type request struct{ verb, resource, object, sub string }

func apiCall(r *http.Request) request {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	at := 2 // api/v1
	if parts[0] == "apis" {
		at = 3 // apis/group/version
	}
	if len(parts) > at+2 && parts[at] == "namespaces" {
		at += 2
	}
	part := func(i int) string {
		if at+i < len(parts) {
			return parts[at+i]
		}
		return ""
	}
	c := request{resource: part(0), object: part(1), sub: part(2)}
	switch {
	case r.Method == http.MethodGet && r.URL.Query().Get("watch") != "":
		c.verb = "watch"
	case r.Method == http.MethodGet && c.object == "":
		c.verb = "list"
	default:
		c.verb = map[string]string{
			http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update",
			http.MethodPatch: "patch", http.MethodDelete: "delete",
		}[r.Method]
	}
	return c
}

// name says in words what a request is about, the same in every lifecycle.
func (c request) name(body []byte) string {
	name := c.verb + " " + c.resource
	if c.sub != "" {
		name += "/" + c.sub
	}
	if c.resource != "secrets" {
		return name
	}
	about := c.object
	if about == "" {
		about = string(body)
	}
	switch {
	case strings.Contains(about, "credentials-"):
		return name + " (copy of credentials)"
	case strings.Contains(about, "password-"):
		return name + " (password Secret)"
	case strings.Contains(about, accountName):
		return name + " (credentials)"
	case strings.Contains(about, givenPassword):
		return name + " (given password)"
	default:
		return name + " (connection)"
	}
}

var errCut = errors.New("the connection was cut")

// refusal is an answer of the API server that no API server gave.
func refusal(r *http.Request, code int, reason string) *http.Response {
	body := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"refused by the test","reason":%q,"code":%d}`, reason, code)
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}
}

// refusals are the faults that the API server itself answers with.
var refusals = map[localcloud.FaultKind]struct {
	code   int
	reason string
}{
	localcloud.Denied:      {http.StatusForbidden, "Forbidden"},
	localcloud.Throttled:   {http.StatusTooManyRequests, "TooManyRequests"},
	localcloud.ServerError: {http.StatusInternalServerError, "InternalError"},
}

// fail makes one request go wrong.
func fail(kind localcloud.FaultKind, next http.RoundTripper, r *http.Request, kill func()) (*http.Response, error) {
	switch kind {
	case localcloud.RequestLost:
		return nil, errCut
	case localcloud.ResponseLost, killed:
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if kind == killed {
			kill()
		}
		return nil, errCut
	case localcloud.Conflict:
		if r.Method == http.MethodPost {
			return refusal(r, http.StatusConflict, "AlreadyExists"), nil
		}
		return refusal(r, http.StatusConflict, "Conflict"), nil
	case localcloud.Hang: // an API server itself gives up after a minute; nobody waits for that here
		return nil, context.DeadlineExceeded
	default:
		return refusal(r, refusals[kind].code, refusals[kind].reason), nil
	}
}
