package account

import (
	"slices"
	"testing"
	"time"
)

// requesters ask for slots, and record the order in which they are woken.
type requesters struct {
	t       *testing.T
	all     *Limiters
	source  *Source // that they use
	now     time.Time
	woken   []string
	release map[string]func(bool)
	// namespace and kind are those of whoever asks.
	namespace, kind string
}

func newRequesters(t *testing.T, widest int) *requesters {
	v := &requesters{t: t, now: time.Unix(0, 0), release: map[string]func(bool){}}
	v.all = New(widest, func() time.Time { return v.now }, nil)
	v.source = v.all.Source("", "aws", Key{})
	v.answers()
	return v
}

// answers has the cloud answer for the account that the source leads to, until the account has all its slots.
func (v *requesters) answers() {
	v.t.Helper()
	for v.source.limiter.degraded || v.source.limiter.limit < v.all.limit {
		v.acquires("first", InProgress)
		v.release["first"](true)
	}
	v.woken = nil
}

func (v *requesters) acquire(who string, p Priority) bool {
	slot := v.source.Acquire(Request{Requester: who, Namespace: v.namespace, Kind: v.kind, Priority: p, Wake: func() { v.woken = append(v.woken, who) }})
	if slot == nil {
		return false
	}
	v.release[who] = slot.Release
	return true
}

// enters and waits demand that somebody gets in, or does not.
func (v *requesters) acquires(who string, p Priority) {
	v.t.Helper()
	if !v.acquire(who, p) {
		v.t.Fatalf("%s gets no slot", who)
	}
}

func (v *requesters) queues(who string, p Priority) {
	v.t.Helper()
	if v.acquire(who, p) {
		v.t.Fatalf("%s gets a slot", who)
	}
}

// areWoken demands that exactly these were woken since the last call.
func (v *requesters) areWoken(want ...string) {
	v.t.Helper()
	if !slices.Equal(v.woken, want) {
		v.t.Fatalf("woken are %v, want %v", v.woken, want)
	}
	v.woken = nil
}

func TestRequestersAreWokenInOrder(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("a", Resync)
	v.queues("b", Resync)
	v.queues("c", Resync)
	v.queues("edited", UserRequested)
	v.queues("begun", InProgress)
	v.areWoken()
	for _, next := range []string{"begun", "edited", "b", "c"} {
		v.release["a"](true)
		v.areWoken(next)
		v.acquires(next, Resync)
		v.release["a"] = v.release[next]
	}
}

func TestASlotIsReservedForAWokenRequester(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("a", Resync)
	v.queues("b", Resync)
	v.release["a"](true)
	v.areWoken("b")
	v.queues("c", Resync)
	v.queues("edited", UserRequested)
	v.acquires("b", Resync)
	v.release["b"](true)
	v.areWoken("edited")
}

func TestAReservationExpires(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("a", Resync)
	v.queues("deleted", Resync)
	v.queues("b", Resync)
	v.release["a"](true)
	v.areWoken("deleted")
	v.now = v.now.Add(reservationTime)
	v.queues("c", Resync) // b is ahead, and is woken now
	v.areWoken("b")
	v.acquires("b", Resync)
}

func TestARequesterIsQueuedOnce(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("a", Resync)
	v.queues("b", Resync)
	v.queues("c", Resync)
	v.queues("c", UserRequested) // edited while it waited
	v.release["a"](true)
	v.areWoken("c")
	v.acquires("c", UserRequested)
	v.release["c"](true)
	v.areWoken("b")
	v.acquires("b", Resync)
	v.release["b"](true)
	v.areWoken()
}

func TestTheLimitFallsWithoutAnswers(t *testing.T) {
	v := newRequesters(t, 4)
	for _, who := range []string{"a", "b", "c", "d"} {
		v.acquires(who, Resync)
	}
	for _, who := range []string{"e", "f", "g", "h"} {
		v.queues(who, Resync)
	}
	v.release["a"](false)
	v.release["b"](false)
	v.release["c"](false)
	v.areWoken()
	v.release["d"](false)
	v.areWoken("e")
	v.acquires("e", Resync)
	v.release["e"](true)
	v.areWoken("f", "g")
	v.acquires("f", Resync)
	v.acquires("g", Resync)
	v.release["f"](true)
	v.areWoken("h")
}

// A wait is reported with the slot. It begins when the requester first came, however often it came since.
func TestWaitsAreReported(t *testing.T) {
	v := newRequesters(t, 1)
	var reported []time.Duration
	v.all.acquired = func(provider string, wait time.Duration) {
		if provider != "aws" {
			t.Errorf("the wait is of %q", provider)
		}
		reported = append(reported, wait)
	}
	v.acquires("a", Resync)
	v.queues("b", Resync)
	v.now = v.now.Add(10 * time.Second)
	v.queues("b", Resync) // by itself
	v.now = v.now.Add(10 * time.Second)
	v.release["a"](true)
	v.areWoken("b")
	v.now = v.now.Add(time.Second / 2)
	v.acquires("b", Resync)
	if want := []time.Duration{0, 20*time.Second + time.Second/2}; !slices.Equal(reported, want) {
		t.Errorf("reported are %v, want %v", reported, want)
	}
}
