package awstest

import (
	"sync"
	"time"
)

// A Clock is the local cloud's, and moves only when a test advances it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at noon of the first day of 2026.
func NewClock() *Clock { return NewClockAt(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)) }

// NewClockAt returns a clock that stands at a time.
func NewClockAt(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
