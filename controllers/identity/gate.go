package identity

import (
	"container/list"
	"time"
)

// A gate bounds how many objects of one account are worked on at once, so that an account whose
// cloud hangs can't hold all workers. After a call that got no answer it is silent: it narrows to one at a
// time, and its place counts towards what all silent gates may hold together. It widens again with every answer.
//
// Whoever finds no place waits in line outside, holding no worker, and is called when it is its turn. Polling
// instead would cost a turn each time, and would let the latest comer overtake the first.
//
// The lock of all gates must be held.
type gate struct {
	gates  *gates
	width  int
	silent bool
	inside int
	lines  [ranks]*list.List // of *waiter
	places map[any]*list.Element
	// called are those whose turn it is and who have not come yet.
	called map[any]summons
}

// A Rank says how much it matters when somebody's turn comes. Equals take turns in the order in which they came.
type Rank int

// The ranks, the first first.
const (
	// UnderWay: something was begun, and the next step is due. What was begun is finished before other
	// things are begun.
	UnderWay Rank = iota
	// Wanted: somebody created, edited or deleted it.
	Wanted
	// Routine: a re-check.
	Routine
	ranks
)

type waiter struct {
	who  any
	rank Rank
	call func()
	via  *Entrance
	// since is when it first came.
	since time.Time
}

// summons is when somebody was called, and since when they had waited.
type summons struct{ at, since time.Time }

// patience is how long a place is kept for somebody who was called and does not come, as when all workers are busy. Who is no
// more is dequeued at once.
const patience = time.Second

func newGate(all *gates) *gate {
	g := &gate{gates: all, width: all.width, places: map[any]*list.Element{}, called: map[any]summons{}}
	for i := range g.lines {
		g.lines[i] = list.New()
	}
	return g
}

// enter gives a place, or puts the visitor in line and returns nil. Who is in line already keeps the place in it.
func (g *gate) enter(w waiter) (leave func(answered bool)) {
	if other := g.gates.waiting[w.who]; other != nil && other != g {
		g.gates.dequeue(w.who) // its config leads elsewhere now
	}
	w.since = g.gates.now()
	if e, inLine := g.places[w.who]; inLine {
		before := e.Value.(*waiter)
		w.since = before.since
		if before.rank == w.rank && !g.isTurnOf(w.who) {
			return nil
		}
	}
	summons, called := g.called[w.who]
	if called {
		w.since = summons.since
	}
	g.forget(w.who)
	if g.silent && !called {
		g.gates.admit() // some may have been called and never came
	}
	if !g.lets(w.rank, called) {
		g.line(w, called)
		g.admit()
		return nil
	}
	g.inside++
	g.gates.took(g)
	g.gates.entered(w)
	return g.leave
}

// isTurnOf reports whether somebody in line is called, now that places may have become free which were kept for others.
func (g *gate) isTurnOf(who any) bool {
	g.admit()
	if g.silent {
		g.gates.admit()
	}
	_, called := g.called[who]
	return called
}

// lets reports whether there is a place for somebody.
func (g *gate) lets(rank Rank, called bool) bool {
	if g.inside >= g.width || g.silent && g.gates.room() <= 0 {
		return false
	}
	return called || g.inside+g.coming() < g.width && !g.ahead(rank)
}

// leave gives a place back. Unlike the rest it takes the lock.
func (g *gate) leave(answered bool) {
	g.gates.mu.Lock()
	defer g.gates.mu.Unlock()
	g.inside--
	shared := g.silent // its place may go to another gate
	if answered {
		g.width = min(g.gates.width, g.width*2)
		g.gates.heard(g)
	} else {
		g.width = 1
		g.gates.missed(g)
	}
	if !g.silent {
		g.admit()
	}
	if shared || g.silent {
		g.gates.admit()
	}
}

// line puts somebody in line: at its end, or at its head if it was their turn.
func (g *gate) line(w waiter, first bool) {
	g.gates.waiting[w.who] = g
	if first {
		g.places[w.who] = g.lines[w.rank].PushFront(&w)
	} else {
		g.places[w.who] = g.lines[w.rank].PushBack(&w)
	}
}

func (g *gate) unline(who any) {
	if e, ok := g.places[who]; ok {
		g.lines[e.Value.(*waiter).rank].Remove(e)
		delete(g.places, who)
	}
}

// forget drops all that is known of somebody who waited or was called.
func (g *gate) forget(who any) {
	g.unline(who)
	delete(g.called, who)
	if g.gates.waiting[who] == g {
		delete(g.gates.waiting, who)
	}
}

// ahead reports whether somebody in line has precedence over a newcomer.
func (g *gate) ahead(rank Rank) bool {
	for _, line := range g.lines[:rank+1] {
		if line.Len() > 0 {
			return true
		}
	}
	return false
}

// coming is how many were called and are expected.
func (g *gate) coming() int {
	for who, summons := range g.called {
		if g.gates.now().Sub(summons.at) >= patience {
			g.forget(who)
		}
	}
	return len(g.called)
}

// admit calls as many as there are places.
func (g *gate) admit() {
	for g.inside+g.coming() < g.width && (!g.silent || g.gates.room() > 0) {
		w := g.next()
		if w == nil {
			return
		}
		g.called[w.who] = summons{at: g.gates.now(), since: w.since}
		g.gates.took(g)
		w.call()
	}
}

func (g *gate) next() *waiter {
	for _, line := range g.lines {
		if e := line.Front(); e != nil {
			w := e.Value.(*waiter)
			g.unline(w.who)
			return w
		}
	}
	return nil
}

// takeOut takes those out of the lines who came by one entrance, and returns them in order.
func (g *gate) takeOut(via *Entrance) []waiter {
	var out []waiter
	for _, line := range g.lines {
		for e := line.Front(); e != nil; {
			w := e.Value.(*waiter)
			if e = e.Next(); w.via == via {
				g.unline(w.who)
				out = append(out, *w)
			}
		}
	}
	return out
}
