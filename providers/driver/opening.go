package driver

import (
	"context"
	"errors"
	"fmt"
)

// An Opening is what a session is opened with: a message, and beside it what no message holds. An Opening with neither Credentials nor
// Ambient nor Chain.WebIdentity, or with two of them, is Invalid: OneBase says so.
type Opening struct {
	Config
	// Credentials are the contents of the credentials Secret, if the identity begins with one; nil otherwise.
	// A key that names URLs, files or programs must be refused: tenants write these.
	Credentials Credentials
	// Host is what the driver may ask of its caller; nil for one that gives no tokens and is told of nothing.
	Host Host `json:"-"`
}

// A Host is the other side of the contract: what the caller of a driver does for a session. It is safe for concurrent use.
type Host interface {
	// Token returns a token of the Kubernetes ServiceAccount in Chain.WebIdentity for an audience. It is good for ten minutes at
	// least. Errors carry a Code: Denied if there is to be none, which a person has to mend. Drivers ask by Opening.WebToken.
	Token(ctx context.Context, audience string) (string, error)
	// Begin is told that a request to the cloud begins, those to reach the identity included, and by the function that it returns how
	// it ended. The request is made with the context that it returns: if that is over, the request must not be sent. The service and
	// the operation are known from the beginning. Drivers call it by Opening.Begin.
	Begin(ctx context.Context, service, operation string) (context.Context, func(Call))
}

// HostFuncs make a Host of functions.
type HostFuncs struct {
	// Tokens is Host.Token; nil if there are none.
	Tokens TokenFunc
	// Calls is Host.Begin; nil if nobody is told.
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

// Begin tells the host that a request begins, if there is a host.
func (o Opening) Begin(ctx context.Context, service, operation string) (context.Context, func(Call)) {
	if o.Host == nil {
		return ctx, func(Call) {}
	}
	return o.Host.Begin(ctx, service, operation)
}

// OneBase returns an error with Code Invalid unless the identity begins at exactly one place: with Credentials, with the
// identity of the process, or with a web identity whose tokens can be had.
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

// WebToken returns a token of the ServiceAccount in Chain.WebIdentity. Its errors carry a Code, which is never NotFound: a
// token that is missing must not be taken for an object that is.
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
