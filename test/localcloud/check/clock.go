package check

import (
	"sync"
	"time"
)

// A Clock is moved by hand. At is the time that it begins with.
type Clock struct {
	mu sync.Mutex
	At time.Time
}

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.At
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.At = c.At.Add(d)
}
