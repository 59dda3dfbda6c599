package account

import (
	"fmt"
	"slices"
	"testing"
)

// serve acquires and releases slots of whoever is woken, until nobody waits, and returns the order.
func (v *requesters) serve(first string, p Priority) (order []string) {
	v.t.Helper()
	v.release[first](true)
	for len(v.woken) > 0 {
		next := v.woken[0]
		v.woken = v.woken[1:]
		v.acquires(next, p)
		order = append(order, next)
		v.release[next](true)
	}
	return order
}

// However many objects of one namespace wait, those of another have every second turn: order is counted, and nothing is timed.
func TestNamespacesTakeTurns(t *testing.T) {
	for _, p := range []Priority{InProgress, UserRequested, Resync} {
		v := newRequesters(t, 1)
		v.acquires("running", p)
		v.namespace = "flood"
		for i := range 5000 {
			v.queues(fmt.Sprint("flood", i), p)
		}
		for _, v.namespace = range []string{"shop", "bakery"} {
			for i := range 3 {
				v.queues(fmt.Sprint(v.namespace, i), p)
			}
		}
		order := v.serve("running", p)
		if len(order) != 5006 {
			t.Fatalf("%d were served", len(order))
		}
		want := []string{"flood0", "shop0", "bakery0", "flood1", "shop1", "bakery1", "flood2", "shop2", "bakery2", "flood3", "flood4"}
		if !slices.Equal(order[:len(want)], want) {
			t.Errorf("priority %d: the order is %v, want %v", p, order[:len(want)], want)
		}
	}
}

// A namespace that comes again and again with one object at a time has no more turns than the others.
func TestANamespaceThatComesAgainHasItsTurn(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("running", Resync)
	for _, v.namespace = range []string{"a", "b", "c"} {
		for i := range 3 {
			v.queues(fmt.Sprint(v.namespace, i), Resync)
		}
	}
	v.namespace = "eager"
	v.queues("eager", Resync)
	served, waits := 0, 0
	v.release["running"](true)
	for len(v.woken) > 0 {
		next := v.woken[0]
		v.woken = v.woken[1:]
		v.acquires(next, Resync)
		if waits++; next == "eager" {
			if served++; waits < 4 && served > 1 && len(v.source.limiter.queues[Resync].tenants) >= 3 {
				t.Errorf("it has a turn after %d", waits)
			}
			waits = 0
			v.release[next](true)
			v.acquire("eager", Resync) // behind those that wait
			continue
		}
		v.release[next](true)
		if served > 20 {
			break
		}
	}
	if served < 3 {
		t.Errorf("it had %d turns", served)
	}
}

// A higher priority comes first whatever the namespace.
func TestPrioritiesComeBeforeTurns(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("running", Resync)
	v.namespace = "a"
	v.queues("a", Resync)
	v.namespace = "b"
	v.queues("b0", UserRequested)
	v.queues("b1", UserRequested)
	v.release["running"](true)
	v.areWoken("b0")
	v.acquires("b0", UserRequested)
	v.release["b0"](true)
	v.areWoken("b1")
}

// Accounts that never answered begin with one slot each. However many there are, and however many objects they have, an account that answers has its
// slots, and one of another
// namespace is tried before them.
func TestAccountsThatNeverAnsweredBeginWithOneSlot(t *testing.T) {
	const limit = 4
	v := newRequesters(t, limit)
	v.to("healthy")
	held := 0
	for a := range 50 {
		config := fmt.Sprint("hangs", a)
		v.source = v.all.Source(config, "aws", Key{Source: config})
		for i := range 12 {
			if v.acquire(fmt.Sprint(config, "-", i), UserRequested) {
				held++
			}
		}
		if v.source.Degraded() {
			t.Fatal("an account that was not tried yet is said not to answer")
		}
	}
	if held != limit {
		t.Errorf("%d slots are held by accounts that never answered, want %d", held, limit)
	}
	v.to("healthy")
	for i := range limit {
		v.acquires(fmt.Sprint("healthy", i), Resync)
	}
	v.release["hangs0-0"](false) // and hangs4, which waits, is tried
	v.areWoken("hangs4-0")
	v.acquireOf("hangs4", "hangs4-0")
	v.source, v.namespace = v.all.Source("new", "aws", Key{Source: "new"}), "new"
	v.queues("new0", UserRequested)
	v.woken = nil
	v.release["hangs1-0"](false)
	v.areWoken("new0")
	v.acquires("new0", UserRequested)
	v.queues("new1", UserRequested)
	v.queues("new2", UserRequested)
	v.release["new0"](true)
	if !slices.Contains(v.woken, "new1") || !slices.Contains(v.woken, "new2") {
		t.Errorf("it answers, and woken are %v", v.woken)
	}
}

func (v *requesters) acquireOf(config, who string) {
	v.t.Helper()
	v.source = v.all.Source(config, "aws", Key{Source: config})
	v.acquires(who, UserRequested)
}
