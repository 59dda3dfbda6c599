package account

import (
	"container/list"
	"time"
)

// A limiter limits how many objects of one account are reconciled at once. After a call that got no answer the account is
// degraded: its limit falls to one, and its slot counts towards what all degraded accounts may use together. The limit
// doubles with every answer until it is what it was.
//
// A requester that gets no slot waits in the queue without a worker, and is woken when a slot is reserved for it. Polling
// instead would cost a reconciliation each time, and would let the last requester overtake the first.
//
// The lock of all limiters must be held.
type limiter struct {
	all      *Limiters
	limit    int
	degraded bool
	inFlight int
	queues   [priorities]*list.List // of *request
	queued   map[any]*list.Element
	// reserved are the slots of requesters that were woken and did not acquire them yet.
	reserved map[any]reservation
}

// A Priority says which requester gets a slot first. Those of equal priority get slots in the order in which they came.
type Priority int

// The priorities, the highest first.
const (
	// InProgress: an operation has begun, and its next step is due. What has begun is finished before anything else begins.
	InProgress Priority = iota
	// UserRequested: somebody created, edited or deleted the object.
	UserRequested
	// Resync: a periodic observation.
	Resync
	priorities
)

// A request is for a slot.
type request struct {
	requester any
	priority  Priority
	wake      func()
	via       *Source
	// since is when the requester first came.
	since time.Time
}

// A reservation says when a requester was woken, and since when it had waited.
type reservation struct{ at, since time.Time }

// reservationTime is how long a slot is reserved for a requester that was woken and does not come, for example because all
// workers are busy. The slot of a deleted object is given up at once, by Dequeue.
const reservationTime = time.Second

func newLimiter(all *Limiters) *limiter {
	l := &limiter{all: all, limit: all.limit, queued: map[any]*list.Element{}, reserved: map[any]reservation{}}
	for i := range l.queues {
		l.queues[i] = list.New()
	}
	return l
}

// acquire returns the function that releases the slot, or queues the request and returns nil. A requester that is in the
// queue already keeps its position.
func (l *limiter) acquire(r request) (release func(answered bool)) {
	if other := l.all.waiting[r.requester]; other != nil && other != l {
		l.all.dequeue(r.requester) // its source leads elsewhere now
	}
	r.since = l.all.now()
	if e, inQueue := l.queued[r.requester]; inQueue {
		before := e.Value.(*request)
		r.since = before.since
		if before.priority == r.priority && !l.wakesNow(r.requester) {
			return nil
		}
	}
	reservation, woken := l.reserved[r.requester]
	if woken {
		r.since = reservation.since
	}
	l.remove(r.requester)
	if l.degraded && !woken {
		l.all.wakeDegraded() // some may have been woken and never came
	}
	if !l.hasSlot(r.priority, woken) {
		l.enqueue(r, woken)
		l.wake()
		return nil
	}
	l.inFlight++
	l.all.used(l)
	l.all.reportWait(r)
	return l.release
}

// wakesNow reports whether a requester in the queue is woken, now that reservations of others may have expired.
func (l *limiter) wakesNow(requester any) bool {
	l.wake()
	if l.degraded {
		l.all.wakeDegraded()
	}
	_, woken := l.reserved[requester]
	return woken
}

// hasSlot reports whether there is a slot for a requester. woken: one was reserved for it.
func (l *limiter) hasSlot(p Priority, woken bool) bool {
	if l.inFlight >= l.limit || l.degraded && l.all.degradedSlots() <= 0 {
		return false
	}
	return woken || l.inFlight+l.reservations() < l.limit && !l.othersFirst(p)
}

// release gives a slot back. Unlike the other methods it takes the lock.
func (l *limiter) release(answered bool) {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.inFlight--
	shared := l.degraded // the slot may go to another account
	if answered {
		l.limit = min(l.all.limit, l.limit*2)
		l.all.recovered(l)
	} else {
		l.limit = 1
		l.all.unanswered(l)
	}
	if !l.degraded {
		l.wake()
	}
	if shared || l.degraded {
		l.all.wakeDegraded()
	}
}

// enqueue adds a request at the end of its queue, or at the head if a slot was reserved for it.
func (l *limiter) enqueue(r request, first bool) {
	l.all.waiting[r.requester] = l
	if first {
		l.queued[r.requester] = l.queues[r.priority].PushFront(&r)
	} else {
		l.queued[r.requester] = l.queues[r.priority].PushBack(&r)
	}
}

func (l *limiter) unqueue(requester any) {
	if e, ok := l.queued[requester]; ok {
		l.queues[e.Value.(*request).priority].Remove(e)
		delete(l.queued, requester)
	}
}

// remove drops the request and the reservation of a requester.
func (l *limiter) remove(requester any) {
	l.unqueue(requester)
	delete(l.reserved, requester)
	if l.all.waiting[requester] == l {
		delete(l.all.waiting, requester)
	}
}

// othersFirst reports whether a request in the queue comes before a new one.
func (l *limiter) othersFirst(p Priority) bool {
	for _, queue := range l.queues[:p+1] {
		if queue.Len() > 0 {
			return true
		}
	}
	return false
}

// reservations returns how many slots are reserved, without those whose requester did not come in time.
func (l *limiter) reservations() int {
	for requester, r := range l.reserved {
		if l.all.now().Sub(r.at) >= reservationTime {
			l.remove(requester)
		}
	}
	return len(l.reserved)
}

// wake wakes as many requesters as there are free slots.
func (l *limiter) wake() {
	for l.inFlight+l.reservations() < l.limit && (!l.degraded || l.all.degradedSlots() > 0) {
		r := l.next()
		if r == nil {
			return
		}
		l.reserved[r.requester] = reservation{at: l.all.now(), since: r.since}
		l.all.used(l)
		r.wake()
	}
}

func (l *limiter) next() *request {
	for _, queue := range l.queues {
		if e := queue.Front(); e != nil {
			r := e.Value.(*request)
			l.unqueue(r.requester)
			return r
		}
	}
	return nil
}

// takeOut takes the requests of one source out of the queues, and returns them in order.
func (l *limiter) takeOut(via *Source) []request {
	var out []request
	for _, queue := range l.queues {
		for e := queue.Front(); e != nil; {
			r := e.Value.(*request)
			if e = e.Next(); r.via == via {
				l.unqueue(r.requester)
				out = append(out, *r)
			}
		}
	}
	return out
}
