package gcp

import (
	"context"
	"net/http"
	"sync"

	"golang.org/x/oauth2"
)

// tokens keeps one access token and fetches the next when it has run out. Many callers wait for one fetch,
// each no longer than its own context allows.
type tokens struct {
	fetch func() (*oauth2.Token, error)

	mu      sync.Mutex
	current *oauth2.Token
	running *fetching
}

// fetching is one fetch under way; done is closed when token and err are set.
type fetching struct {
	done  chan struct{}
	token *oauth2.Token
	err   error
}

func newTokens(fetch func() (*oauth2.Token, error)) *tokens { return &tokens{fetch: fetch} }

// get returns a token that is valid now.
func (t *tokens) get(ctx context.Context) (*oauth2.Token, error) {
	t.mu.Lock()
	if t.current.Valid() {
		defer t.mu.Unlock()
		return t.current, nil
	}
	f := t.running
	if f == nil {
		f = &fetching{done: make(chan struct{})}
		t.running = f
		go t.run(f)
	}
	t.mu.Unlock()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *tokens) run(f *fetching) {
	f.token, f.err = t.fetch()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = nil
	if f.err == nil {
		t.current = f.token
	}
	close(f.done)
}

// drop forgets a token that the cloud refused, so that the next call fetches another.
func (t *tokens) drop(token *oauth2.Token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == token {
		t.current = nil
	}
}

// authorized is a transport that signs requests with a token.
type authorized struct {
	tokens *tokens
	base   http.RoundTripper
}

// RoundTrip implements http.RoundTripper. A token that is refused was revoked, or has run out by the cloud's
// clock; nothing was done then, so the request is sent once more, with a new one. Credentials
// that are good must not be called bad for an hour-old token.
func (a *authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.try(r)
	if err != nil || response.StatusCode != http.StatusUnauthorized || (r.Body != nil && r.GetBody == nil) {
		return response, err
	}
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return response, nil //nolint:nilerr // the 401 is the answer
		}
	}
	_ = response.Body.Close()
	return a.try(again)
}

func (a *authorized) try(r *http.Request) (*http.Response, error) {
	token, err := a.tokens.get(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, &tokenError{err}
	}
	r = r.Clone(r.Context())
	token.SetAuthHeader(r)
	response, err := a.base.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		a.tokens.drop(token)
	}
	return response, err
}

// A tokenError says that no token could be had.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return "fetch token: " + e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }
