package account

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// Limiters holds the limiters of all accounts. It is safe for concurrent use: one lock is enough, because it is held
// for a short time.
type Limiters struct {
	mu       sync.Mutex
	limit    int
	now      func() time.Time
	acquired func(provider string, wait time.Duration)
	// after calls a function after a time.
	after   func(time.Duration, func())
	all     map[Key]*limiter
	sources map[string]*Source
	// waiting says at which limiter a requester waits, or has a reservation.
	waiting map[any]*limiter
	// degraded are those whose last call got no answer, or that made none yet. The one that last used a slot is the last.
	degraded []*limiter
	// turns says when a namespace last used a slot of one of those: the number of that use.
	turns map[string]int
	uses  int
}

// New returns the limiters of a process. Each account has limit slots, and all degraded accounts together have limit
// slots. When a requester gets its slot, acquired is called with the time that the requester waited; acquired may be
// nil.
func New(limit int, now func() time.Time, acquired func(provider string, wait time.Duration)) *Limiters {
	return &Limiters{limit: limit, now: now, acquired: acquired,
		after: func(wait time.Duration, check func()) { time.AfterFunc(wait, check) }, //nolint:forbidigo // the timers of a program; tests have their own
		all:   map[Key]*limiter{}, sources: map[string]*Source{}, waiting: map[any]*limiter{}, turns: map[string]int{}}
}

// A Key identifies a limiter. The limiter of an account has all fields but Source. While a source's account is not
// known, its limiter has Source alone.
type Key struct {
	Source   string
	Provider string
	ID       string
	Endpoint string
}

// A Source is what leads to an account, for example one provider config. Sources that lead to the same account share
// its limiter.
type Source struct {
	all     *Limiters
	limiter *limiter
	// provider is the cloud to which the source leads.
	provider string
}

// Source returns the source with a name, and creates it if there is none. provider is the name of its cloud. A new
// source uses the limiter of the key first.
func (all *Limiters) Source(name, provider string, first Key) *Source {
	all.mu.Lock()
	defer all.mu.Unlock()
	s := all.sources[name]
	if s == nil {
		s = &Source{all: all, limiter: all.of(first)}
		all.sources[name] = s
	}
	s.provider = provider
	return s
}

// Acquire takes a slot for a requester. If none is free, it queues the request and returns nil. Once a slot is reserved
// for the requester, Wake is called, and the requester has to call Acquire again. Acquire never blocks.
func (s *Source) Acquire(r Request) *Slot {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return s.limiter.acquire(request{Request: r, via: s})
}

// GrantedSlotWithin reports whether any object of the account got a slot within the last time d. If so, the queue
// advances, and an object in it gets a slot later.
func (s *Source) GrantedSlotWithin(d time.Duration) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return s.all.now().Sub(s.limiter.served) < d
}

// Degraded reports whether the account's last call got no answer. A degraded account has one slot at most. All degraded
// accounts together have as many slots as one healthy account.
func (s *Source) Degraded() bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return s.limiter.unanswered
}

// An Outage is a period in which calls of an account get no answer from the cloud.
type Outage struct {
	// Since is when the first call got no answer.
	Since time.Time
	// Lasted is the time from the first call without an answer to the latest one. Ago is the time since the latest one.
	Lasted, Ago time.Duration
}

// Outage returns the outage of the account to which a source leads, or the zero Outage if calls get answers. An outage
// ends after several answers, because a single one may be chance.
func (all *Limiters) Outage(source string) Outage {
	all.mu.Lock()
	defer all.mu.Unlock()
	s := all.sources[source]
	if s == nil || s.limiter.silent.IsZero() {
		return Outage{}
	}
	l := s.limiter
	return Outage{Since: l.silent, Lasted: l.silentAt.Sub(l.silent), Ago: all.now().Sub(l.silentAt)}
}

// UseLimiter moves the source to the limiter of key, for example because its account has become known. Its requests in
// the queue move too. Slots that are in use are released at the limiter that gave them.
func (s *Source) UseLimiter(key Key) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	from, to := s.limiter, s.all.of(key)
	if from == to {
		return
	}
	s.limiter = to
	for _, r := range from.takeOut(s) {
		to.enqueue(r, false)
	}
	to.wake()
	s.all.prune()
}

// Dequeue removes a requester from the queue, and gives up a slot that is reserved for it. Call it for an object that
// needs no slot any more, because it is deleted, paused or refused. Otherwise other requesters wait until the
// reservation expires.
func (all *Limiters) Dequeue(requester any) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.dequeue(requester)
}

func (all *Limiters) dequeue(requester any) {
	l := all.waiting[requester]
	if l == nil {
		return
	}
	l.giveUp(requester)
	l.wake()
	if l.degraded {
		all.wakeDegraded()
	}
}

// reportWait reports how long a requester waited for its slot.
func (all *Limiters) reportWait(r *request) {
	if all.acquired != nil {
		all.acquired(r.via.provider, all.now().Sub(r.since))
	}
}

// Usage reports how much of one account's limiter is used. ID is empty while the account is not known.
type Usage struct {
	Provider string
	ID       string
	// Limit is how many objects may be reconciled at once now. InFlight is how many are being reconciled, and Queued
	// how many wait for a slot.
	Limit, InFlight, Queued int
}

// Usage returns the usage of each limiter.
func (all *Limiters) Usage() (usage []Usage) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for key, l := range all.all {
		usage = append(usage, Usage{Provider: all.providerOf(key), ID: key.ID, Limit: l.limit, InFlight: l.inFlight, Queued: len(l.queued)})
	}
	return usage
}

// providerOf returns the cloud of a limiter.
func (all *Limiters) providerOf(key Key) string {
	if s := all.sources[key.Source]; s != nil && key.Provider == "" {
		return s.provider
	}
	return key.Provider
}

// Forget removes a source whose provider config was deleted.
func (all *Limiters) Forget(source string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.sources, source)
	all.prune()
}

func (all *Limiters) of(key Key) *limiter {
	l := all.all[key]
	if l == nil {
		l = newLimiter(all)
		all.all[key] = l
	}
	return l
}

// prune drops the limiters to which no source leads and of which no slot is in use.
func (all *Limiters) prune() {
	used := map[*limiter]bool{}
	for _, s := range all.sources {
		used[s.limiter] = true
	}
	idle := func(l *limiter) bool { return !used[l] && l.inFlight == 0 }
	maps.DeleteFunc(all.waiting, func(_ any, l *limiter) bool { return idle(l) })
	maps.DeleteFunc(all.all, func(_ Key, l *limiter) bool { return idle(l) })
	all.degraded = slices.DeleteFunc(all.degraded, idle)
}

// unanswered records that a call of an account got no answer. The others that are degraded come before it.
func (all *Limiters) unanswered(l *limiter) {
	l.unanswered, l.degraded = true, true
	if l.silentAt = all.now(); l.silent.IsZero() {
		l.silent = l.silentAt
	}
	all.leave(l)
	all.degraded = append(all.degraded, l)
}

// recovered records that a call of an account was answered.
func (all *Limiters) recovered(l *limiter) {
	l.unanswered = false
	if l.degraded {
		l.degraded = false
		all.leave(l)
	}
	if len(all.degraded) == 0 {
		clear(all.turns)
	}
}

// leave takes an account out of the order of those that are degraded.
func (all *Limiters) leave(l *limiter) {
	all.degraded = slices.DeleteFunc(all.degraded, func(other *limiter) bool { return other == l })
}

// used records that a slot was acquired or reserved: a degraded account goes to the end of the order.
func (all *Limiters) used(l *limiter) {
	if l.degraded {
		all.leave(l)
		all.degraded = append(all.degraded, l)
		all.uses++
		all.turns[l.namespace] = all.uses
	}
}

// degradedSlots is how many more slots the degraded accounts may use, all together.
func (all *Limiters) degradedSlots() int {
	slots := all.limit
	for _, l := range all.degraded {
		slots -= l.inFlight + l.reservations()
	}
	return slots
}

// wakeDegraded lets degraded accounts wake requesters, one account after the other. Their namespaces take turns: one with many such accounts has no
// more slots than one with a single account.
func (all *Limiters) wakeDegraded() {
	inTurn := slices.Clone(all.degraded)
	slices.SortStableFunc(inTurn, func(a, b *limiter) int { return cmp.Compare(all.turns[a.namespace], all.turns[b.namespace]) })
	for _, l := range inTurn {
		l.wake()
	}
}
