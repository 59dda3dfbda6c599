package mem

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// settle returns what became of a database whose work is over; nil if it is gone.
func settle(c *Cloud, d *Database) (next *Database, moved bool) {
	w := d.work
	if w.phase == resting && c.leaderless(d) {
		return d.alone(), true
	}
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
