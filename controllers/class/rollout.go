package class

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// Rollouts apply changed classes to a few objects at a time. An object that changes because its class did calls Enter
// before it calls the cloud, and Leave once it is up to date. An object that does not become up to date keeps its
// place. So a class that breaks its objects breaks a few of them, and the rollout stops until the class is corrected.
//
// Rollouts are safe for concurrent use. They are kept in memory only: after a restart, more objects may change at the
// same time.
type Rollouts struct {
	// Idle is how long an object keeps its place without calling Enter again, for example because it was paused.
	Idle time.Duration
	Now  func() time.Time

	mu  sync.Mutex
	all map[string]*rollout
}

// RolloutWidth returns how many of a class's objects may change at the same time after an edit of the class: one tenth
// of them, and at least five.
func RolloutWidth(users int) int { return max(5, (users+9)/10) }

// rollout is that of one class in one generation.
type rollout struct {
	generation int64
	width      int
	inside     map[types.UID]time.Time // when it was last heard of
	waiting    []waiter
	// called is how many were called and did not come yet. Some never do; those that were not called come by themselves, later.
	called int
}

type waiter struct {
	uid  types.UID
	call func()
}

// Enter takes a place for an object of a class, and reports whether the object has one. width is the number of places.
// It may be called again. If no place is free, call is called once when one may be free. A new generation of the class
// starts a new rollout.
func (r *Rollouts) Enter(class string, generation int64, width int, uid types.UID, call func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]*rollout{}
	}
	now, of := r.Now(), r.all[class]
	if of == nil || of.generation < generation {
		was := of
		of = &rollout{generation: generation, inside: map[types.UID]time.Time{}}
		r.all[class] = of
		if was != nil {
			of.waiting = was.waiting
		}
	}
	for other, heard := range of.inside {
		if now.Sub(heard) > r.Idle {
			delete(of.inside, other)
		}
	}
	of.width, of.called = width, max(0, of.called-1)
	_, inside := of.inside[uid]
	if !inside && len(of.inside) >= width {
		if !slices.ContainsFunc(of.waiting, func(w waiter) bool { return w.uid == uid }) {
			of.waiting = append(of.waiting, waiter{uid, call})
		}
		return false
	}
	of.inside[uid] = now
	of.waiting = slices.DeleteFunc(of.waiting, func(w waiter) bool { return w.uid == uid })
	return true
}

// Leave gives up the place of an object, or its wait for one, whichever class it is of. Objects that wait are called
// while places are free.
func (r *Rollouts) Leave(uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for class, of := range r.all {
		_, inside := of.inside[uid]
		delete(of.inside, uid)
		of.waiting = slices.DeleteFunc(of.waiting, func(w waiter) bool { return w.uid == uid })
		for inside && len(of.waiting) > 0 && len(of.inside)+of.called < of.width {
			of.waiting[0].call()
			of.waiting, of.called = of.waiting[1:], of.called+1
		}
		if len(of.inside) == 0 && len(of.waiting) == 0 {
			delete(r.all, class)
		}
	}
}

// Progress returns the progress of each rollout.
func (r *Rollouts) Progress() (all []telemetry.Rollout) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for class, of := range r.all {
		all = append(all, telemetry.Rollout{Class: class, Changing: len(of.inside), Waiting: len(of.waiting)})
	}
	return all
}
