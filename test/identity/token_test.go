package identity

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// A tokenUse is whose tokens are requested, and for whom.
type tokenUse struct{ namespace, account, audience string }

// tokens are the requests for tokens that a manager made, with the audiences, of which the audit log tells nothing.
type tokens struct {
	decoder runtime.Decoder

	mu        sync.Mutex
	requested map[tokenUse]int
	// answered is how many of them the API server answered; the rest may never have reached it.
	answered int
	// wanted are those that configs with a web identity stand for.
	wanted map[tokenUse]bool
}

func newTokens(t *testing.T) *tokens {
	t.Helper()
	scheme, err := controllers.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	return &tokens{
		decoder:   serializer.NewCodecFactory(scheme).UniversalDeserializer(),
		requested: map[tokenUse]int{}, wanted: map[tokenUse]bool{},
	}
}

func (ts *tokens) want(use tokenUse) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.wanted[use] = true
}

// count returns how many requests there were in a namespace.
func (ts *tokens) count(namespace string) (n int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for use, times := range ts.requested {
		if use.namespace == namespace {
			n += times
		}
	}
	return n
}

var tokenPath = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/serviceaccounts/([^/]+)/token$`)

// wrap returns a transport that notes the requests for tokens.
func (ts *tokens) wrap(next http.RoundTripper) http.RoundTripper {
	return system.RoundTripper(func(r *http.Request) (*http.Response, error) {
		if path := tokenPath.FindStringSubmatch(r.URL.Path); path != nil {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			r = r.Clone(r.Context())
			r.Body = io.NopCloser(bytes.NewReader(body))
			ts.note(path[1], path[2], body)
			response, err := next.RoundTrip(r)
			if err == nil {
				ts.noteAnswer()
			}
			return response, err
		}
		return next.RoundTrip(r)
	})
}

func (ts *tokens) note(namespace, account string, body []byte) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	use := tokenUse{namespace, account, "what can't be read"}
	if o, _, err := ts.decoder.Decode(body, nil, nil); err == nil {
		if request, ok := o.(*authenticationv1.TokenRequest); ok && len(request.Spec.Audiences) == 1 {
			use.audience = request.Spec.Audiences[0]
		}
	}
	ts.requested[use]++
}

func (ts *tokens) noteAnswer() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.answered++
}

// verifyAudit checks, in the end, what the API server says of all that the manager asked of it.
func (s *environment) verifyAudit(t *testing.T) {
	t.Helper()
	all, err := s.Cluster.Audit().Since(0)
	if err != nil {
		t.Fatal(err)
	}
	ours := all.Where(cluster.By(system.Installed))
	if ours.Count(cluster.On("buckets")) == 0 {
		t.Error("the audit log tells nothing of the manager")
	}
	byName := func(r cluster.Request) bool { return r.Verb == "get" || cluster.Writes(r) }
	if rest := ours.Where(cluster.On("secrets", "serviceaccounts"), cluster.Not(byName)); len(rest) > 0 {
		t.Error("Secrets or ServiceAccounts were listed or watched:\n", rest)
	}
	notAllowed := func(r cluster.Request) bool {
		_, left := s.deletedNamespaces.Load(r.Namespace)
		return r.Code == http.StatusForbidden && !left
	}
	if rest := ours.Where(notAllowed); len(rest) > 0 {
		t.Error("the manager has no right to what it does:\n", rest)
	}
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	requests := 0
	for use, n := range s.tokens.requested {
		requests += n
		if !s.tokens.wanted[use] {
			t.Errorf("tokens were requested that nobody wanted: %+v, %d times", use, n)
		}
	}
	for use := range s.tokens.wanted {
		if s.tokens.requested[use] == 0 {
			t.Errorf("no token was requested: %+v", use)
		}
	}
	// The end of the manager may cut off the last ones.
	if n := ours.Count(cluster.On("serviceaccounts/token")); n < s.tokens.answered || n > requests {
		t.Errorf("the audit log tells of %d requests for tokens, the manager made %d, of which %d were answered", n, requests, s.tokens.answered)
	}
}
