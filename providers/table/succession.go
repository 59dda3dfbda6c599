package table

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Succession implements version upgrades by blue/green deployment: the cloud prepares a new server next to the
// present one, and then switches over. All functions must be set.
type Succession[S, H, P any] struct {
	// Observe adds to an observation what the cloud reports about the deployment in the request, and about
	// Request.Former. have is nil if no object has the name.
	Observe func(ctx context.Context, req *Request[S], have *H, o *driver.Observation) error
	// Together returns the changes that the cloud makes in the same call as the upgrade.
	Together func(ctx context.Context, req *Request[S], have *H, changes []driver.Change) ([]driver.Change, error)
	// Upgrade starts the preparation, or the switchover if the preparation is complete, and returns the operation. look
	// reads the object, and fills the parameters for changes.
	Upgrade func(ctx context.Context, req *Request[S], changes []driver.Change, look func() (*H, *P, error)) (operation string, err error)
	// Undo removes a prepared deployment, and returns the operation that removes it; empty if there is none. have is
	// nil if no object has the name.
	Undo func(ctx context.Context, req *Request[S], have *H) (operation string, err error)
	// Former carries out driver.ReleaseFormer or driver.DeleteFormer for Request.Former.
	Former func(ctx context.Context, req *Request[S], verb driver.Verb) error
}

// former does what a verb says to the object in whose place this one was put.
func (u *update[S, H, P]) former(ctx context.Context, verb driver.Verb) error {
	if u.req.Former == nil {
		return invalid("the request does not say which %s was the former one", u.adapter.Noun)
	}
	return u.adapter.Beside.Former(ctx, &u.req, verb)
}

// dropStaged takes away what was prepared to take the object's place.
func (u *update[S, H, P]) dropStaged(ctx context.Context) error {
	have, err := u.look(ctx, &Part[S, H, P]{})
	if err != nil {
		return err
	}
	u.result.Operation, err = u.adapter.Beside.Undo(ctx, &u.req, have)
	return err
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
func (u *update[S, H, P]) upgrade(ctx context.Context, operation string, changes []driver.Change, others driver.Edit) {
	switch {
	case len(changes) == 0:
		return
	case u.failed() < others.Len():
		u.failChanges(&driver.Error{Code: driver.Busy, Message: "the other changes are made first, and that of the version after them"}, changes...)
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
		u.failExplained(err, driver.Edit{Changes: changes[:1]})
		u.failChanges(err, changes[1:]...)
	}
}
