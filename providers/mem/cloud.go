package mem

import (
	"fmt"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Options configures New. The zero value is a cloud that does everything at once.
type Options struct {
	// Now is the cloud's clock; time.Now if nil.
	Now func() time.Time
	// How long databases are being created, modified and deleted, and final snapshots being made.
	CreateFor, ModifyFor, DeleteFor, SnapshotFor time.Duration
	// Users gives the cloud the kind User and says how its objects are owned; empty for a cloud without.
	Users driver.Ownership
}

// A Cloud is a cloud in memory with any number of accounts. It is safe for concurrent use.
type Cloud struct {
	opts Options

	mu       sync.Mutex
	objects  map[Kind]any             // what objectsOf returns
	failed   map[string]*driver.Error // operations that ended in an error
	serial   int
	calls    []Call
	faults   []*Fault
	pageSize int // of lists; 0 for the usual
}

// New returns an empty cloud.
func New(opts Options) *Cloud {
	if opts.Now == nil {
		opts.Now = time.Now //nolint:forbidigo // the cloud's default clock
	}
	return &Cloud{
		opts:    opts,
		objects: map[Kind]any{},
		failed:  map[string]*driver.Error{},
	}
}

// next returns a name that was not given before.
func (c *Cloud) next(prefix string) string {
	c.serial++
	return fmt.Sprintf("%s-%06d", prefix, c.serial)
}

// Snapshot returns the state of a snapshot: Absent, Pending, Ready or Failed.
func (c *Cloud) Snapshot(account driver.AccountID, name string) driver.State {
	all := Snapshots(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	return all.own(account, name).state(c.opts.Now())
}
