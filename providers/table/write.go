package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

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
