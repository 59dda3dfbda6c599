package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// act does the action that is among changes. It reports whether there is one.
func (u *update[S, H, P]) act(ctx context.Context, changes []driver.Change) (is bool, err error) {
	at := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Action() != "" })
	if at < 0 {
		return false, nil
	}
	if len(changes) != 1 {
		return true, invalid("an action is the only change of its update, and this one has %d", len(changes))
	}
	wanted := changes[at]
	if u.adapter.Actions == nil {
		return true, u.unsupported(wanted.Action())
	}
	have, err := u.look(ctx, &Part[S, H, P]{})
	if err != nil {
		return true, notSent(err)
	}
	var o driver.Observation
	u.adapter.State(&u.req, have, &o)
	state, has := u.adapter.Actions(&u.req, have, &o)[wanted.Action()]
	switch {
	case !has:
		return true, u.unsupported(wanted.Action())
	case state.Refused != "":
		return true, invalid("%s", state.Refused)
	case o.Stopped:
		return true, &driver.Error{Code: driver.Busy, Message: fmt.Sprintf("the %s is stopped", u.adapter.Noun)}
	case state.Waits != "":
		return true, &driver.Error{Code: driver.Busy, Message: state.Waits}
	case state.Before != wanted.From:
		return true, &driver.Error{Code: driver.Conflict, Message: fmt.Sprintf("the %s is no longer as it was when the action was decided: %q, and not %q", u.adapter.Noun, state.Before, wanted.From)}
	}
	u.result.Operation, err = u.adapter.Act(ctx, &u.req, have, wanted.Action())
	return true, err
}

func (u *update[S, H, P]) unsupported(action driver.Action) error {
	return &driver.Error{Code: driver.Unsupported, Message: fmt.Sprintf("this cloud has no action %s for a %s", action, u.adapter.Noun)}
}

// notSent is an error of the read before an action. Nothing was sent, which the codes of calls that may have arrived would leave open.
func notSent(err error) error {
	e := *driver.ErrorOf(err)
	if e.Code == driver.Unavailable || e.Code == driver.Internal {
		e.Code, e.Message = driver.Busy, "nothing was sent, because the object could not be read before: "+e.Message
	}
	return &e
}
