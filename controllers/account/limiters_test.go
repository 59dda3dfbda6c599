package account

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// to has requesters use a source whose account is not known.
func (v *requesters) to(config string) *Source {
	known := v.all.sources[config] != nil
	v.source = v.all.Source(config, "aws", Key{Source: config})
	if !known {
		v.answers()
	}
	return v.source
}

// leads has requesters use a source that leads to an account.
func (v *requesters) leads(config, id string) {
	v.to(config).UseLimiter(of(id))
	if len(v.source.limiter.queued) == 0 && v.source.limiter.inFlight == 0 {
		v.answers()
	}
}

// of is the key of an account.
func of(id string) Key { return Key{Provider: "aws", ID: id} }

// Sources that lead to one account share its slots.
func TestSourcesOfOneAccountShareItsLimiter(t *testing.T) {
	v := newRequesters(t, 2)
	v.leads("a", "111")
	v.acquires("a1", Resync)
	v.leads("b", "111")
	v.acquires("b1", Resync)
	v.queues("b2", Resync)
	v.leads("c", "222")
	v.acquires("c1", Resync)
	v.release["a1"](true)
	v.areWoken("b2")
}

// Requests that are queued when the account becomes known move in order; slots are released where they were acquired.
func TestQueuedRequestsMoveWithTheirSource(t *testing.T) {
	v := newRequesters(t, 1)
	v.leads("a", "111")
	v.acquires("a1", Resync)
	v.queues("a2", Resync)
	b := v.to("b")
	v.acquires("b1", Resync)
	v.queues("b2", Resync)
	v.queues("b3", UserRequested)
	b.UseLimiter(of("111"))
	v.areWoken()
	v.release["b1"](true) // its limiter is not used any more
	v.areWoken()
	for _, next := range []string{"b3", "a2", "b2"} {
		v.release["a1"](true)
		v.areWoken(next)
		v.acquires(next, Resync)
		v.release["a1"] = v.release[next]
	}
}

// A request that moves is woken at once if there is a slot.
func TestAMovedRequestIsWoken(t *testing.T) {
	v := newRequesters(t, 1)
	b := v.to("b")
	v.acquires("b1", Resync)
	v.queues("b2", Resync)
	b.UseLimiter(of("111"))
	v.areWoken("b2")
	v.acquires("b2", Resync)
}

// However many accounts do not answer, together they use no more slots than one may, and a healthy one has its own.
func TestDegradedAccountsShareOneLimit(t *testing.T) {
	v := newRequesters(t, 2)
	v.to("healthy")
	for _, config := range []string{"a", "b", "c"} { // all become degraded
		v.to(config)
		v.acquires(config+"1", Resync)
		v.release[config+"1"](false)
	}
	for _, config := range []string{"a", "b"} {
		v.to(config)
		v.acquires(config+"1", Resync)
		v.queues(config+"2", Resync)
	}
	v.to("c")
	v.queues("c1", Resync)
	v.queues("c2", Resync)
	v.to("healthy")
	v.acquires("h1", Resync)
	v.acquires("h2", Resync)
	v.areWoken()

	v.release["a1"](false) // its slot goes to the account that has had none
	v.areWoken("c1")
	v.to("c")
	v.acquires("c1", Resync)
	v.release["b1"](false)
	v.areWoken("a2")
	v.release["c1"](true) // it answers, and is no longer degraded
	v.areWoken("c2", "b2")
}

// A limiter to which no source leads is dropped, degraded or not.
func TestUnusedLimitersAreDropped(t *testing.T) {
	v := newRequesters(t, 2)
	v.to("a")
	v.acquires("a1", Resync)
	v.release["a1"](false)
	v.acquires("a1", Resync)
	v.source.UseLimiter(of("111"))
	v.release["a1"](false) // a slot of the old one was in use still
	v.acquires("a2", Resync)
	v.release["a2"](false)
	if n := len(v.all.degraded); n != 2 {
		t.Fatalf("%d degraded limiters: this test shows nothing", n)
	}
	v.source.UseLimiter(of("222"))
	if all, degraded := len(v.all.all), len(v.all.degraded); all != 2 || degraded != 1 { // the first, and this one, which was not tried yet
		t.Errorf("%d limiters, %d degraded", all, degraded)
	}
}

// A slot that is reserved for a requester that never comes is given to another account.
func TestDegradedAccountsDoNotWaitForExpiredReservations(t *testing.T) {
	v := newRequesters(t, 1)
	for _, config := range []string{"a", "b"} {
		v.to(config)
		v.acquires(config+"1", Resync)
		v.release[config+"1"](false)
	}
	v.to("a")
	v.acquires("a1", Resync)
	v.queues("deleted", Resync)
	v.to("b")
	v.queues("b1", Resync)
	v.release["a1"](true) // answers
	v.areWoken("deleted", "b1")
	v.acquires("b1", Resync)
	v.release["b1"](false)
	v.to("a")
	v.now = v.now.Add(reservationTime)
	v.acquires("a2", Resync)
	v.release["a2"](false)
	v.acquires("a2", Resync)
	v.queues("deleted", Resync)
	v.to("b")
	v.queues("b1", Resync)
	v.release["a2"](false)
	v.areWoken("b1") // the account that used a slot last is last
	v.now = v.now.Add(reservationTime)
	v.queues("b2", Resync)
	v.areWoken("deleted")
}

// Many accounts that do not answer, with many objects each: there are never too many slots in use, and each object gets one.
func TestDegradedAccountsTakeTurns(t *testing.T) {
	const limit, accounts, objects = 3, 7, 4
	now := time.Unix(0, 0)
	all := New(limit, func() time.Time { return now }, nil)
	type object struct{ account, n int }
	var queue []object
	sources := map[int]*Source{}
	for a := range accounts {
		name := fmt.Sprint(a)
		sources[a] = all.Source(name, "aws", Key{Source: name})
		sources[a].Acquire(Request{Requester: "first", Priority: Resync}).Release(false)
		for n := range objects {
			queue = append(queue, object{a, n})
		}
	}
	slots := map[object]int{}
	var inFlight []func(bool)
	for range 1000 {
		if len(queue) > 0 {
			o := queue[0]
			queue = queue[1:]
			if slot := sources[o.account].Acquire(Request{Requester: o, Priority: Resync, Wake: func() { queue = append(queue, o) }}); slot != nil {
				slots[o]++
				inFlight = append(inFlight, func(answered bool) { slot.Release(answered); queue = append(queue, o) })
			}
			if len(inFlight) > limit {
				t.Fatalf("%d slots are in use", len(inFlight))
			}
			continue
		}
		if len(inFlight) == 0 {
			t.Fatal("no slot is in use, and nobody is woken")
		}
		release := inFlight[0]
		inFlight = inFlight[1:]
		release(false)
	}
	least, most := 1000, 0
	for a := range accounts {
		for n := range objects {
			least, most = min(least, slots[object{a, n}]), max(most, slots[object{a, n}])
		}
	}
	if least < 5 || most > 2*least {
		t.Errorf("an object got %d slots, and another %d", least, most)
	}
}

// Usage is by account, and of sources whose account is not known, by cloud alone.
func TestUsage(t *testing.T) {
	v := newRequesters(t, 1)
	v.all.Forget("") // the source with which requesters begin
	v.leads("a", "111")
	v.acquires("a1", Resync)
	v.queues("a2", Resync)
	v.queues("a3", UserRequested)
	v.to("b")
	got := v.all.Usage()
	slices.SortFunc(got, func(a, b Usage) int { return strings.Compare(a.ID, b.ID) })
	want := []Usage{{Provider: "aws", Limit: 1}, {Provider: "aws", ID: "111", Limit: 1, InFlight: 1, Queued: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A requester that comes again by itself keeps its position in the queue.
func TestARequesterKeepsItsPosition(t *testing.T) {
	v := newRequesters(t, 1)
	v.acquires("a", Resync)
	for _, who := range []string{"b", "c", "d", "b", "d", "c"} {
		v.queues(who, Resync)
	}
	for _, next := range []string{"b", "c", "d"} {
		v.release["a"](true)
		v.areWoken(next)
		v.acquires(next, Resync)
		v.release["a"] = v.release[next]
	}
}

// A deleted object leaves the queue, and its slot is the next one's: at once, since the clock stands still here.
func TestDequeue(t *testing.T) {
	for _, c := range []struct {
		name string
		// do has "deleted" in the queue in front of "b", and dequeues it.
		do func(v *requesters)
	}{
		{"while it waits", func(v *requesters) {
			v.dequeue("deleted")
			v.release["a"](true)
		}},
		{"when a slot is reserved for it", func(v *requesters) {
			v.release["a"](true)
			v.areWoken("deleted")
			v.dequeue("deleted")
		}},
		{"when a slot of a degraded account is reserved for it", func(v *requesters) {
			v.release["a"](false)
			v.areWoken("deleted")
			v.dequeue("deleted")
		}},
		{"that waits where its config no longer leads", func(v *requesters) {
			v.leads("elsewhere", "222")
			v.acquires("deleted", Resync)
			v.to("a")
			v.release["a"](true)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newRequesters(t, 1)
			v.leads("a", "111")
			v.acquires("a", Resync)
			v.queues("deleted", Resync)
			v.queues("b", Resync)
			c.do(v)
			v.areWoken("b")
			v.acquires("b", Resync)
			if n := len(v.all.waiting); n != 0 {
				t.Errorf("%d requesters are remembered, and none waits", n)
			}
		})
	}
}

// However many objects of a degraded account are deleted, the one that is left does not wait for them.
func TestDeletedObjectsBlockNobody(t *testing.T) {
	v := newRequesters(t, 8)
	v.acquires("probe", Resync)
	v.release["probe"](false)
	v.acquires("probe", Resync)
	for n := range 2000 {
		v.queues(fmt.Sprint(n), UserRequested)
	}
	for n := range 1999 {
		v.dequeue(fmt.Sprint(n))
	}
	v.release["probe"](false)
	v.areWoken("1999")
	v.acquires("1999", UserRequested)
}

func (v *requesters) dequeue(who string) { v.all.Dequeue(who) }
