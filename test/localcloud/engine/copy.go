package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

var (
	errNoCopy     = errors.New("there is no such copy of the data of a server")
	errCopyExists = errors.New("a copy of that name exists")
	errCopyOf     = errors.New("the copy is of another engine, or of a server without data")
)

// A dataCopy is what a snapshot keeps of the data of a server, or the log of its writes with the data that the log begins with.
type dataCopy struct {
	engine string
	folder string    // holds the data folder and the log; empty for that of a bare listener, which has no data
	source *logins   // who can log in, of a bare listener: a copy's do not change, and those of a log are the server's own
	empty  *template // what the log begins with in place of the data folder: that of a new server begins with nothing
	logged bool      // it has a log
	made   bool      // by whoever made it; until then it can't be used
	users  int       // those that begin, or are about to begin, as a copy of it
	gone   bool      // nobody can begin to use it
	// marked is when the last mark was made in the log, in nanoseconds of the machine's clock. Recovery up to a time before a mark finds its end.
	marked atomic.Int64
}

func (c *dataCopy) data() string { return filepath.Join(c.folder, "data") }

func (c *dataCopy) log() string { return filepath.Join(c.folder, "log") }

// Snapshot keeps a copy of the data of a server, running or suspended, under a name of its own, and returns once it is complete. What is written to
// the server meanwhile may be in it or not. A stop of the server ends a snapshot that is under way with an error, and nothing is left of it then.
func (e *Engines) Snapshot(id, as string) error {
	return e.keep(as, func(c *dataCopy) error {
		return e.with(id, "keep a copy", func(ctx context.Context, in *instance) error {
			c.engine = in.kind
			if b, bare := in.backing.(*bareListener); bare {
				c.source = b.logins.frozen()
				return nil
			}
			h, err := e.home()
			if err != nil {
				return err
			}
			if c.folder, err = h.folder("copy-" + as); err != nil {
				return err
			}
			return in.backing.copyData(ctx, c.data())
		})
	})
}

// keep has work fill a copy under a name of its own, and forgets one that could not be made.
func (e *Engines) keep(as string, work func(*dataCopy) error) error {
	c := &dataCopy{}
	e.mu.Lock()
	err := errCopyExists
	switch {
	case e.closed:
		err = errEnginesClosed
	case e.copies[as] == nil:
		err, e.copies[as] = nil, c
		e.working.Add(1)
	}
	e.mu.Unlock()
	if err != nil {
		return fmt.Errorf("keep %q: %w", as, err)
	}
	defer e.working.Done()
	err = work(c)
	e.mu.Lock()
	c.made = err == nil
	removed := e.forgetCopy(as, c, err != nil || c.gone)
	e.mu.Unlock()
	if removed {
		err = errors.Join(err, c.remove())
	}
	return err
}

// Drop removes a copy, at the latest when those are done that hold it. One that is still being made goes once it is. A copy that is missing is no error.
func (e *Engines) Drop(as string) error {
	e.mu.Lock()
	c := e.copies[as]
	if c == nil {
		e.mu.Unlock()
		return nil
	}
	c.gone = true
	removed := e.forgetCopy(as, c, c.made)
	e.mu.Unlock()
	if !removed {
		return nil
	}
	return c.remove()
}

// Hold makes sure that a copy is there until release is called, even if somebody drops it meanwhile: a server is about to begin as it.
func (e *Engines) Hold(as string) (release func(), err error) {
	_, release, err = e.use(as, false)
	return release, err
}

// use returns a copy, and the function that ends its use. dropped says that one that somebody dropped will do, since another use of it goes on.
func (e *Engines) use(as string, dropped bool) (*dataCopy, func(), error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.copies[as]
	if c == nil || !c.made || c.gone && !dropped {
		return nil, nil, fmt.Errorf("copy %q: %w", as, errNoCopy)
	}
	c.users++
	return c, func() {
		e.mu.Lock()
		c.users--
		removed := e.forgetCopy(as, c, c.gone)
		e.mu.Unlock()
		if removed {
			_ = c.remove() // close removes what is left
		}
	}, nil
}

// forgetCopy makes the name of a copy that is to go free, if nobody uses it, and reports whether its data are to be removed. The caller holds the lock.
func (e *Engines) forgetCopy(as string, c *dataCopy, goes bool) bool {
	if !goes || c.users > 0 || e.copies[as] != c {
		return false
	}
	delete(e.copies, as)
	return true
}

func (c *dataCopy) remove() error {
	if c.folder == "" {
		return nil
	}
	return os.RemoveAll(c.folder)
}

// origin returns the copy that a server is to begin as, and the function that ends its use; nil for none.
func (e *Engines) origin(spec Spec) (*dataCopy, func(), error) {
	if spec.From == "" {
		return nil, func() {}, nil
	}
	c, release, err := e.use(spec.From, true)
	if err == nil && c.engine != spec.Engine {
		release()
		return nil, nil, fmt.Errorf("copy %q: %w", spec.From, errCopyOf)
	}
	return c, release, err
}
