package table

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Succession is how an object gets another version by one that the cloud prepares beside it, and that then takes its place. All functions are set.
type Succession[S, H, P any] struct {
	// Observe completes an observation by what the cloud says of the operation in the request, and of Request.Former. have is nil if no object has the name.
	Observe func(ctx context.Context, req *Request[S], have *H, o *driver.Observation) error
	// Together returns those of changes that the cloud makes together with that of the version, and not before it.
	Together func(ctx context.Context, req *Request[S], have *H, changes []driver.Change) ([]driver.Change, error)
	// Upgrade begins the preparation, or has what is prepared take over, and returns the operation. look reads the object, and fills in what changes set.
	Upgrade func(ctx context.Context, req *Request[S], changes []driver.Change, look func() (*H, *P, error)) (operation string, err error)
	// Undo takes away what was prepared, and returns the operation by which that goes; empty if nothing is there. have is nil if no object has the name.
	Undo func(ctx context.Context, req *Request[S], have *H) (operation string, err error)
	// Former makes of Request.Former what FieldFormer says.
	Former func(ctx context.Context, req *Request[S], to string) error
}

// former does what FieldFormer says, if that is among changes. It reports whether it is.
func (u *update[S, H, P]) former(ctx context.Context, changes []driver.Change) (is bool, err error) {
	at := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == driver.FieldFormer })
	switch {
	case at < 0:
		return false, nil
	case len(changes) != 1:
		return true, invalid("what becomes of the former %s is the only change of its update, and this one has %d", u.adapter.Noun, len(changes))
	case u.adapter.Beside == nil:
		return true, &driver.Error{Code: driver.Unsupported, Message: "a " + u.adapter.Noun + " of this cloud takes the place of no other one"}
	case u.req.Former == nil:
		return true, invalid("the request does not say which %s was the former one", u.adapter.Noun)
	case changes[at].To != driver.FormerReleased && changes[at].To != driver.FormerDeleted:
		return true, invalid("the former %s can become %s or %s, not %q", u.adapter.Noun, driver.FormerReleased, driver.FormerDeleted, changes[at].To)
	}
	return true, u.adapter.Beside.Former(ctx, &u.req, changes[at].To)
}

// undo takes away what was prepared to take the object's place, if the changes ask for that, or release the object. It returns the other changes.
func (u *update[S, H, P]) undo(ctx context.Context, changes []driver.Change) (rest []driver.Change, err error) {
	staged := func(c driver.Change) bool { return c.Field == driver.FieldStaged }
	asked := slices.ContainsFunc(changes, staged)
	released := u.req.Mark.Released && slices.Contains(driver.Names(changes), driver.FieldMark)
	if u.adapter.Beside == nil || !asked && (!released || u.req.Operation == "") {
		return changes, nil
	}
	var have *H
	if asked {
		if have, err = u.look(ctx, &Part[S, H, P]{}); err != nil {
			return nil, err
		}
	}
	u.result.Operation, err = u.adapter.Beside.Undo(ctx, &u.req, have)
	return slices.DeleteFunc(slices.Clone(changes), staged), err
}

// versionField is the field of the table that has the version.
const versionField = "version"

// apart divides changes into that of the version with what goes together with it, and the others, which are made first. The former is empty unless the version is changed by an object beside this one.
func (u *update[S, H, P]) apart(ctx context.Context, changes []driver.Change) (upgrade, others []driver.Change, err error) {
	at := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == versionField && c.Effect != driver.Impossible })
	if u.adapter.Beside == nil || !u.req.Beside || at < 0 {
		return nil, changes, nil
	}
	upgrade, others = []driver.Change{changes[at]}, slices.Delete(slices.Clone(changes), at, at+1)
	if len(others) == 0 {
		return upgrade, nil, nil
	}
	have, err := u.look(ctx, &Part[S, H, P]{})
	if err != nil {
		return nil, nil, err
	}
	together, err := u.adapter.Beside.Together(ctx, &u.req, have, others)
	others = slices.DeleteFunc(others, func(c driver.Change) bool { return slices.Contains(driver.Names(together), c.Field) })
	return append(upgrade, together...), others, err
}

// upgrade changes the version by an object beside this one. If others were changed, the cloud is at work on these first.
func (u *update[S, H, P]) upgrade(ctx context.Context, operation string, changes, others []driver.Change) {
	switch {
	case len(changes) == 0:
		return
	case len(u.result.Failed) < len(others):
		u.fail(&driver.Error{Code: driver.Busy, Message: "the other changes are made first, and that of the version after them"}, changes...)
		return
	}
	u.have = nil
	req := u.req
	req.Operation = operation
	var err error
	u.result.Operation, err = u.adapter.Beside.Upgrade(ctx, &req, changes, func() (*H, *P, error) {
		have, err := u.look(ctx, &Part[S, H, P]{})
		if err != nil {
			return nil, nil, err
		}
		params := new(P)
		return have, params, u.adapter.Table.Patch(&req.Spec, have, changes, params)
	})
	if err != nil {
		u.failExplained(err, changes[0])
		u.fail(err, changes[1:]...)
	}
}
