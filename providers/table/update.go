package table

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// write makes one call of all that a part changes. A cloud that refuses a value may not say which, so each is then tried alone: one that
// is refused must not keep the others away. Where a call that is taken keeps all others waiting, those that the refusal names go first, and the rest is tried
// together again: so all that is refused is told at once. The error that it returns is of the update as a whole.
func (u *update[S, H, P]) write(ctx context.Context, part *Part[S, H, P], edit driver.Edit) error {
	if u.begun() {
		u.fail(u.adapter.OneOperation, edit)
		return nil
	}
	for {
		have, err := u.look(ctx, part)
		if err != nil {
			return err
		}
		tried, err := u.try(ctx, part, have, edit)
		switch {
		case err == nil:
			return nil
		case u.observed && driver.CodeOf(err) == driver.Busy: // somebody changed it since: what is there now decides
			edit = tried
			continue
		case u.partly(err, tried):
			return nil
		case tried.Len() < 2 || !part.refuses(err):
			return u.refused(err, tried)
		}
		blamed, rest := u.blame(err, tried)
		if blamed.Len() == 0 || rest.Len() == 0 {
			return u.alone(ctx, part, tried)
		}
		u.failExplained(err, blamed)
		edit = rest
	}
}

// refused tells of an edit of which nothing is tried alone.
func (u *update[S, H, P]) refused(err error, edit driver.Edit) error {
	if u.adapter.Whole != nil && u.adapter.Whole(err) {
		return err
	}
	if edit.Len() == 1 {
		u.failExplained(err, edit)
		return nil
	}
	u.fail(err, edit)
	return nil
}

// blame divides an edit into what a refusal names, and the rest. All is the rest where each can be tried alone in the same update.
func (u *update[S, H, P]) blame(err error, edit driver.Edit) (blamed, rest driver.Edit) {
	names := func(c driver.Change) bool { return u.adapter.OneOperation != nil && u.adapter.Refusals.names(err, c) }
	for _, c := range edit.Changes {
		if names(c) {
			blamed.Changes = append(blamed.Changes, c)
		} else {
			rest.Changes = append(rest.Changes, c)
		}
	}
	if edit.Password != driver.PasswordStays && names(asChange(edit.Password)) {
		blamed.Password = edit.Password
	} else {
		rest.Password = edit.Password
	}
	return blamed, rest
}

// apiece returns an edit for each thing that an edit changes.
func apiece(edit driver.Edit) (each []driver.Edit) {
	for i := range edit.Changes {
		each = append(each, driver.Edit{Changes: edit.Changes[i : i+1]})
	}
	if edit.Password != driver.PasswordStays {
		each = append(each, driver.Edit{Password: edit.Password})
	}
	return each
}

// alone makes a call of each thing of an edit. One that is refused has failed, and an error that is about no value ends it. If all were
// refused, and not for their values, it returns why.
func (u *update[S, H, P]) alone(ctx context.Context, part *Part[S, H, P], edit driver.Edit) error {
	before, first, each := u.failed(), len(u.result.Failed), apiece(edit)
	for i, one := range each {
		if part.Steps {
			u.have = nil
		}
		have, err := u.look(ctx, part)
		if u.begun() {
			err = u.adapter.OneOperation
		}
		if err == nil {
			_, err = u.try(ctx, part, have, one)
		}
		switch {
		case err == nil, u.partly(err, one):
		case part.refuses(err):
			u.failExplained(err, one)
		default:
			for _, one := range each[i:] {
				u.fail(err, one)
			}
			return nil
		}
	}
	if u.failed()-before == len(each) && u.adapter.Whole != nil && u.adapter.Whole(u.result.Failed[first].Err) {
		return u.result.Failed[first].Err
	}
	return nil
}

// begun reports whether an operation was started beside which the cloud takes no other call.
func (u *update[S, H, P]) begun() bool {
	return u.adapter.OneOperation != nil && u.result.Operation != ""
}

// look reads what is there: once, or for every call if each is guarded by what was read. It returns an error if another object has
// taken the name since the caller observed it.
func (u *update[S, H, P]) look(ctx context.Context, part *Part[S, H, P]) (*H, error) {
	u.observed = false
	if part.Blind {
		return new(H), nil
	}
	if u.have != nil && !u.adapter.Guarded {
		return u.have, nil
	}
	var o driver.Observation
	have, err := u.read(ctx, part, &o)
	if err != nil {
		return nil, err
	}
	if have == nil {
		return nil, &driver.Error{Code: driver.NotFound, Op: u.adapter.ReadCall, Message: fmt.Sprintf("the %s is not there any more", u.adapter.Noun)}
	}
	u.adapter.State(&u.req, have, &o)
	if u.req.ID != "" && o.ID != u.req.ID {
		return nil, &driver.Error{Code: driver.Conflict, Op: u.adapter.ReadCall,
			Message: fmt.Sprintf("another %s has taken the name: the one before was deleted by someone else", u.adapter.Noun)}
	}
	u.have, u.result.ID = have, o.ID
	return have, nil
}

// read returns what the observation read of which the changes are, for the first write if that carries its version; else it reads.
func (u *update[S, H, P]) read(ctx context.Context, part *Part[S, H, P], o *driver.Observation) (*H, error) {
	name := u.req.Read
	u.req.Read = ""
	if name != "" && part.Versioned {
		if have := u.adapter.reads.take(name); have != nil {
			u.observed = true
			return have, nil
		}
	}
	return u.adapter.Read(ctx, &u.req, o)
}

// try makes one call of an edit, and returns what of it could be part of it. The rest has failed.
func (u *update[S, H, P]) try(ctx context.Context, part *Part[S, H, P], have *H, edit driver.Edit) (tried driver.Edit, err error) {
	var params P
	mark := false
	for _, c := range edit.Changes {
		switch c.Field {
		case driver.FieldMark:
			mark = true
		case driver.FieldUsername:
		default:
			if err := u.adapter.Table.Patch(&u.req.Spec, have, []driver.Change{c}, &params); err != nil {
				u.failChanges(invalid("%s", err), c)
				continue
			}
		}
		tried.Changes = append(tried.Changes, c)
	}
	tried.Password = edit.Password
	u.putPassword(&params, edit.Password)
	if tried.Len() == 0 {
		return tried, nil
	}
	switch {
	case mark:
		u.adapter.addMark(&params, u.req.Mark)
	case u.adapter.Tags != nil && slices.Contains(driver.Names(tried.Changes), tagsField):
		completeMark(u.adapter.Tags(&params), u.req.Mark)
	}
	u.req.Password = edit.Password
	operation, err := part.Write(ctx, &u.req, have, &params, tried.Changes)
	if operation != "" {
		u.result.Operation = operation
	}
	return tried, err
}

// putPassword puts into a call's parameters what a change of the administrator's password takes.
func (u *update[S, H, P]) putPassword(params *P, change driver.PasswordChange) {
	if change == driver.HandOverPassword || change == driver.TakeBackPassword {
		u.adapter.Manage(params, change == driver.HandOverPassword)
	}
	if change.Sets() && u.adapter.Password != nil {
		u.adapter.Password(params, u.req.Login.Password)
	}
}

// asChange returns a change of the password as the words of refusals know it: by the field that people know it by.
func asChange(change driver.PasswordChange) driver.Change {
	if change == driver.SetPassword {
		return driver.Change{Field: "credentials.password"}
	}
	return driver.Change{Field: "credentials.source"}
}

// refuses reports whether an error may be about one value of several.
func (p *Part[S, H, P]) refuses(err error) bool { return p.Refuses != nil && p.Refuses(err) }
