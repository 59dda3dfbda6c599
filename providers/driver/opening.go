package driver

import (
	"context"
	"errors"
	"fmt"
)

// An Opening has what a session is opened with: the Config, which is a message, and the credentials and the host, which
// are not. It is Invalid unless exactly one of Credentials, Ambient and Chain.WebIdentity is set; OneBase checks that.
type Opening struct {
	Config
	// Credentials are the contents of the credentials Secret, if the identity begins with one; nil otherwise. A driver
	// must refuse keys that name URLs, files or programs, because tenants write these Secrets.
	Credentials Credentials
	// Host provides tokens and records requests; nil for a caller that does neither.
	Host Host `json:"-"`
}

// A Host provides what a session needs from the caller of its driver. It is safe for concurrent use.
type Host interface {
	// Token returns a token of the Kubernetes ServiceAccount in Chain.WebIdentity for an audience. It is valid for at
	// least ten minutes. Errors have a Code. The Code is Denied if the token is not permitted, and a person has to
	// correct that. Drivers call Opening.WebToken instead.
	Token(ctx context.Context, audience string) (string, error)
	// Begin is called before each request to the cloud, including the requests that establish the identity. It returns
	// the context for the request, and a function that is called with the result. If that context is canceled, the
	// request must not be sent. Drivers call Opening.Begin instead.
	Begin(ctx context.Context, service, operation string) (context.Context, func(Call))
}

// HostFuncs implements Host with functions.
type HostFuncs struct {
	// Tokens implements Host.Token; nil if there are no tokens.
	Tokens TokenFunc
	// Calls implements Host.Begin; nil if requests are not recorded.
	Calls Calls
}

// A TokenFunc returns a token for an audience, as Host.Token does.
type TokenFunc func(ctx context.Context, audience string) (string, error)

// Token implements Host.
func (h HostFuncs) Token(ctx context.Context, audience string) (string, error) {
	if h.Tokens == nil {
		return "", noTokens()
	}
	return h.Tokens(ctx, audience)
}

// Begin implements Host.
func (h HostFuncs) Begin(ctx context.Context, service, operation string) (context.Context, func(Call)) {
	return h.Calls.Begin(ctx, service, operation)
}

func noTokens() error {
	return &Error{Code: Invalid, Message: "credentials.webIdentity can't be used: there is no token source"}
}

// Begin calls Host.Begin, if there is a host.
func (o Opening) Begin(ctx context.Context, service, operation string) (context.Context, func(Call)) {
	if o.Host == nil {
		return ctx, func(Call) {}
	}
	return o.Host.Begin(ctx, service, operation)
}

// OneBase returns an error with Code Invalid unless the identity has exactly one base: Credentials, the identity of the
// process, or a web identity whose tokens are available.
func (o Opening) OneBase() error {
	bases := 0
	for _, given := range []bool{o.Credentials != nil, o.Ambient, o.Chain.WebIdentity != nil} {
		if given {
			bases++
		}
	}
	problem := ""
	switch {
	case bases == 0:
		problem = "the credentials name no identity: set exactly one of secretRef, ambient and webIdentity"
	case bases > 1:
		problem = "the credentials name more than one identity: set exactly one of secretRef, ambient and webIdentity"
	case o.Chain.WebIdentity != nil && o.Host == nil:
		return noTokens()
	default:
		return nil
	}
	return &Error{Code: Invalid, Message: problem}
}

// WebToken returns a token of the ServiceAccount in Chain.WebIdentity. Its errors have a Code. The Code is never
// NotFound, which would mean that a cloud object is missing.
func (o Opening) WebToken(ctx context.Context, audience string) (string, error) {
	if o.Host == nil {
		return "", noTokens()
	}
	token, err := o.Host.Token(ctx, audience)
	if err == nil {
		return token, nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return "", &Error{Code: Unavailable, Err: err,
			Message: fmt.Sprintf("Mooring could not get a token of ServiceAccount %s", o.Chain.WebIdentity.ServiceAccountName)}
	}
	if e.Code == NotFound {
		denied := *e
		denied.Code = Denied
		return "", &denied
	}
	return "", err
}
