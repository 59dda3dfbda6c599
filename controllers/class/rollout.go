package class

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// Rollouts let changed classes reach their users a few at a time. An object that is to change because its class did enters
// before the cloud is asked, and leaves once it is as declared. What does not get there keeps its place: a class that breaks
// its users breaks a few of them, and goes no further until it is mended. It is safe for concurrent use, and may be lost at any
// time: then a few more change at once.
type Rollouts struct {
	// Idle is how long an object keeps its place that is not heard of, as one that was paused.
	Idle time.Duration
	Now  func() time.Time

	mu  sync.Mutex
	all map[string]*rollout
}

// RolloutWidth returns how many of a class's users change at once: a tenth, and five at least.
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

// Enter takes a place for an object of a class, if there is one among width; it may be called again. Else the object is called,
// once, when there may be one. A new generation of the class begins anew.
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

// Leave gives up the place of an object, whichever class it is of, or its waiting for one. Who waits is called as far as there
// is room.
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

// Progress returns how far each change of a class has come.
func (r *Rollouts) Progress() (all []telemetry.Rollout) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for class, of := range r.all {
		all = append(all, telemetry.Rollout{Class: class, Changing: len(of.inside), Waiting: len(of.waiting)})
	}
	return all
}
