package account

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A rate is how a cloud limits calls: by a bucket of tokens.
type rate struct {
	perSecond, burst float64
	tokens           float64
	filled           time.Time
}

func (r *rate) take() bool {
	now := time.Now()
	r.tokens = min(r.burst, r.tokens+now.Sub(r.filled).Seconds()*r.perSecond)
	r.filled = now
	if r.tokens < 1 {
		return false
	}
	r.tokens--
	return true
}

// An environment is an account whose cloud limits calls, with many objects that are observed periodically.
type environment struct {
	t       *testing.T
	all     *Limiters
	source  *Source
	calls   driver.Calls
	sync    time.Duration
	reads   int
	latency time.Duration

	mu sync.Mutex
	// limits are those of the services that an observation reads from, all of which limit it.
	limits map[string]*rate
	// accepted and refused count calls. others are the calls that other users of the account made.
	accepted, refused int
	// began are the reconciliations in the order in which they began: true for edits.
	began []bool
	// gaps are how long objects went unobserved.
	longestGap time.Duration
}

func newEnvironment(t *testing.T, limits map[string]*rate) *environment {
	e := &environment{t: t, sync: time.Minute, reads: 1, latency: 50 * time.Millisecond, limits: limits}
	for _, limit := range limits {
		limit.tokens, limit.filled = limit.burst, time.Now()
	}
	e.all = New(10, time.Now, nil)
	e.source = e.all.Source("config", "third", Key{Source: "config"})
	e.calls = e.source.Calls(nil, nil, "")
	return e
}

// call makes one call of a service.
func (e *environment) call(ctx context.Context, service string) bool {
	_, end := e.calls(ctx, service, "get")
	time.Sleep(e.latency)
	e.mu.Lock()
	taken := e.limits[service].take()
	if taken {
		e.accepted++
	} else {
		e.refused++
	}
	e.mu.Unlock()
	end(driver.Call{Failed: !taken, Code: map[bool]driver.Code{false: driver.Throttled}[taken]})
	return taken
}

// An object is observed periodically, and edited from time to time.
type object struct {
	*environment
	namespace, name string
	edits           chan time.Time
	woken           chan struct{}
	observed        time.Time
	// written is how long the last edit took until its write was taken.
	written chan time.Duration
}

func (e *environment) object(namespace, name string) *object {
	return &object{environment: e, namespace: namespace, name: name, edits: make(chan time.Time, 1), woken: make(chan struct{}, 1), written: make(chan time.Duration, 1)}
}

// live observes the object until ctx ends.
func (o *object) live(ctx context.Context) {
	next := time.Duration(rand.Float64() * float64(o.sync))
	for {
		var edited time.Time
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		case edited = <-o.edits:
		}
		for !o.reconcile(ctx, &edited) {
			if ctx.Err() != nil {
				return
			}
		}
		if !edited.IsZero() {
			o.written <- time.Since(edited)
		}
		next = time.Duration(float64(o.sync) * (0.9 + 0.2*rand.Float64()))
	}
}

// reconcile takes a slot and makes the calls: some that read, and one more that writes for an edit. It returns false if one was refused.
func (o *object) reconcile(ctx context.Context, edited *time.Time) bool {
	slot := o.acquire(ctx, edited)
	if slot == nil {
		return false
	}
	defer slot.Release(true)
	o.mu.Lock()
	o.began = append(o.began, !edited.IsZero())
	o.mu.Unlock()
	calls := o.reads
	if !edited.IsZero() {
		calls++
	}
	for range calls {
		for service := range o.limits {
			if !o.call(context.WithValue(ctx, slotKey{}, slot), service) {
				return false
			}
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.observed.IsZero() {
		o.longestGap = max(o.longestGap, time.Since(o.observed))
	}
	o.observed = time.Now()
	return true
}

func (o *object) acquire(ctx context.Context, edited *time.Time) *Slot {
	for {
		p := Resync
		if !edited.IsZero() {
			p = UserRequested
		}
		slot := o.source.Acquire(Request{Requester: o.name, Namespace: o.namespace, Kind: "Database", Priority: p, Observed: o.observed,
			Wake: func() {
				select {
				case o.woken <- struct{}{}:
				default:
				}
			}})
		if slot != nil {
			return slot
		}
		select {
		case <-o.woken:
		case *edited = <-o.edits:
		case <-ctx.Done():
			return nil
		}
	}
}

// However a cloud limits calls, nearly all that it takes are made, few are refused, an edit is the next reconciliation, and each object has its turn.
func TestThrottledAccount(t *testing.T) {
	for _, test := range []struct {
		name    string
		limits  map[string]*rate
		objects int
		reads   int
		change  func(e *environment) // after ten minutes
		rate    float64              // after the change, and of the tightest service
		// least is the share of the allowed calls that is made; 0 for 95 in a hundred. A cloud that takes no two calls at once is made less of.
		least float64
		// most is how long an object goes unobserved at most.
		most time.Duration
	}{
		{name: "180 calls a minute", limits: map[string]*rate{"sql": {perSecond: 3, burst: 180}}, objects: 300, reads: 1, rate: 3, most: 6 * time.Minute},
		{name: "180 calls a minute, three for an observation", limits: map[string]*rate{"sql": {perSecond: 3, burst: 180}}, objects: 300, reads: 3, rate: 3, most: 20 * time.Minute},
		{name: "a fast cloud with a small bucket", limits: map[string]*rate{"rds": {perSecond: 20, burst: 20}}, objects: 2000, reads: 1, rate: 20, most: 6 * time.Minute},
		{name: "a bucket of one", limits: map[string]*rate{"sql": {perSecond: 3, burst: 1}}, objects: 300, reads: 1, rate: 3, least: 0.6, most: 10 * time.Minute},
		{name: "two services, of which one is slow", limits: map[string]*rate{"slow": {perSecond: 2, burst: 20}, "fast": {perSecond: 50, burst: 100}}, objects: 300, reads: 1, rate: 2, most: 8 * time.Minute},
		{name: "the limit falls", limits: map[string]*rate{"sql": {perSecond: 6, burst: 60}}, objects: 500, reads: 1, rate: 1.5,
			change: func(e *environment) { e.limits["sql"].perSecond, e.limits["sql"].tokens = 1.5, 0 }, most: 20 * time.Minute},
		{name: "the limit is raised", limits: map[string]*rate{"sql": {perSecond: 1.5, burst: 60}}, objects: 600, reads: 1, rate: 9,
			change: func(e *environment) { e.limits["sql"].perSecond = 9 }, most: 15 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEnvironment(t, test.limits)
				e.reads = test.reads
				ctx, stop := context.WithCancel(t.Context())
				var running sync.WaitGroup
				objects := make([]*object, test.objects)
				for i := range objects {
					objects[i] = e.object("shop", fmt.Sprint(i))
					running.Go(func() { objects[i].live(ctx) })
				}
				time.Sleep(10 * time.Minute)
				if test.change != nil {
					e.mu.Lock()
					test.change(e)
					e.mu.Unlock()
					time.Sleep(5 * time.Minute) // to find out
				}
				e.mu.Lock()
				e.accepted, e.refused = 0, 0
				e.mu.Unlock()
				const span = 20 * time.Minute
				began := time.Now()
				for i := range 8 {
					if test.name != "a bucket of one" { // which never takes the two calls of an edit one after the other
						e.edit(objects[i*7])
					}
					time.Sleep(time.Minute)
				}
				time.Sleep(span - time.Since(began))
				stop()
				running.Wait()
				allowed := test.rate * span.Seconds() * float64(len(test.limits))
				t.Logf("%d calls of %.0f were taken, %d refused; the longest gap is %s; %+v", e.accepted, allowed, e.refused, e.longestGap, e.source.Budgets())
				if float64(e.accepted) < cmp.Or(test.least, 0.95)*allowed {
					t.Errorf("%d calls were taken, of %.0f that are allowed", e.accepted, allowed)
				}
				if float64(e.refused) > 0.03*float64(e.accepted) {
					t.Errorf("%d calls were refused, and %d taken", e.refused, e.accepted)
				}
				if e.longestGap > test.most {
					t.Errorf("an object was not observed for %s, want %s at most", e.longestGap, test.most)
				}
			})
		})
	}
}

// edit edits an object. Its reconciliation has to be the next one to begin, and its write is taken as soon as the account's calls allow.
func (e *environment) edit(o *object) {
	e.t.Helper()
	synctest.Wait()
	e.mu.Lock()
	before := len(e.began)
	e.mu.Unlock()
	o.edits <- time.Now()
	var took time.Duration
	select {
	case took = <-o.written:
	case <-time.After(5 * time.Minute):
		e.t.Fatal("the edit is not written in five minutes")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.began[before] {
		e.t.Errorf("the edit was not the next reconciliation")
	}
	if took > 15*time.Second {
		e.t.Errorf("an edit took %s", took)
	}
}

// As long as no call is refused, there is no limit; and a limit that nobody comes near to is forgotten.
func TestLimitsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnvironment(t, map[string]*rate{"sql": {perSecond: 1, burst: 1}})
		o := e.object("shop", "orders")
		observe := func() {
			var none time.Time
			o.reconcile(t.Context(), &none)
		}
		observe()
		if limits := e.source.Budgets(); len(limits) != 0 {
			t.Errorf("there is a limit without a refusal: %+v", limits)
		}
		observe()
		if limits := e.source.Budgets(); len(limits) != 1 || !e.source.RateLimited("Database") || e.source.RateLimited("Bucket") {
			t.Errorf("after a refusal: %+v", limits)
		}
		time.Sleep(2 * forgotten)
		if limits := e.source.Budgets(); len(limits) != 0 || e.source.RateLimited("Database") {
			t.Errorf("the limit is not forgotten: %+v", limits)
		}
	})
}

// What an account did while no limit was known is not held against it when one is met.
func TestTheFirstRefusalMayComeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sql := &rate{perSecond: 3, burst: 180}
		e := newEnvironment(t, map[string]*rate{"sql": sql})
		o := e.object("shop", "orders")
		var none time.Time
		for range 10_000 {
			o.reconcile(t.Context(), &none)
			time.Sleep(time.Second)
		}
		sql.tokens, sql.filled = 0, time.Now() // another user of the account took them
		e.awaitObserved(o, 5*time.Second)
	})
}

// awaitObserved fails the test unless an object is observed within a time.
func (e *environment) awaitObserved(o *object, within time.Duration) {
	e.t.Helper()
	ctx, stop := context.WithCancel(e.t.Context())
	began, observed := time.Now(), make(chan time.Duration, 1)
	go func() {
		var none time.Time
		for !o.reconcile(ctx, &none) && ctx.Err() == nil {
		}
		observed <- time.Since(began)
	}()
	select {
	case took := <-observed:
		e.t.Logf("it was observed after %s", took)
	case <-time.After(within):
		e.t.Errorf("it is not observed within %s: %+v", within, e.source.Budgets())
		stop()
		<-observed
	}
	stop()
}

// Calls that are made for no object, such as the question for the account, make no object wait for the calls of their budget. Those of an object's own
// budget make it wait for a bounded time.
func TestCallsForNoObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnvironment(t, map[string]*rate{"sql": {perSecond: 3, burst: 180}})
		o := e.object("shop", "orders")
		var none time.Time
		o.reconcile(t.Context(), &none)
		for range 100 {
			_, end := e.calls(t.Context(), "sts", "GetCallerIdentity")
			end(driver.Call{Failed: true, Code: driver.Throttled})
			time.Sleep(time.Second)
		}
		e.awaitObserved(o, time.Second)

		e.limits["sql"].tokens = 0
		for range 100 {
			e.call(t.Context(), "sql")
			time.Sleep(100 * time.Millisecond)
		}
		e.awaitObserved(o, 2*time.Minute)
	})
}

// A cloud that refuses one of many calls of an observation again and again makes the account's calls few. Once it takes that call, the object is observed soon,
// although nobody else asks for the account's calls.
func TestTheRateGrowsForOneWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s3 := &rate{perSecond: 1000, burst: 1000}
		e := newEnvironment(t, map[string]*rate{"s3": s3})
		e.reads = 19
		o := e.object("shop", "pictures")
		var none time.Time
		for range 5 {
			s3.perSecond, s3.tokens = 0, 14
			for o.reconcile(t.Context(), &none) {
			}
		}
		s3.perSecond = 1000
		e.awaitObserved(o, time.Minute)
	})
}

// A kind whose calls are not limited does not wait for one whose calls are, in the same account and namespace.
func TestOneKindDoesNotWaitForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnvironment(t, map[string]*rate{"sql": {perSecond: 0.1, burst: 1}})
		o := e.object("shop", "orders")
		var none time.Time
		for range 3 {
			o.reconcile(t.Context(), &none)
		}
		v := &requesters{t: t, all: e.all, source: e.source, namespace: "shop", kind: "Database", release: map[string]func(bool){}}
		v.queues("d1", Resync)
		v.queues("d2", Resync)
		v.kind = "Bucket"
		if !v.acquire("b1", Resync) {
			v.areWoken("b1")
			v.acquires("b1", Resync)
		}
		e.all.mu.Lock() // under which timers wake
		v.woken = nil
		e.all.mu.Unlock()
		time.Sleep(5 * time.Minute)
		e.all.mu.Lock()
		defer e.all.mu.Unlock()
		if len(v.woken) == 0 {
			t.Error("the Database is never woken")
		}
	})
}

// What Calls counts together is what the cloud's description says.
func TestCallsAreCountedByBudget(t *testing.T) {
	all := New(1, time.Now, nil)
	s := all.Source("config", "third", Key{Source: "config"})
	calls := s.Calls(nil, []driver.Budget{
		{Name: "reads", Service: "sql", Operations: []string{"Describe*"}, Regional: true},
		{Name: "bucket updates", Service: "store", Operations: []string{"patch"}, ByObject: true},
		{Name: "writes", Service: "sql"},
	}, "north")
	for _, call := range [][2]string{{"sql", "DescribeAll"}, {"sql", "Modify"}, {"store", "patch"}, {"store", "get"}, {"other", "get"}} {
		_, end := calls(t.Context(), call[0], call[1])
		end(driver.Call{Failed: true, Code: driver.Throttled})
	}
	got := map[string]bool{}
	for _, b := range s.Budgets() {
		got[b.Name] = true
	}
	for _, want := range []string{"reads in north", "writes", "store calls", "other calls"} {
		if !got[want] {
			t.Errorf("%q is not limited: %v", want, got)
		}
	}
	if len(got) != 4 {
		t.Errorf("limited are %v", got)
	}
}
