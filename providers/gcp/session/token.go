package session

import (
	"net/http"

	"golang.org/x/oauth2"

	"github.com/mooring-dev/mooring/providers/driver/token"
)

// tokens keeps the access token that is current.
type tokens = token.Source[*oauth2.Token]

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
	current, err := a.tokens.Get(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, &tokenError{err}
	}
	r = r.Clone(r.Context())
	current.Value.SetAuthHeader(r)
	response, err := a.base.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		a.tokens.Drop(current)
	}
	return response, err
}

// A tokenError says that no token could be had.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return "fetch token: " + e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }
