package mem

import (
	"fmt"
	"slices"
	"strings"
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
}

// A Cloud is a cloud in memory with any number of accounts. It is safe for concurrent use.
type Cloud struct {
	opts Options

	mu        sync.Mutex
	buckets   map[key]*slot[Bucket]
	databases map[key]*slot[Database]
	snapshots map[key]*snapshot
	failed    map[string]*driver.Error // operations that ended in an error
	serial    int
	calls     []Call
	faults    []*Fault
}

// key names an object. Buckets have no account in it: their names are global.
type key struct {
	account driver.AccountID
	name    string
}

// slot holds an object as it is and as it was before the last write, which is what a stale read shows. Both are
// nil if there is none, and neither is changed in place: whoever holds one may keep it.
type slot[T any] struct{ now, before *T }

func (s *slot[T]) put(next *T) { s.before, s.now = s.now, next }

// New returns an empty cloud.
func New(opts Options) *Cloud {
	if opts.Now == nil {
		opts.Now = time.Now //nolint:forbidigo // the cloud's default clock
	}
	return &Cloud{
		opts:      opts,
		buckets:   map[key]*slot[Bucket]{},
		databases: map[key]*slot[Database]{},
		snapshots: map[key]*snapshot{},
		failed:    map[string]*driver.Error{},
	}
}

// next returns a name that was not given before.
func (c *Cloud) next(prefix string) string {
	c.serial++
	return fmt.Sprintf("%s-%06d", prefix, c.serial)
}

// at returns the slot of k, made if need be.
func at[T any](slots map[key]*slot[T], k key) *slot[T] {
	s := slots[k]
	if s == nil {
		s = &slot[T]{}
		slots[k] = s
	}
	return s
}

// Bucket returns a copy of a bucket.
func (c *Cloud) Bucket(account driver.AccountID, name string) (Bucket, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.bucket(name)
	if b == nil || b.Account != account {
		return Bucket{}, false
	}
	return *b.clone(), true
}

// Buckets returns copies of all buckets of all accounts, by name.
func (c *Cloud) Buckets() []Bucket {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Bucket
	for _, s := range c.buckets {
		if s.now != nil {
			all = append(all, *s.now.clone())
		}
	}
	slices.SortFunc(all, func(a, b Bucket) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// PutBucket makes or replaces a bucket behind everybody's back. An ID is given if there is none.
func (c *Cloud) PutBucket(b Bucket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.ID == "" {
		b.ID = c.next("bucket")
	}
	at(c.buckets, key{name: b.Name}).put(b.clone())
}

// EditBucket changes a bucket behind everybody's back, and reports whether there is one. edit must not
// call the cloud.
func (c *Cloud) EditBucket(account driver.AccountID, name string, edit func(*Bucket)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.bucket(name)
	if b == nil || b.Account != account {
		return false
	}
	next := b.clone()
	edit(next)
	at(c.buckets, key{name: name}).put(next)
	return true
}

// RemoveBucket deletes a bucket and what is in it behind everybody's back.
func (c *Cloud) RemoveBucket(account driver.AccountID, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.bucket(name)
	if b == nil || b.Account != account {
		return false
	}
	at(c.buckets, key{name: name}).put(nil)
	return true
}

// Database returns a copy of a database as it is now.
func (c *Cloud) Database(account driver.AccountID, name string) (Database, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.database(key{account, name})
	if d == nil {
		return Database{}, false
	}
	return *d.clone(), true
}

// Databases returns copies of all databases of all accounts, by account and name.
func (c *Cloud) Databases() []Database {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Database
	for k := range c.databases {
		if d := c.database(k); d != nil {
			all = append(all, *d.clone())
		}
	}
	slices.SortFunc(all, func(a, b Database) int {
		return strings.Compare(string(a.Account)+" "+a.Name, string(b.Account)+" "+b.Name)
	})
	return all
}

// PutDatabase makes or replaces a database, at rest, behind everybody's back. An ID is given if there is none.
func (c *Cloud) PutDatabase(d Database) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.ID == "" {
		d.ID = c.next("database")
	}
	at(c.databases, key{d.Account, d.Name}).put(d.clone())
}

// EditDatabase changes a database at once, behind everybody's back, and reports whether there is one. edit must not
// call the cloud.
func (c *Cloud) EditDatabase(account driver.AccountID, name string, edit func(*Database)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key{account, name}
	d := c.database(k)
	if d == nil {
		return false
	}
	next := d.clone()
	edit(next)
	at(c.databases, k).put(next)
	return true
}

// RemoveDatabase deletes a database at once, behind everybody's back.
func (c *Cloud) RemoveDatabase(account driver.AccountID, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key{account, name}
	if c.database(k) == nil {
		return false
	}
	at(c.databases, k).put(nil)
	return true
}

// Snapshot returns the state of a snapshot: Absent, Pending, Ready or Failed.
func (c *Cloud) Snapshot(account driver.AccountID, name string) driver.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.snapshotState(key{account, name})
}
