package credential

import (
	"container/list"
	"sync"
	"time"
)

// A Gate bounds how many objects of one account are worked on at once, so that an account whose
// cloud hangs can't hold all workers. After a call that got no answer it narrows to one at a
// time, and widens again with every answer.
//
// Whoever finds no place waits in line outside, holding no worker, and is called when it is its turn. Polling
// instead would cost a turn each time, and would let the latest comer overtake the first.
type Gate struct {
	mu     sync.Mutex
	widest int
	width  int
	inside int
	lines  [ranks]*list.List // of *waiter
	places map[any]*list.Element
	// called are those whose turn it is and who have not come yet, and when they were called.
	called map[any]time.Time
	now    func() time.Time
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
}

// patience is how long a place is kept for somebody who was called. It may be that they are no more.
const patience = time.Second

// NewGate returns a gate that lets in at most widest.
func NewGate(widest int, now func() time.Time) *Gate {
	g := &Gate{widest: widest, width: widest, places: map[any]*list.Element{}, called: map[any]time.Time{}, now: now}
	for i := range g.lines {
		g.lines[i] = list.New()
	}
	return g
}

// Enter takes a place for whoever who identifies, and returns the function that gives it back;
// answered says whether the cloud answered at all. If there is no place it returns nil, and call is called
// once there is one, for who to enter again; it must not call the gate back. Enter never blocks.
func (g *Gate) Enter(who any, rank Rank, call func()) (leave func(answered bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, called := g.called[who]
	delete(g.called, who)
	g.unline(who)
	if g.inside >= g.width || !called && (g.inside+g.coming() >= g.width || g.ahead(rank)) {
		g.line(waiter{who, rank, call}, called)
		g.admit()
		return nil
	}
	g.inside++
	return g.leave
}

func (g *Gate) leave(answered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if answered {
		g.width = min(g.widest, g.width*2)
	} else {
		g.width = 1
	}
	g.admit()
}

// line puts somebody in line: at its end, or at its head if it was their turn.
func (g *Gate) line(w waiter, first bool) {
	if first {
		g.places[w.who] = g.lines[w.rank].PushFront(&w)
	} else {
		g.places[w.who] = g.lines[w.rank].PushBack(&w)
	}
}

func (g *Gate) unline(who any) {
	if e, ok := g.places[who]; ok {
		g.lines[e.Value.(*waiter).rank].Remove(e)
		delete(g.places, who)
	}
}

// ahead reports whether somebody in line has precedence over a newcomer.
func (g *Gate) ahead(rank Rank) bool {
	for _, line := range g.lines[:rank+1] {
		if line.Len() > 0 {
			return true
		}
	}
	return false
}

// coming is how many were called and are expected.
func (g *Gate) coming() int {
	for who, at := range g.called {
		if g.now().Sub(at) >= patience {
			delete(g.called, who)
		}
	}
	return len(g.called)
}

// admit calls as many as there are places.
func (g *Gate) admit() {
	for free := g.width - g.inside - g.coming(); free > 0; free-- {
		w := g.next()
		if w == nil {
			return
		}
		g.called[w.who] = g.now()
		w.call()
	}
}

func (g *Gate) next() *waiter {
	for _, line := range g.lines {
		if e := line.Front(); e != nil {
			w := e.Value.(*waiter)
			g.unline(w.who)
			return w
		}
	}
	return nil
}
