package table

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Update implements External: each part makes one call of all its changes.
func (a *Adapter[S, H, P]) Update(ctx context.Context, req Request[S], changes []driver.Change) (driver.Result, error) {
	if err := a.serves(&req); err != nil {
		return driver.Result{}, err
	}
	u := &update[S, H, P]{adapter: a, req: req}
	u.rest()
	upgrade, changes, err := u.apart(ctx, changes)
	if err != nil {
		return driver.Result{}, driver.RedactError(err, a.secrets(&req)...)
	}
	if err := u.apply(ctx, changes); err != nil {
		return u.result, driver.RedactError(err, a.secrets(&req)...)
	}
	u.upgrade(ctx, req.Operation, upgrade, changes)
	u.redactFailed()
	return u.result, nil
}

// redactFailed takes the secrets of the request out of what failed.
func (u *update[S, H, P]) redactFailed() {
	for i, failed := range u.result.Failed {
		u.result.Failed[i].Err = driver.ErrorOf(driver.RedactError(failed.Err, u.adapter.secrets(&u.req)...))
	}
}

// rest has the operation of the request waited for no more: it matters to observations, promotions and successions, and to
// what goes on with it.
func (u *update[S, H, P]) rest() { u.req.Operation, u.req.Resting = "", u.req.Operation }

// apply makes changes. The error that it returns is of the update as a whole.
func (u *update[S, H, P]) apply(ctx context.Context, changes []driver.Change) error {
	a := u.adapter
	changes, err := u.supported(changes)
	if err != nil {
		return err
	}
	by := u.sort(changes)
	parts, before := a.inOrder(by), len(u.result.Failed)
	for _, part := range parts {
		if failed := u.result.Failed[before:]; len(failed) > 0 && part.Last != nil && part.Last(by[part]) {
			u.fail(waitsFor(failed[0]), by[part]...)
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

// inOrder returns the parts that have changes, in the order of their calls.
func (a *Adapter[S, H, P]) inOrder(by map[*Part[S, H, P]][]driver.Change) (first []*Part[S, H, P]) {
	var last []*Part[S, H, P]
	for i := range a.Parts {
		switch part := &a.Parts[i]; {
		case len(by[part]) == 0:
		case part.Last != nil && part.Last(by[part]):
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

func (u *update[S, H, P]) fail(err error, changes ...driver.Change) {
	for _, c := range changes {
		u.failWith(err, err, c)
	}
}

// failExplained is fail for a refusal of one change, with its field ahead.
func (u *update[S, H, P]) failExplained(err error, c driver.Change) {
	u.failWith(u.adapter.Refusals.ofChange(err, c), err, c)
}

func (u *update[S, H, P]) failWith(says, cause error, c driver.Change) {
	if partly, some := errors.AsType[*Unset](says); some {
		says = partly.Err
	}
	u.result.Failed = append(u.result.Failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(says), Unset: unset(cause, c)})
}

// failAs has those changes failed that a call says that it did not make.
func (u *update[S, H, P]) failAs(failed FieldErrors, changes []driver.Change) {
	for _, f := range failed {
		for _, c := range changes {
			if c.Field == f.Field && f.Unset == nil {
				f.Unset = unset(f.Err, c)
			}
		}
		u.result.Failed = append(u.result.Failed, f)
	}
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
		u.fail(invalid("%s", prose.Join(lines)), c)
	}
	return taken, nil
}

// sort returns the changes of each part. Those that can't be made have failed.
func (u *update[S, H, P]) sort(changes []driver.Change) map[*Part[S, H, P]][]driver.Change {
	by := map[*Part[S, H, P]][]driver.Change{}
	for _, c := range changes {
		part := u.adapter.partOf(c.Field)
		switch {
		case c.Field == driver.FieldMark && !u.marking:
			u.fail(invalid("%s: only a command changes it", c.Field), c)
		case c.Field == driver.FieldMark && u.adapter.Tags == nil:
		case c.Effect == driver.Impossible:
			u.fail(invalid("%s can't change: %s", c.Field, c.Why), c)
		case c.Field == driver.FieldSource && u.adapter.Manage == nil:
			u.fail(invalid("%s", noManagement), c)
		case (c.SetsPassword() || c.Field == driver.FieldUsername) && u.req.Login.Password == "":
			u.fail(invalid("there is no password to set"), c)
		case part == nil:
			u.fail(invalid("%s: there is no call that changes it", c.Field), c)
		case len(c.Foreign) > 0:
			u.fail(&driver.Error{Code: driver.Conflict, Message: c.StaysTheirs()}, c)
			if len(c.Foreign) < len(c.Names) { // the rest is ours to change
				by[part] = append(by[part], c)
			}
		default:
			by[part] = append(by[part], c)
		}
	}
	return by
}

// write makes one call of all changes of a part. A cloud that refuses a value may not say which, so each is then tried alone: one that
// is refused must not keep the others away. Where a call that is taken keeps all others waiting, those that the refusal names go first, and the rest is tried
// together again: so all that is refused is told at once. The error that it returns is of the update as a whole.
func (u *update[S, H, P]) write(ctx context.Context, part *Part[S, H, P], changes []driver.Change) error {
	if u.begun() {
		u.fail(u.adapter.OneOperation, changes...)
		return nil
	}
	for {
		have, err := u.look(ctx, part)
		if err != nil {
			return err
		}
		tried, err := u.try(ctx, part, have, changes)
		later, waits := errors.AsType[FieldErrors](err)
		switch {
		case err == nil:
			return nil
		case u.observed && driver.CodeOf(err) == driver.Busy: // somebody changed it since: what is there now decides
			changes = tried
			continue
		case waits:
			u.failAs(later, tried)
			return nil
		case len(tried) < 2 || !part.refuses(err):
			return u.refused(err, tried)
		}
		blamed, rest := u.blame(err, tried)
		if len(blamed) == 0 || len(rest) == 0 {
			return u.alone(ctx, part, tried)
		}
		for _, c := range blamed {
			u.failExplained(err, c)
		}
		changes = rest
	}
}

// refused tells of changes that are not tried one by one.
func (u *update[S, H, P]) refused(err error, changes []driver.Change) error {
	if u.adapter.Whole != nil && u.adapter.Whole(err) {
		return err
	}
	if len(changes) == 1 {
		u.failExplained(err, changes[0])
		return nil
	}
	u.fail(err, changes...)
	return nil
}

// blame divides changes into those that a refusal names, and the rest. All are the rest where each can be tried alone in the same update.
func (u *update[S, H, P]) blame(err error, changes []driver.Change) (blamed, rest []driver.Change) {
	for _, c := range changes {
		if u.adapter.OneOperation != nil && u.adapter.Refusals.names(err, c) {
			blamed = append(blamed, c)
		} else {
			rest = append(rest, c)
		}
	}
	return blamed, rest
}

// alone makes a call of each change. One that is refused has failed, and an error that is about no value ends it. If all were refused,
// and not for their values, it returns why.
func (u *update[S, H, P]) alone(ctx context.Context, part *Part[S, H, P], changes []driver.Change) error {
	before := len(u.result.Failed)
	for i, c := range changes {
		if part.Steps {
			u.have = nil
		}
		have, err := u.look(ctx, part)
		if u.begun() {
			err = u.adapter.OneOperation
		}
		if err == nil {
			_, err = u.try(ctx, part, have, changes[i:i+1])
		}
		later, waits := errors.AsType[FieldErrors](err)
		switch {
		case err == nil:
		case waits:
			u.failAs(later, changes[i:i+1])
		case part.refuses(err):
			u.failExplained(err, c)
		default:
			u.fail(err, changes[i:]...)
			return nil
		}
	}
	refused := u.result.Failed[before:]
	if len(refused) == len(changes) && u.adapter.Whole != nil && u.adapter.Whole(refused[0].Err) {
		return refused[0].Err
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

// try makes one call of changes, and returns those that could be part of it. The others have failed.
func (u *update[S, H, P]) try(ctx context.Context, part *Part[S, H, P], have *H, changes []driver.Change) (tried []driver.Change, err error) {
	var params P
	mark := false
	for _, c := range changes {
		switch c.Field {
		case driver.FieldMark:
			mark = true
		case driver.FieldUsername:
		case driver.FieldPassword, driver.FieldSource:
			u.putPassword(&params, c)
		default:
			if err := u.adapter.Table.Patch(&u.req.Spec, have, []driver.Change{c}, &params); err != nil {
				u.fail(invalid("%s", err), c)
				continue
			}
		}
		tried = append(tried, c)
	}
	if len(tried) == 0 {
		return nil, nil
	}
	switch {
	case mark:
		u.adapter.addMark(&params, u.req.Mark)
	case u.adapter.Tags != nil && slices.Contains(driver.Names(tried), "tags"):
		completeMark(u.adapter.Tags(&params), u.req.Mark)
	}
	operation, err := part.Write(ctx, &u.req, have, &params, tried)
	if operation != "" {
		u.result.Operation = operation
	}
	return tried, err
}

// putPassword puts into a call's parameters what a change of the administrator's password takes.
func (u *update[S, H, P]) putPassword(params *P, c driver.Change) {
	if c.Field == driver.FieldSource {
		u.adapter.Manage(params, c.HandsOver())
	}
	if c.SetsPassword() && u.adapter.Password != nil {
		u.adapter.Password(params, u.req.Login.Password)
	}
}

// refuses reports whether an error may be about one value of several.
func (p *Part[S, H, P]) refuses(err error) bool { return p.Refuses != nil && p.Refuses(err) }
