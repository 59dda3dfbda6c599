package account

import (
	"container/list"
	"time"
)

// A limiter limits how many objects of one account are reconciled at once, and by its budgets how many calls are made for them. After a
// call that got no answer the account is degraded: its limit falls to one, and its slot counts towards what all degraded accounts may use
// together. The limit doubles with every answer until it is what it was. An account that never answered begins so, too.
//
// A requester that gets no slot waits in the queue without a worker, and is woken when a slot is reserved for it. Polling
// instead would cost a reconciliation each time, and would let the last requester overtake the first.
//
// The lock of all limiters must be held.
type limiter struct {
	all   *Limiters
	limit int
	// namespace is that of the last request.
	namespace string
	// served is when a requester last got a slot.
	served time.Time
	// degraded: it has one slot. unanswered: that is because a call got no answer, and not because none was made yet.
	degraded, unanswered bool
	// silent is since when calls get no answer, and silentAt when the last one got none; zero once there were answers enough for all slots.
	silent, silentAt time.Time
	inFlight         int
	queues           [priorities]*roundRobin
	queued           map[any]*request
	// reserved are the slots of requesters that were woken and did not acquire them yet.
	reserved map[any]reservation
	// budgets are those of the account's calls, by their names, and costs what reconciliations take of them.
	budgets map[string]*budget
	costs   map[costKey]map[*budget]float64
	// asked says when the share of a namespace in what people ask for is whole again.
	asked map[string]time.Time
	// numbered is the number of the last request.
	numbered int
	// check is when the queue is looked at again, because calls can be made then; zero if nobody waits for that.
	check time.Time
}

// A Priority decides which requester gets a slot first. Among requesters of equal priority, namespaces are served round
// robin. Within a namespace, the first to come is the first to be served.
type Priority int

// The priorities, the highest first.
const (
	// InProgress: an operation has begun in the cloud, and its next step is due. It is finished before anything else
	// begins.
	InProgress Priority = iota
	// UserRequested: a user created, edited or deleted the object.
	UserRequested
	// Resync: a periodic observation.
	Resync
	priorities
)

// A Request asks for a slot.
type Request struct {
	// Requester identifies the object. Namespace and Kind are the object's: slots are shared out round robin among
	// namespaces, and reconciliations of one kind are expected to make the same number of calls.
	Requester       any
	Namespace, Kind string
	Priority        Priority
	// Observed is when the object was last observed; zero if it was not.
	Observed time.Time
	// Wake is called once a slot is reserved. It runs under the lock of the limiters, so it must not call a method of
	// this package.
	Wake func()
}

type request struct {
	Request
	via *Source
	// since is when the requester first came, and number says who came before whom.
	since  time.Time
	number int
	at     *list.Element
}

// A reservation says when a requester was woken, since when it had waited, and what is set aside for it.
type reservation struct {
	at, since time.Time
	aside     map[*budget]float64
}

// reservationTime is how long a slot is reserved for a requester that was woken and does not come, for example because all
// workers are busy. The slot of a deleted object is given up at once, by Dequeue.
const reservationTime = time.Second

func newLimiter(all *Limiters) *limiter {
	l := &limiter{
		all: all, limit: 1, degraded: true, queued: map[any]*request{}, reserved: map[any]reservation{},
		budgets: map[string]*budget{}, costs: map[costKey]map[*budget]float64{}, asked: map[string]time.Time{},
	}
	for i := range l.queues {
		l.queues[i] = newRoundRobin()
	}
	all.degraded = append(all.degraded, l)
	return l
}

// acquire returns a slot, or queues the request and returns nil. A requester that is in the queue already keeps its position.
func (l *limiter) acquire(r request) *Slot {
	if other := l.all.waiting[r.Requester]; other != nil && other != l {
		l.all.dequeue(r.Requester) // its source leads elsewhere now
	}
	r.since = l.all.now()
	l.namespace = r.Namespace
	l.numbered++
	r.number = l.numbered
	if before, inQueue := l.queued[r.Requester]; inQueue {
		r.since = before.since
		if before.Priority == r.Priority && !l.wakesNow(r.Requester) {
			return nil
		}
	}
	reserved, woken := l.reserved[r.Requester]
	if woken {
		r.since = reserved.since
	}
	l.remove(r.Requester)
	if l.degraded && !woken {
		l.all.wakeDegraded() // some may have been woken and never came
	}
	if !l.hasSlot(&r, woken) {
		l.giveBack(reserved.aside)
		l.enqueue(&r, woken)
		l.wake()
		return nil
	}
	if !woken {
		reserved.aside = l.setAside(&r)
	}
	l.inFlight++
	l.served = l.all.now()
	l.all.used(l)
	l.all.reportWait(&r)
	return &Slot{via: r.via, limiter: l, request: r, aside: reserved.aside, made: map[*budget]int{}, refused: map[*budget]bool{}}
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

// hasSlot reports whether there is a slot for a request. woken: one was reserved for it.
func (l *limiter) hasSlot(r *request, woken bool) bool {
	if l.inFlight >= l.limit || l.degraded && l.all.degradedSlots() <= 0 {
		return false
	}
	return woken || l.inFlight+l.reservations() < l.limit && !l.othersFirst(r.Priority) && l.wait(r.Kind, r.Priority) == 0
}

// release gives a slot back.
func (l *limiter) release(answered bool) {
	l.inFlight--
	shared := l.degraded // the slot may go to another account
	if answered {
		l.answered()
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

// answered takes in that the account's cloud answered.
func (l *limiter) answered() {
	if l.limit = min(l.all.limit, l.limit*2); l.limit == l.all.limit {
		l.silent, l.silentAt = time.Time{}, time.Time{}
	}
	l.all.recovered(l)
	l.wake()
}

// enqueue adds a request at the end of its queue, or at the head if a slot was reserved for it.
func (l *limiter) enqueue(r *request, first bool) {
	l.all.waiting[r.Requester] = l
	l.queued[r.Requester] = r
	l.queues[r.Priority].add(r, first)
}

func (l *limiter) unqueue(requester any) {
	if r, ok := l.queued[requester]; ok {
		l.queues[r.Priority].remove(r)
		delete(l.queued, requester)
	}
}

// remove drops the request and the reservation of a requester. What was set aside for it is the caller's.
func (l *limiter) remove(requester any) {
	l.unqueue(requester)
	delete(l.reserved, requester)
	if l.all.waiting[requester] == l {
		delete(l.all.waiting, requester)
	}
}

// giveUp is remove for a requester that does not come.
func (l *limiter) giveUp(requester any) {
	l.giveBack(l.reserved[requester].aside)
	l.remove(requester)
}

// othersFirst reports whether a request in the queue comes before a new one.
func (l *limiter) othersFirst(p Priority) bool {
	for _, queue := range l.queues[:p+1] {
		if queue.len() > 0 {
			return true
		}
	}
	return false
}

// reservations returns how many slots are reserved, without those whose requester did not come in time.
func (l *limiter) reservations() int {
	for requester, r := range l.reserved {
		if l.all.now().Sub(r.at) >= reservationTime {
			l.giveUp(requester)
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
		l.reserved[r.Requester] = reservation{at: l.all.now(), since: r.since, aside: l.setAside(r)}
		l.all.used(l)
		r.Wake()
	}
}

// next takes the next request out of the queue. Where one has to wait until its calls can be made, those of a lower priority
// must not make calls of the same budgets before.
func (l *limiter) next() *request {
	short := map[*budget]bool{}
	soonest := time.Duration(0)
	for p, queue := range l.queues {
		r := queue.next(func(kind string) bool {
			for b := range l.costOf(kind, Priority(p)) {
				if short[b] {
					return false
				}
			}
			wait := l.wait(kind, Priority(p))
			if wait == 0 {
				return true
			}
			if soonest == 0 || wait < soonest {
				soonest = wait
			}
			for b := range l.costOf(kind, Priority(p)) {
				short[b] = b.limited()
			}
			return false
		})
		if r != nil {
			delete(l.queued, r.Requester)
			return r
		}
	}
	l.checkIn(soonest)
	return nil
}

// checkIn has the queue looked at after a time, or sooner: the rate grows while somebody waits.
func (l *limiter) checkIn(wait time.Duration) {
	wait = min(wait, shortest)
	at := l.all.now().Add(wait)
	if wait <= 0 || !l.check.IsZero() && !l.check.After(at) {
		return
	}
	l.check = at
	l.all.after(wait, func() {
		l.all.mu.Lock()
		defer l.all.mu.Unlock()
		if l.check.Equal(at) { // else an earlier one took its place
			l.check = time.Time{}
			l.wake()
		}
	})
}

// takeOut takes the requests of one source out of the queues, and returns them in order.
func (l *limiter) takeOut(via *Source) (out []*request) {
	for _, queue := range l.queues {
		for _, r := range queue.of(via) {
			l.unqueue(r.Requester)
			out = append(out, r)
		}
	}
	return out
}
