package gcp

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/api/option"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/token"
)

// listPage is how many objects a list takes at once. Either service lists 1000 at most.
// https://cloud.google.com/storage/docs/json_api/v1/buckets/list https://cloud.google.com/sql/docs/mysql/admin-api/rest/v1/instances/list
const listPage = 500

// A session is what one connection's kinds share.
type session struct {
	project  string
	location string // where to create what names no location; may be empty
	// endpoint of all APIs, without a path; empty for Google's own. Each client names its endpoint in any case, so that no variable
	// of the environment can point it elsewhere.
	endpoint string
	timeout  time.Duration
	now      func() time.Time
	calls    driver.Host
	tokens   *tokens
	options  []option.ClientOption // of the clients, of which each kind makes its own
	client   *http.Client          // is among options
	failed   error                 // why one of them can't be made
}

// made records why a client can't be made, if that is so.
func (s *session) made(what string, err error) {
	if err != nil && s.failed == nil {
		s.failed = invalid("the %s client can't be made: %v", what, err)
	}
}

func newSession(o Options, cfg driver.Opening) (*session, error) {
	s := &session{project: cfg.Account.GCP.Project, location: cfg.Location, endpoint: cfg.Endpoint, timeout: o.CallTimeout, now: o.Now, calls: cfg.Host}
	steps, requests := o.Transport, http.RoundTripper(genuine{o.Transport})
	if cfg.Host != nil {
		steps, requests = &watchedStep{cfg.Host, steps}, &watched{cfg.Host, requests}
	}
	identity, err := newChain(s, cfg, &http.Client{Transport: steps, Timeout: o.CallTimeout})
	if err != nil {
		return nil, err
	}
	s.tokens = token.New(o.Now, identity.fetch)
	// WithoutAuthentication keeps the clients from looking for an identity of their own: ours is in
	// the HTTP client, and a tenant must never get Mooring's.
	s.client = &http.Client{Transport: &authorized{s.tokens, requests}}
	s.options = []option.ClientOption{
		option.WithHTTPClient(s.client),
		option.WithoutAuthentication(),
	}
	return s, nil
}

// identity returns the project. A Google identity is not bound to a project, each call names its own: so the
// project is what the configuration says. What is asked of Google is whether it accepts the
// credentials at all, by having it make a token. A token from before counts too: a key that was revoked since is
// found out by the first call. No API is called, because none is sure to be among a tenant's rights.
func (s *session) identity(ctx context.Context) (driver.AccountID, error) {
	_, err := do(ctx, s, "token", func(ctx context.Context) (struct{}, error) {
		_, err := s.tokens.Get(ctx)
		if err != nil {
			err = &tokenError{err}
		}
		return struct{}{}, err
	})
	if err != nil {
		return "", err
	}
	return driver.AccountID(s.project), nil
}

// do makes one call under a deadline, and wraps its error.
func do[T any](ctx context.Context, s *session, op string, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return *new(T), s.wrap(op, err)
	}
	ctx, ended := s.watch(calling(ctx, op), op)
	v, err := call(ctx)
	if err != nil {
		err = s.wrap(op, err)
		ended(err)
		return *new(T), err
	}
	ended(nil)
	return v, nil
}
