package session

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/api/option"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/token"
)

// ListPage is how many objects a list takes at once. Either service lists 1000 at most.
// https://cloud.google.com/storage/docs/json_api/v1/buckets/list https://cloud.google.com/sql/docs/mysql/admin-api/rest/v1/instances/list
const ListPage = 500

// A Session is what one connection's kinds share: the project, and the identity that all calls are made as. It is safe for concurrent use.
type Session struct {
	// Project is the one that the connection leads to.
	Project  string
	location string // where to create what names no location; may be empty
	// endpoint of all APIs, without a path; empty for Google's own. Each client names its endpoint in any case, so that no variable
	// of the environment can point it elsewhere.
	endpoint string
	timeout  time.Duration
	// Now is the clock.
	Now     func() time.Time
	calls   driver.Host
	tokens  *tokens
	options []option.ClientOption // of the clients, of which each kind makes its own
	client  *http.Client          // is among options
	failed  error                 // why one of them can't be made
}

// New returns a session of the project, with the identity and at the endpoint that the opening says. It reads the key, and calls nobody. The transport
// carries all calls. The timeout is the deadline of each one.
func New(cfg driver.Opening, transport http.RoundTripper, timeout time.Duration, now func() time.Time) (*Session, error) {
	s := &Session{Project: cfg.Account.GCP.Project, location: cfg.Location, endpoint: cfg.Endpoint, timeout: timeout, Now: now, calls: cfg.Host}
	steps, requests := transport, http.RoundTripper(genuine{transport})
	if cfg.Host != nil {
		steps, requests = &watchedStep{cfg.Host, steps}, &watched{cfg.Host, requests}
	}
	identity, err := newChain(s, cfg, &http.Client{Transport: steps, Timeout: timeout})
	if err != nil {
		return nil, err
	}
	s.tokens = token.New(now, identity.fetch)
	// WithoutAuthentication keeps the clients from looking for an identity of their own: ours is in
	// the HTTP client, and a tenant must never get Mooring's.
	s.client = &http.Client{Transport: &authorized{s.tokens, requests}}
	s.options = []option.ClientOption{
		option.WithHTTPClient(s.client),
		option.WithoutAuthentication(),
	}
	return s, nil
}

// Failed returns why a client can't be made; nil if all can.
func (s *Session) Failed() error { return s.failed }

// identityAPI is what the steps to an identity are counted by where they are a call of their own.
var identityAPI = &API{Name: "token", Title: "identity"}

// Identity returns the project. A Google identity is not bound to a project, each call names its own: so the
// project is what the configuration says. What is asked of Google is whether it accepts the
// credentials at all, by having it make a token. A token from before counts too: a key that was revoked since is
// found out by the first call. No API is called, because none is sure to be among a tenant's rights.
func (s *Session) Identity(ctx context.Context) (driver.AccountID, error) {
	_, err := Do(ctx, s.To(identityAPI), "token", func(ctx context.Context) (struct{}, error) {
		_, err := s.tokens.Get(ctx)
		if err != nil {
			err = &tokenError{err}
		}
		return struct{}{}, err
	})
	if err != nil {
		return "", err
	}
	return driver.AccountID(s.Project), nil
}

// LocationOf returns where to create an object: where the spec says, or the request, or the account.
func (s *Session) LocationOf(spec *string, requested string) (string, error) {
	switch {
	case spec != nil:
		return *spec, nil
	case requested != "":
		return requested, nil
	case s.location != "":
		return s.location, nil
	}
	return "", Invalid("no location is known: set spec.location, or gcp.region in the provider config")
}
