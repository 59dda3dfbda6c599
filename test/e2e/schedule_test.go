package e2e

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/controllers/identity"
)

// A schedule is the clock of a manager and of its cloud. It stands still while anything is worked on, and is moved from one
// moment at which something is due to the next: a day takes as long as the work in it.
type schedule struct {
	mu      sync.Mutex
	changed *sync.Cond
	now     time.Time
	queues  []*dueQueue
	// working counts the requests that were handed out and are not done.
	working int
	added   int
	// seldom is how often provider configs are looked at, if not once a minute: in weeks that is nearly all that a test would do.
	seldom time.Duration
}

func newSchedule() *schedule {
	s := &schedule{now: time.Now()}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Now is the time.
func (s *schedule) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// queue makes a controller's queue.
func (s *schedule) queue(controller string, _ workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	q := &dueQueue{schedule: s, config: controller == identity.KindClusterProviderConfig, items: map[reconcile.Request]*due{}, working: map[reconcile.Request]bool{}, failed: map[reconcile.Request]int{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues = append(s.queues, q)
	return q
}

// step waits until nothing is worked on, and moves the time to when the next thing is due. It stays where it is if that is
// after the limit, and reports that.
func (s *schedule) step(limit time.Time) (moved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, moved := s.next(limit)
	if moved {
		s.now = next
		s.changed.Broadcast()
	}
	return moved
}

// pass lets the time pass until then, with all that is due before.
func (s *schedule) pass(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.now.Before(until) {
		next, found := s.next(until)
		if !found {
			next = until
		}
		s.now = next
		s.changed.Broadcast()
	}
}

// next waits until nothing is worked on, and returns when the next thing is due, unless that is after the limit.
func (s *schedule) next(limit time.Time) (next time.Time, found bool) {
	for {
		next, found = time.Time{}, false
		for _, q := range s.queues {
			for _, item := range q.items {
				if !found || item.at.Before(next) {
					next, found = item.at, true
				}
			}
		}
		if s.working == 0 && (!found || next.After(s.now)) {
			return next, found && !next.After(limit)
		}
		s.changed.Wait()
	}
}

// A dueQueue is a controller's queue that goes by a schedule.
type dueQueue struct {
	*schedule
	items   map[reconcile.Request]*due
	working map[reconcile.Request]bool
	failed  map[reconcile.Request]int
	config  bool // its requests are provider configs
	ended   bool
}

// due is when a request is to be handed out, and before which others.
type due struct {
	at              time.Time
	priority, order int
}

var _ priorityqueue.PriorityQueue[reconcile.Request] = &dueQueue{}

// AddWithOpts implements priorityqueue.PriorityQueue.
func (q *dueQueue) AddWithOpts(o priorityqueue.AddOpts, requests ...reconcile.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range requests {
		after, priority := o.After, 0
		if o.RateLimited {
			q.failed[r]++
			after = min(time.Second<<min(q.failed[r], 10), 1000*time.Second)
		}
		if q.config && after >= time.Minute { // what is tried again after a failure is not put off
			after = max(after, q.seldom)
		}
		if o.Priority != nil {
			priority = *o.Priority
		}
		at, item := q.now.Add(after), q.items[r]
		if item == nil {
			q.added++
			q.items[r] = &due{at, priority, q.added}
			continue
		}
		if at.Before(item.at) {
			item.at = at
		}
		item.priority = max(item.priority, priority)
	}
	q.changed.Broadcast()
}

// GetWithPriority implements priorityqueue.PriorityQueue.
func (q *dueQueue) GetWithPriority() (request reconcile.Request, priority int, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.ended {
		var best *due
		for r, item := range q.items {
			if item.at.After(q.now) || q.working[r] {
				continue
			}
			if best == nil || item.priority > best.priority || item.priority == best.priority && item.order < best.order {
				best, request = item, r
			}
		}
		if best != nil {
			delete(q.items, request)
			q.working[request] = true
			q.schedule.working++
			return request, best.priority, false
		}
		q.changed.Wait()
	}
	return request, 0, true
}

// Done implements workqueue.TypedInterface.
func (q *dueQueue) Done(r reconcile.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.working, r)
	q.schedule.working--
	q.changed.Broadcast()
}

// ShutDown implements workqueue.TypedInterface. What nobody will hand out any more is due no more.
func (q *dueQueue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	clear(q.items)
	q.changed.Broadcast()
}

// The rest of workqueue.TypedRateLimitingInterface.

func (q *dueQueue) Add(r reconcile.Request) { q.AddWithOpts(priorityqueue.AddOpts{}, r) }
func (q *dueQueue) AddRateLimited(r reconcile.Request) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, r)
}
func (q *dueQueue) AddAfter(r reconcile.Request, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, r)
}
func (q *dueQueue) ShutDownWithDrain() { q.ShutDown() }

func (q *dueQueue) Get() (r reconcile.Request, shutdown bool) {
	r, _, shutdown = q.GetWithPriority()
	return r, shutdown
}

func (q *dueQueue) Forget(r reconcile.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.failed, r)
}

func (q *dueQueue) NumRequeues(r reconcile.Request) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failed[r]
}

func (q *dueQueue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

func (q *dueQueue) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}
