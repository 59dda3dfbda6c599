package lease

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// early is how long before its end a lease is renewed. Up to spread is added to it, so that leases which
	// began together, as after a restart, are not all renewed at once.
	early  = 5 * time.Minute
	spread = time.Minute
	// pause is how long after a renewal that failed the next is tried.
	pause = 30 * time.Second
)

// A Fetch gets the next value and says when it runs out; the zero time for never. It must end of itself: what it waits for
// needs deadlines. It keeps the values of the context of a call, but not its end, because others wait for it too.
type Fetch[T any] func(ctx context.Context) (value T, expires time.Time, err error)

// A Lease is a value that is good for some time.
type Lease[T any] struct {
	Value T
	// Since is when it was fetched.
	Since   time.Time
	expires time.Time
}

// A Keeper keeps the current lease. It is safe for concurrent use.
type Keeper[T any] struct {
	fetch Fetch[T]
	now   func() time.Time

	mu      sync.Mutex
	current *Lease[T]
	renew   time.Time // when to fetch the next one; the zero time for never
	running *fetching[T]
}

// fetching is one fetch under way; done is closed when lease and err are set.
type fetching[T any] struct {
	done  chan struct{}
	lease *Lease[T]
	err   error
}

// New returns a Keeper that fetches its first value when it is asked for one.
func New[T any](now func() time.Time, fetch Fetch[T]) *Keeper[T] {
	return &Keeper[T]{fetch: fetch, now: now}
}

// Get returns the current lease. If there is none that is good, it waits for one to be fetched, no longer than ctx
// allows; many callers wait for one fetch.
func (k *Keeper[T]) Get(ctx context.Context) (*Lease[T], error) {
	k.mu.Lock()
	now, current := k.now(), k.current
	good := current != nil && (current.expires.IsZero() || now.Before(current.expires))
	if good && (k.renew.IsZero() || now.Before(k.renew)) {
		k.mu.Unlock()
		return current, nil
	}
	f := k.running
	if f == nil {
		f = &fetching[T]{done: make(chan struct{})}
		k.running = f
		go k.run(context.WithoutCancel(ctx), f)
	}
	k.mu.Unlock()
	if good {
		return current, nil
	}
	select {
	case <-f.done:
		return f.lease, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Drop forgets a lease that the cloud refused. One that was fetched since stays.
func (k *Keeper[T]) Drop(refused *Lease[T]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == refused {
		k.current = nil
	}
}

func (k *Keeper[T]) run(ctx context.Context, f *fetching[T]) {
	value, expires, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if err == nil {
		f.lease = &Lease[T]{Value: value, Since: now, expires: expires}
		k.current, k.renew = f.lease, time.Time{}
		if !expires.IsZero() {
			k.renew = expires.Add(-min(early+rand.N(spread), expires.Sub(now)/2)) // one that is short is renewed half-way
		}
	} else {
		f.err = err
		k.renew = now.Add(pause)
	}
	k.running = nil
	close(f.done)
}
