package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// workTimeout ends work on a server that neither answers nor exits. Starts take well
// under a second; a machine on which dozens of them begin at once is given time, since an instance whose server did not start has failed for good.
const workTimeout = 10 * time.Minute

var (
	errNoEngine       = errors.New("no such instance")
	errEnginesClosed  = errors.New("the local cloud is closed")
	errSuspended      = errors.New("the instance is stopped")
	errEngineExists   = errors.New("an instance of that id exists")
	errWorkTimeout    = errors.New("the work on the server took too long")
	errEngineReserved = errors.New("the name is reserved")
)

// Engines starts, knows and ends all database servers of a cloud. It is safe for concurrent
// use: calls for one instance take turns (a SetPassword during a start waits for it), calls for
// different instances do not wait for each other, except that only a few servers boot at a time.
type Engines struct {
	dir           string
	listenersOnly bool
	ctx           context.Context
	cancel        context.CancelFunc
	nursery       *nursery
	booting       chan struct{} // its capacity is how many servers may boot at a time
	limit         time.Duration // of all work on a server; workTimeout but in tests
	Authority     func() (*Authority, error)
	home          func() (*home, error)

	mu      sync.Mutex
	known   map[string]*instance
	copies  map[string]*dataCopy
	working sync.WaitGroup // starts, stops and snapshots under way
	made    *home          // what close removes
	closed  bool
}

// New returns the servers of a cloud, which keep their data below a folder; bare listeners if listenersOnly says so.
func New(dir string, listenersOnly bool) *Engines {
	ctx, cancel := context.WithCancel(context.Background())
	e := &Engines{
		dir: dir, listenersOnly: listenersOnly, ctx: ctx, cancel: cancel,
		nursery:   &nursery{},
		booting:   make(chan struct{}, max(2, runtime.NumCPU())),
		limit:     workTimeout,
		Authority: sync.OnceValues(func() (*Authority, error) { return NewAuthority("Mooring local cloud", nil) }),
		known:     map[string]*instance{}, copies: map[string]*dataCopy{},
	}
	e.home = sync.OnceValues(e.newHome)
	return e
}

// admit makes an instance known, locked.
func (e *Engines) admit(id string) (*instance, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errEnginesClosed
	}
	if e.known[id] != nil {
		return nil, errEngineExists
	}
	in := &instance{}
	in.ctx, in.cancel = context.WithCancel(e.ctx)
	in.mu.Lock()
	e.known[id] = in
	e.working.Add(1)
	return in, nil
}

// forget ends a locked instance and makes its id free.
func (e *Engines) forget(id string, in *instance) error {
	e.mu.Lock()
	if e.known[id] == in {
		delete(e.known, id)
	}
	e.mu.Unlock()
	in.cancel()
	in.gone = true
	if in.backing == nil {
		return nil
	}
	return in.backing.remove()
}

// with calls f with an instance that is locked. The context ends when the instance is stopped, and when the work takes too long.
func (e *Engines) with(id, op string, f func(context.Context, *instance) error) error {
	e.mu.Lock()
	in := e.known[id]
	e.mu.Unlock()
	if in == nil {
		return fmt.Errorf("engine %q: %s: %w", id, op, errNoEngine)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	err := errNoEngine
	if !in.gone {
		err = e.limited(in.ctx, op, func(ctx context.Context) error { return f(ctx, in) })
	}
	if err != nil {
		return fmt.Errorf("engine %q: %s: %w", id, op, err)
	}
	return nil
}

// limited does work on a server with a limit. An error after it says what took too long, beside what was waited for.
func (e *Engines) limited(ctx context.Context, op string, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.limit, fmt.Errorf("%w: %s was not done within %v", errWorkTimeout, op, e.limit))
	defer cancel()
	err := work(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// Close ends all servers and removes their data.
func (e *Engines) Close() error {
	e.mu.Lock()
	e.closed = true
	ids := make([]string, 0, len(e.known))
	for id := range e.known {
		ids = append(ids, id)
	}
	e.mu.Unlock()
	e.cancel()
	errs := make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() { errs[i] = e.Stop(id) })
	}
	all.Wait()
	e.working.Wait()
	e.nursery.close()
	if e.made != nil {
		errs = append(errs, os.RemoveAll(e.made.path))
	}
	return errors.Join(errs...)
}
