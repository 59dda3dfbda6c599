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
	u.redactFailed()
	return u.result, driver.RedactError(err, a.secrets(&req)...)
}

// do carries out a command, if the adapter has what that takes.
func (u *update[S, H, P]) do(ctx context.Context, command driver.Command) error {
	if !u.adapter.carries(command.Verb) {
		return unsupported(command.Verb, u.adapter.Noun)
	}
	switch command.Verb {
	case driver.WriteMark:
		return u.writeMark(ctx)
	case driver.Promote: // which may be the operation of the request
		return u.promote(ctx)
	case driver.ReleaseFormer, driver.DeleteFormer:
		return u.former(ctx, command.Verb)
	case driver.DropStaged:
		return u.dropStaged(ctx)
	}
	u.rest()
	return u.act(ctx, command)
}

// carries reports whether the adapter has what a command takes.
func (a *Adapter[S, H, P]) carries(verb driver.Verb) bool {
	switch verb {
	case driver.WriteMark:
		return true
	case driver.Promote:
		return a.Following != nil
	case driver.ReleaseFormer, driver.DeleteFormer, driver.DropStaged:
		return a.Beside != nil
	}
	return a.Actions != nil
}

// unsupported refuses a command that objects of a kind can't have.
func unsupported(verb driver.Verb, noun string) *driver.Error {
	return &driver.Error{Code: driver.Unsupported, Message: fmt.Sprintf("there is no command %s for a %s of this cloud", verb, noun)}
}

// writeMark writes the mark as the request has it. An object that is released loses first what was prepared to take its place,
// and what is left beside it is marked, too.
func (u *update[S, H, P]) writeMark(ctx context.Context) error {
	u.marking = true
	if done, err := u.leave(ctx); done || err != nil {
		return err
	}
	return u.apply(ctx, driver.Edit{Changes: []driver.Change{{Field: driver.FieldMark}}})
}

// leave does what comes before the mark of an object that is released. It reports whether that is all, because the object is gone.
func (u *update[S, H, P]) leave(ctx context.Context) (done bool, err error) {
	a, released := u.adapter, u.req.Mark.Released
	if a.Beside != nil && released && u.req.Operation != "" {
		if u.result.Operation, err = a.Beside.Undo(ctx, &u.req, nil); err != nil {
			return false, err
		}
	}
	u.rest()
	if a.Release == nil || !released {
		return false, nil
	}
	return u.release(ctx, a.partOf(driver.FieldMark))
}

// able is the handler of a kind whose capabilities are known: it refuses a command that they lack before anybody is called.
type able struct {
	Handler
	capabilities driver.Capabilities
	noun         string
}

func (h able) do(ctx context.Context, req driver.Request, command driver.Command, secrets driver.Secrets) (driver.Result, error) {
	if err := command.Validate(); err != nil {
		return driver.Result{}, err
	}
	if !h.capabilities.Does(command.Verb) {
		return driver.Result{}, unsupported(command.Verb, h.noun)
	}
	return h.Handler.do(ctx, req, command, secrets)
}
