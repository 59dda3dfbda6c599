package driver

import (
	"context"
	"errors"
	"fmt"
)

// OneBase returns an error with Code Invalid unless the identity begins at exactly one place: with Credentials, with the
// identity of the process, or with a web identity whose tokens can be had.
func (c Config) OneBase() error {
	bases := 0
	for _, given := range []bool{c.Credentials != nil, c.Ambient, c.Chain.WebIdentity != nil} {
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
	case c.Chain.WebIdentity != nil && c.Token == nil:
		problem = "credentials.webIdentity can't be used: there is no token source"
	default:
		return nil
	}
	return &Error{Code: Invalid, Message: problem}
}

// WebToken returns a token of the ServiceAccount in Chain.WebIdentity. Its errors carry a Code, which is never NotFound: a
// token that is missing must not be taken for an object that is.
func (c Config) WebToken(ctx context.Context, audience string) (string, error) {
	token, err := c.Token(ctx, audience)
	if err == nil {
		return token, nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return "", &Error{Code: Unavailable, Err: err,
			Message: fmt.Sprintf("Mooring could not get a token of ServiceAccount %s", c.Chain.WebIdentity.ServiceAccountName)}
	}
	if e.Code == NotFound {
		denied := *e
		denied.Code = Denied
		return "", &denied
	}
	return "", err
}
