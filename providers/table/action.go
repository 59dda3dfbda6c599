package table

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// act does an action, unless the object can't have it now, or is otherwise than when it was decided.
func (u *update[S, H, P]) act(ctx context.Context, command driver.Command) error {
	have, err := u.look(ctx, &Part[S, H, P]{})
	if err != nil {
		return notSent(err)
	}
	var o driver.Observation
	u.adapter.State(&u.req, have, &o)
	switch state, has := u.adapter.Actions(&u.req, have, &o)[command.Verb]; {
	case !has:
		return unsupported(command.Verb, u.adapter.Noun)
	case state.Refused != "":
		return invalid("%s", state.Refused)
	case o.Stopped:
		return &driver.Error{Code: driver.Busy, Message: fmt.Sprintf("the %s is stopped", u.adapter.Noun)}
	case state.Waits != "":
		return &driver.Error{Code: driver.Busy, Message: state.Waits}
	case state.Before != command.Before:
		return &driver.Error{Code: driver.Conflict, Message: fmt.Sprintf("the %s is no longer as it was when the action was decided: %q, and not %q", u.adapter.Noun, state.Before, command.Before)}
	}
	u.result.Operation, err = u.adapter.Act(ctx, &u.req, have, command.Verb)
	return err
}

// notSent is an error of the read before an action. Nothing was sent, which the codes of calls that may have arrived would leave open.
func notSent(err error) error {
	e := *driver.ErrorOf(err)
	if e.Code == driver.Unavailable || e.Code == driver.Internal {
		e.Code, e.Message = driver.Busy, "nothing was sent, because the object could not be read before: "+e.Message
	}
	return &e
}
