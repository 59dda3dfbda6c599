package credential

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A Gate bounds how many objects of one account are worked on at once, so that an account whose
// cloud hangs can't hold all workers. After a call that got no answer it narrows to one at a
// time, and widens again with every answer.
type Gate struct {
	mu      sync.Mutex
	widest  int
	width   int
	inside  int
	waiting map[any]bool
	// stay is how long an object is inside, on average.
	stay time.Duration
	now  func() time.Time
}

// Bounds of the wait that Enter suggests.
const (
	shortestWait = 20 * time.Millisecond
	longestWait  = 2 * time.Second
)

// NewGate returns a gate that lets in at most widest.
func NewGate(widest int, now func() time.Time) *Gate {
	return &Gate{widest: widest, width: widest, waiting: map[any]bool{}, now: now}
}

// Enter takes a place for whoever who identifies, and returns the function that gives it back;
// answered says whether the cloud answered at all. If there is no place it returns nil, and about when there
// will be one. It never blocks.
func (g *Gate) Enter(who any) (leave func(answered bool), wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside >= g.width {
		g.waiting[who] = true
		turns := time.Duration(len(g.waiting)) * g.stay / time.Duration(g.width)
		wait = min(max(turns, shortestWait), longestWait)
		return nil, wait/2 + time.Duration(rand.Int64N(int64(wait)))
	}
	delete(g.waiting, who)
	g.inside++
	entered := g.now()
	return func(answered bool) { g.leave(answered, g.now().Sub(entered)) }, 0
}

func (g *Gate) leave(answered bool, stayed time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.stay += (stayed - g.stay) / 8
	if answered {
		g.width = min(g.widest, g.width*2)
	} else {
		g.width = 1
	}
}

// Forget drops somebody who will not come back.
func (g *Gate) Forget(who any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, who)
}
