package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Update implements External. Each part makes one call for all of its changes.
func (a *Adapter[S, H, P]) Update(ctx context.Context, req Request[S], edit driver.Edit) (driver.Result, error) {
	if err := a.serves(&req); err != nil {
		return driver.Result{}, err
	}
	u := &update[S, H, P]{adapter: a, req: req}
	u.rest()
	upgrade, others, err := u.apart(ctx, edit.Changes)
	if err != nil {
		return driver.Result{}, driver.RedactError(err, a.secrets(&req)...)
	}
	edit.Changes = others
	if err := u.apply(ctx, edit); err != nil {
		return u.result, driver.RedactError(err, a.secrets(&req)...)
	}
	u.upgrade(ctx, req.Operation, upgrade, edit)
	u.redactFailed()
	return u.result, nil
}

// redactFailed takes the secrets of the request out of what failed.
func (u *update[S, H, P]) redactFailed() {
	u.adapter.redactFields(&u.req, u.result.Failed)
	u.result.PasswordFailed = u.adapter.redact(&u.req, u.result.PasswordFailed)
}

// rest has the operation of the request waited for no more: it matters to observations, promotions and successions, and to
// what goes on with it.
func (u *update[S, H, P]) rest() { u.req.Operation, u.req.Resting = "", u.req.Operation }

// apply makes an edit. The error that it returns is of the update as a whole.
func (u *update[S, H, P]) apply(ctx context.Context, edit driver.Edit) (err error) {
	a := u.adapter
	if edit.Changes, err = u.supported(edit.Changes); err != nil {
		return err
	}
	by := u.sort(edit)
	parts, before := a.inOrder(by), len(u.result.Failed)
	for _, part := range parts {
		if failed := u.result.Failed[before:]; len(failed) > 0 && part.isLast(by[part]) {
			u.fail(waitsFor(failed[0]), by[part])
			continue
		}
		if err := u.write(ctx, part, by[part]); err != nil {
			u.result = driver.Result{}
			return err
		}
	}
	return nil
}

// waitsFor says why a last call is not made: what failed may stand in its way, and the cloud's answer would hide that.
func waitsFor(failed driver.FieldError) error {
	return &driver.Error{Code: driver.CodeOf(failed.Err), Settling: driver.Settles(failed.Err), Message: fmt.Sprintf("it is changed after all else, and spec.%s failed: correct that first", failed.Field)}
}

// inOrder returns the parts that have something to change, in the order of their calls.
func (a *Adapter[S, H, P]) inOrder(by map[*Part[S, H, P]]driver.Edit) (first []*Part[S, H, P]) {
	var last []*Part[S, H, P]
	for i := range a.Parts {
		switch part := &a.Parts[i]; {
		case by[part].Len() == 0:
		case part.isLast(by[part]):
			last = append(last, part)
		default:
			first = append(first, part)
		}
	}
	return append(first, last...)
}

// release marks what is left beside the object. It reports whether that is all, because the object is gone.
func (u *update[S, H, P]) release(ctx context.Context, part *Part[S, H, P]) (gone bool, err error) {
	have, missing := u.look(ctx, part)
	if missing != nil && driver.CodeOf(missing) != driver.NotFound {
		return false, missing
	}
	if u.result.Left, err = u.adapter.Release(ctx, &u.req, have); err == nil && missing != nil && u.result.Left == "" {
		err = missing
	}
	return missing != nil, err
}

// An update is one call of Update.
type update[S, H, P any] struct {
	adapter *Adapter[S, H, P]
	req     Request[S]
	// marking: the update is that of WriteMark. The parts of the adapter see it as a change, named by driver.FieldMark.
	marking bool
	have    *H // nil until it was read
	result  driver.Result
	// observed: have is what the observation read, of which the changes are.
	observed bool
}

// fail has all of an edit failed.
func (u *update[S, H, P]) fail(err error, edit driver.Edit) {
	u.failChanges(err, edit.Changes...)
	if edit.Password != driver.PasswordStays {
		u.result.PasswordFailed = driver.ErrorOf(err)
	}
}

func (u *update[S, H, P]) failChanges(err error, changes ...driver.Change) {
	for _, c := range changes {
		u.failWith(err, err, c)
	}
}

// failExplained is fail for a refusal of each thing of an edit, with its field ahead.
func (u *update[S, H, P]) failExplained(err error, edit driver.Edit) {
	for _, c := range edit.Changes {
		u.failWith(u.adapter.Refusals.ofChange(err, c), err, c)
	}
	if edit.Password != driver.PasswordStays {
		u.result.PasswordFailed = driver.ErrorOf(u.adapter.Refusals.ofChange(err, asChange(edit.Password)))
	}
}

// failed returns how many things of the edit failed.
func (u *update[S, H, P]) failed() int {
	if u.result.PasswordFailed != nil {
		return len(u.result.Failed) + 1
	}
	return len(u.result.Failed)
}

func (u *update[S, H, P]) failWith(says, cause error, c driver.Change) {
	if partly, some := errors.AsType[*Unset](says); some {
		says = partly.Err
	}
	u.result.Failed = append(u.result.Failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(says), Unset: unset(cause, c)})
}

// partly reports whether a call made a part of an edit. What it says that it did not make has failed.
func (u *update[S, H, P]) partly(err error, edit driver.Edit) bool {
	partial, some := errors.AsType[Partial](err)
	if !some {
		partial.Failed, some = errors.AsType[FieldErrors](err)
	}
	for _, f := range partial.Failed {
		for _, c := range edit.Changes {
			if c.Field == f.Field && f.Unset == nil {
				f.Unset = unset(f.Err, c)
			}
		}
		u.result.Failed = append(u.result.Failed, f)
	}
	if partial.Password != nil {
		u.result.PasswordFailed = driver.ErrorOf(partial.Password)
	}
	return some
}

// supported returns the changes that the cloud can take. Those of maps with entries that it does not have have failed, before any call: it would
// refuse them together with all else, and name one of them.
func (u *update[S, H, P]) supported(changes []driver.Change) (taken []driver.Change, err error) {
	lacks, err := lackedBy(u.req.Spec, u.adapter.Lacks)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		var lines []string
		for _, l := range lacks {
			if l.Field == c.Field && l.Each != "" {
				lines = append(lines, l.String())
			}
		}
		if len(lines) == 0 {
			taken = append(taken, c)
			continue
		}
		u.failChanges(invalid("%s", prose.Join(lines)), c)
	}
	return taken, nil
}

// sort returns what each part changes. What can't be made has failed.
func (u *update[S, H, P]) sort(edit driver.Edit) map[*Part[S, H, P]]driver.Edit {
	by := map[*Part[S, H, P]]driver.Edit{}
	add := func(part *Part[S, H, P], c driver.Change) {
		edit := by[part]
		edit.Changes = append(edit.Changes, c)
		by[part] = edit
	}
	for _, c := range edit.Changes {
		part := u.adapter.partOf(c.Field)
		switch {
		case c.Field == driver.FieldMark && !u.marking:
			u.failChanges(invalid("%s: only a command changes it", c.Field), c)
		case c.Field == driver.FieldMark && u.adapter.Tags == nil:
		case c.Effect == driver.Impossible:
			u.failChanges(invalid("%s can't change: %s", c.Field, c.Why), c)
		case c.Field == driver.FieldUsername && u.req.Login.Password == "":
			u.failChanges(invalid("there is no password to set"), c)
		case part == nil:
			u.failChanges(invalid("%s: there is no call that changes it", c.Field), c)
		case len(c.Foreign) > 0:
			u.failChanges(&driver.Error{Code: driver.Conflict, Message: c.StaysTheirs()}, c)
			if len(c.Foreign) < len(c.Names) { // the rest is ours to change
				add(part, c)
			}
		default:
			add(part, c)
		}
	}
	if err := u.takesPassword(edit); err != nil {
		u.fail(err, driver.Edit{Password: edit.Password})
	} else if edit.Password != driver.PasswordStays {
		part := u.adapter.partOfPassword()
		by[part] = driver.Edit{Changes: by[part].Changes, Password: edit.Password}
	}
	return by
}

// takesPassword refuses a change of the administrator's password that can't be made.
func (u *update[S, H, P]) takesPassword(edit driver.Edit) error {
	if err := edit.Validate(); err != nil {
		return err
	}
	switch change := edit.Password; {
	case (change == driver.HandOverPassword || change == driver.TakeBackPassword) && u.adapter.Manage == nil:
		return invalid("%s", noManagement)
	case change.Sets() && u.req.Login.Password == "":
		return invalid("there is no password to set")
	case change != driver.PasswordStays && (u.adapter.Login == nil || u.adapter.partOfPassword() == nil):
		return invalid("a %s of this cloud has no administrator whose password could change", u.adapter.Noun)
	}
	return nil
}
