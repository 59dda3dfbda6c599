package system

import (
	"sync/atomic"
	"time"
)

// A Clock is the real one, until a test puts it forward or stops it. The zero value shows the real time.
type Clock struct {
	ahead atomic.Int64
	// stopped is where the clock stands, in Unix nanoseconds; 0 if it goes.
	stopped atomic.Int64
}

// Now is the time by the clock.
func (c *Clock) Now() time.Time {
	now := time.Now()
	if at := c.stopped.Load(); at != 0 {
		now = time.Unix(0, at)
	}
	return now.Add(time.Duration(c.ahead.Load()))
}

// Forward puts the clock forward.
func (c *Clock) Forward(by time.Duration) { c.ahead.Add(int64(by)) }

// Stop has the clock stand still until Resume.
func (c *Clock) Stop() { c.stopped.Store(time.Now().UnixNano()) }

// Resume sets a stopped clock to the real time, plus what it was put forward.
func (c *Clock) Resume() { c.stopped.Store(0) }
