package table

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Do implements External.
func (a *Adapter[S, H, P]) Do(ctx context.Context, req Request[S], command driver.Command) (driver.Result, error) {
	if err := a.serves(&req); err != nil {
		return driver.Result{}, err
	}
	u := &update[S, H, P]{adapter: a, req: req}
	err := u.do(ctx, command)
	return u.result, driver.RedactError(err, a.secrets(&req)...)
}

// do carries out a command that the kind has.
func (u *update[S, H, P]) do(ctx context.Context, command driver.Command) error {
	switch command.Verb {
	case driver.Promote: // which may be the operation of the request
		return u.promote(ctx)
	}
	return invalid("there is no command %q", command.Verb)
}

// able is the handler of a kind whose capabilities are known: it refuses a command that they lack before anybody is called.
type able struct {
	Handler
	of func() driver.Resource
}

func (h able) do(ctx context.Context, req driver.Request, command driver.Command, secrets driver.Secrets) (driver.Result, error) {
	if err := command.Validate(); err != nil {
		return driver.Result{}, err
	}
	r := h.of()
	if !r.Capabilities.Does(command.Verb) {
		return driver.Result{}, &driver.Error{
			Code: driver.Unsupported, Message: fmt.Sprintf("there is no command %s for a %s of this cloud", command.Verb, r.Consequences.Noun),
		}
	}
	return h.Handler.do(ctx, req, command, secrets)
}
