package token_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mooring-dev/mooring/providers/driver/token"
)

// A source hands out numbers, each good for life, after delay.
type source struct {
	fetched     atomic.Int64
	life, delay time.Duration
	err         error
}

func (s *source) fetch(context.Context) (int64, time.Time, error) {
	n := s.fetched.Add(1)
	time.Sleep(s.delay)
	if s.err != nil {
		return 0, time.Time{}, s.err
	}
	if s.life == 0 {
		return n, time.Time{}, nil
	}
	return n, time.Now().Add(s.life), nil
}

func want(t *testing.T, k *token.Source[int64], value int64) *token.Cached[int64] {
	t.Helper()
	got, err := k.Get(t.Context())
	if err != nil || got.Value != value {
		t.Fatalf("got %+v, %v, want %d", got, err, value)
	}
	return got
}

func TestRenewal(t *testing.T) {
	for _, tc := range []struct {
		name  string
		life  time.Duration
		until time.Duration // it is kept until then
		by    time.Duration // and renewed by then
	}{
		{"an hour", time.Hour, 53 * time.Minute, 56 * time.Minute},
		{"a quarter", 15 * time.Minute, 8 * time.Minute, 11 * time.Minute},
		{"a second", time.Second, 400 * time.Millisecond, 600 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := token.New(time.Now, (&source{life: tc.life, delay: time.Millisecond}).fetch)
				want(t, k, 1)
				time.Sleep(tc.until)
				want(t, k, 1)
				time.Sleep(tc.by - tc.until)
				start := time.Now()
				want(t, k, 1)
				if took := time.Since(start); took > 0 {
					t.Errorf("a call waited %v for a renewal", took)
				}
				time.Sleep(time.Millisecond)
				synctest.Wait()
				want(t, k, 2)
			})
		})
	}
}

func TestWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := token.New(time.Now, (&source{}).fetch)
		want(t, k, 1)
		time.Sleep(100 * 24 * time.Hour)
		want(t, k, 1)
	})
}

// The old one serves until its very end, while renewals fail; they are tried every half a minute, not with every call.
func TestRenewalFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{life: time.Hour}
		k := token.New(time.Now, s.fetch)
		want(t, k, 1)
		s.err = errors.New("no")
		for range 59 * 60 { // a call every second
			time.Sleep(time.Second)
			want(t, k, 1)
		}
		if n := s.fetched.Load(); n < 8 || n > 12 {
			t.Errorf("%d fetches, want one every half a minute", n)
		}
		time.Sleep(time.Minute)
		if got, err := k.Get(t.Context()); !errors.Is(err, s.err) || got != nil {
			t.Errorf("after its end: got %v, %v", got, err)
		}
		before := s.fetched.Load()
		s.err = nil
		want(t, k, before+1)
	})
}

func TestOneFetchForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{life: time.Hour, delay: time.Second}
		k := token.New(time.Now, s.fetch)
		done := make(chan error)
		for range 100 {
			go func() {
				_, err := k.Get(t.Context())
				done <- err
			}()
		}
		for range 100 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := s.fetched.Load(); n != 1 {
			t.Errorf("%d fetches, want 1", n)
		}
	})
}

// Who gives up waiting gets an error at once; the fetch goes on for the others.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := token.New(time.Now, (&source{life: time.Hour, delay: time.Minute}).fetch)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := k.Get(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		want(t, k, 1)
	})
}

func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := token.New(time.Now, (&source{life: time.Hour}).fetch)
		first := want(t, k, 1)
		k.Drop(first)
		want(t, k, 2)
		k.Drop(first) // by one who was slow to learn of it
		want(t, k, 2)
	})
}

// A clock that is far ahead of the cloud's must not keep what was just fetched from being used.
func TestExpiredFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := token.New(time.Now, (&source{life: -time.Hour}).fetch)
		want(t, k, 1)
		want(t, k, 2)
	})
}
