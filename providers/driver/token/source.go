package token

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// early is how long before its end a value is renewed. Up to spread is added to it, so that values which
	// began together, as after a restart, are not all renewed at once.
	early  = 5 * time.Minute
	spread = time.Minute
	// pause is how long after a renewal that failed the next is tried.
	pause = 30 * time.Second
)

// A Fetch gets the next value and says when it runs out; the zero time for never. It must end of itself: what it waits for
// needs deadlines. It keeps the values of the context of a call, but not its end, because others wait for it too.
type Fetch[T any] func(ctx context.Context) (value T, expires time.Time, err error)

// A Cached value is one that is good for some time.
type Cached[T any] struct {
	Value T
	// Since is when it was fetched.
	Since   time.Time
	expires time.Time
}

// A Source has the current value. It is safe for concurrent use.
type Source[T any] struct {
	fetch Fetch[T]
	now   func() time.Time

	mu      sync.Mutex
	current *Cached[T]
	renew   time.Time // when to fetch the next one; the zero time for never
	running *fetching[T]
}

// fetching is one fetch under way; done is closed when cached and err are set.
type fetching[T any] struct {
	done   chan struct{}
	cached *Cached[T]
	err    error
}

// New returns a Source that fetches its first value when it is asked for one.
func New[T any](now func() time.Time, fetch Fetch[T]) *Source[T] {
	return &Source[T]{fetch: fetch, now: now}
}

// Get returns the current value. If there is none that is good, it waits for one to be fetched, no longer than ctx
// allows; many callers wait for one fetch.
func (s *Source[T]) Get(ctx context.Context) (*Cached[T], error) {
	s.mu.Lock()
	now, current := s.now(), s.current
	good := current != nil && (current.expires.IsZero() || now.Before(current.expires))
	if good && (s.renew.IsZero() || now.Before(s.renew)) {
		s.mu.Unlock()
		return current, nil
	}
	f := s.running
	if f == nil {
		f = &fetching[T]{done: make(chan struct{})}
		s.running = f
		go s.run(context.WithoutCancel(ctx), f)
	}
	s.mu.Unlock()
	if good {
		return current, nil
	}
	select {
	case <-f.done:
		return f.cached, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Drop forgets a value that the cloud refused. One that was fetched since stays.
func (s *Source[T]) Drop(refused *Cached[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == refused {
		s.current = nil
	}
}

func (s *Source[T]) run(ctx context.Context, f *fetching[T]) {
	value, expires, err := s.fetch(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if err == nil {
		f.cached = &Cached[T]{Value: value, Since: now, expires: expires}
		s.current, s.renew = f.cached, time.Time{}
		if !expires.IsZero() {
			s.renew = expires.Add(-min(early+rand.N(spread), expires.Sub(now)/2)) // one that is short is renewed half-way
		}
	} else {
		f.err = err
		s.renew = now.Add(pause)
	}
	s.running = nil
	close(f.done)
}
