package mem

import (
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A snapshot is a final snapshot of a database.
type snapshot struct {
	source string // the database's ID
	ready  time.Time
	failed bool
}

// settle returns what became of a database whose work is over; nil if it is gone.
func settle(c *Cloud, d *Database) (next *Database, moved bool) {
	w := d.work
	if w.phase == resting || c.opts.Now().Before(w.until) {
		return d, false
	}
	next = d.clone()
	next.work, next.acting = work{}, ""
	if w.doomed {
		c.failed[w.operation] = &driver.Error{Code: driver.Internal, Op: w.operation, Message: lateFailure}
	}
	switch w.phase {
	case creating:
		if w.doomed {
			next.Problem = lateFailure
		}
	case modifying:
		if w.doomed {
			next = d.was.clone()
		}
		next.was = nil
	case deleting:
		if !w.doomed {
			return nil, true
		}
	}
	return next, true
}

const lateFailure = "the operation ended in an error"

// snapshotState returns the state of a snapshot.
func (c *Cloud) snapshotState(k key) driver.State {
	s := c.snapshots[k]
	switch {
	case s == nil:
		return driver.Absent
	case c.opts.Now().Before(s.ready):
		return driver.Pending
	case s.failed:
		return driver.Failed
	}
	return driver.Ready
}

// takeSnapshot starts a final snapshot of d.
func (c *Cloud) takeSnapshot(call *Call, d *Database, name string, h hits) error {
	k := key{d.Account, name}
	switch {
	case d.Problem != "":
		return fail(call, driver.Invalid, "a database that never worked can't take a final snapshot")
	case c.snapshots[k] != nil && !c.snapshots[k].failed:
		return fail(call, driver.Conflict, "a snapshot of the name %q exists", name)
	}
	c.snapshots[k] = &snapshot{source: d.ID, ready: c.opts.Now().Add(c.opts.SnapshotFor), failed: h.main.Kind == FailLate}
	return nil
}

// state says in the words of the contract what d is up to.
func (d *Database) state() driver.State {
	switch {
	case d.work.phase == deleting:
		return driver.Deleting
	case d.work.phase != resting:
		return driver.Pending
	case d.Problem != "":
		return driver.Failed
	}
	return driver.Ready
}
