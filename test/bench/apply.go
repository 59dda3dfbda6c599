package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// quiet is a sync period that does not come round while something else is measured.
const quiet = 10 * time.Minute

// appliers is how many objects are sent to the API server at once.
const appliers = 8

// apply creates all buckets, and when they are Ready all databases.
func apply(ctx context.Context, s *environment, r *results) error {
	if err := s.run(ctx, quiet); err != nil {
		return err
	}
	if err := s.child.pause(ctx, 2*time.Second); err != nil {
		return err
	}
	var err error
	if r.idle, err = resident(s.child.cmd.Process.Pid); err != nil {
		return err
	}
	s.cpuProfile(ctx, "apply")
	for _, half := range [][]*group{s.groups[:2], s.groups[2:]} {
		if err := s.applyGroups(ctx, half, r); err != nil {
			return err
		}
	}
	return s.save(ctx, "heap-apply.pprof", "heap")
}

// applyGroups creates the objects of some groups and measures until the last is Ready and all is quiet.
func (s *environment) applyGroups(ctx context.Context, groups []*group, r *results) error {
	total := 0
	for _, g := range groups {
		total += g.count
	}
	if total == 0 {
		return nil
	}
	s.cloud.Ledger.Reset()
	mark, err := s.cluster.Audit().Mark()
	if err != nil {
		return err
	}
	before, err := processorTime(s.child.cmd.Process.Pid)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.scrape(watching)
	w := s.watch(watching, groups)
	answered, err := s.answers(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.create(ctx, groups, w); err != nil {
		return err
	}
	if err := w.wait(ctx, s.child, total); err != nil {
		return err
	}
	for _, g := range groups {
		times := w.times(g)
		r.of(g).toReady = times
	}
	r.allReady(groups, time.Since(began))
	// What follows Ready, if anything does, counts too.
	if err := s.child.pause(ctx, 2*time.Second); err != nil {
		return err
	}
	after, err := processorTime(s.child.cmd.Process.Pid)
	if err != nil {
		return err
	}
	requests, err := s.requests(mark)
	if err != nil {
		return err
	}
	asked, err := s.answers(ctx)
	if err != nil {
		return err
	}
	r.answers += asked - answered
	shared := float64(requests.Count(kubernetesWrites, inMooring)) / float64(total)
	for _, g := range groups {
		if g.count == 0 {
			continue
		}
		m := r.of(g)
		m.applyCPU = perObject(after-before, total)
		m.applyWrites = float64(requests.Count(kubernetesWrites, in(g)))/float64(g.count) + shared
		m.mostWrites = most(requests.Where(kubernetesWrites, in(g), cluster.On("buckets/*", "databases/*")))
		m.applyReads, m.applyCalls = s.calls(g)
	}
	return nil
}

// create sends all objects, those of the groups in turn.
func (s *environment) create(ctx context.Context, groups []*group, w *readiness) error {
	send, ctx := errgroup.WithContext(ctx)
	send.SetLimit(appliers)
	for i := range groups[0].count {
		for _, g := range groups {
			if i >= g.count {
				continue
			}
			send.Go(func() error {
				o := g.object(g.name(i))
				o.SetNamespace(g.namespace())
				w.sent(o)
				return s.client.Create(ctx, o)
			})
		}
	}
	return send.Wait()
}

// calls returns how many reads and writes of the cloud there were for each object of a group. Calls about no object, such as that for the quotas of an account, are
// as many for one object as for a thousand.
func (s *environment) calls(g *group) (reads, writes float64) {
	for _, c := range s.cloud.Ledger.Calls(localcloud.Filter{Service: g.service}) {
		switch {
		case c.Resource == "":
		case c.Write:
			writes++
		default:
			reads++
		}
	}
	return reads / float64(g.count), writes / float64(g.count)
}

// requests returns what the controller asked of the API server since mark.
func (s *environment) requests(mark cluster.Mark) (cluster.Requests, error) {
	all, err := s.cluster.Audit().Since(mark)
	return all.Where(func(r cluster.Request) bool { return strings.HasPrefix(r.UserAgent, "mooring/") }), err
}

func kubernetesWrites(r cluster.Request) bool { return cluster.Writes(r) && r.Resource != "events" }

func kubernetesReads(r cluster.Request) bool { return r.Verb == "get" || r.Verb == "list" }

func in(g *group) cluster.Filter {
	return func(r cluster.Request) bool { return r.Namespace == g.namespace() }
}

func inMooring(r cluster.Request) bool { return r.Namespace == system.Namespace }

// inVault selects what is about databases' passwords: of the Secrets in Mooring's own namespace those that no other object shares.
func inVault(r cluster.Request) bool {
	return inMooring(r) && r.Resource == "secrets" && strings.HasPrefix(r.Name, "password-")
}

// most returns the most requests that any one object had.
func most(requests cluster.Requests) int {
	byName := map[string]int{}
	highest := 0
	for _, r := range requests {
		byName[r.Name]++
		highest = max(highest, byName[r.Name])
	}
	return highest
}

// readiness notes when objects were sent and when they were first seen Ready.
type readiness struct {
	mu     sync.Mutex
	begun  map[client.ObjectKey]time.Time
	took   map[client.ObjectKey]time.Duration
	last   map[client.ObjectKey][]metav1.Condition
	failed chan error
}

// watch notes, until ctx ends, when the objects of some groups become Ready.
func (s *environment) watch(ctx context.Context, groups []*group) *readiness {
	w := &readiness{
		begun: map[client.ObjectKey]time.Time{}, took: map[client.ObjectKey]time.Duration{},
		last: map[client.ObjectKey][]metav1.Condition{}, failed: make(chan error, len(groups)),
	}
	for _, g := range groups {
		go func() { w.failed <- s.follow(ctx, g, w) }()
	}
	return w
}

// follow notes what becomes of a group's objects until ctx ends. The API server closes a watch whose reader is
// slow, as this one is on a busy machine; a new watch begins with all that there is.
func (s *environment) follow(ctx context.Context, g *group, w *readiness) error {
	for ctx.Err() == nil {
		list := client.ObjectList(&v1alpha1.DatabaseList{})
		if g.isBucket() {
			list = &v1alpha1.BucketList{}
		}
		events, err := s.client.Watch(ctx, list, client.InNamespace(g.namespace()))
		if err != nil {
			return err
		}
		w.follow(events)
		events.Stop()
	}
	return ctx.Err()
}

func (w *readiness) follow(events watch.Interface) {
	for e := range events.ResultChan() {
		o, ok := e.Object.(client.Object)
		if !ok {
			return // what the API server says when it closes a watch
		}
		w.mu.Lock()
		w.last[client.ObjectKeyFromObject(o)] = conditions(o)
		w.mu.Unlock()
		if meta.IsStatusConditionTrue(conditions(o), v1alpha1.ConditionReady) {
			w.ready(o)
		}
	}
}

func conditions(o client.Object) []metav1.Condition {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		return o.Status.Conditions
	case *v1alpha1.Database:
		return o.Status.Conditions
	}
	return nil
}

func (w *readiness) sent(o client.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun[client.ObjectKeyFromObject(o)] = time.Now()
}

func (w *readiness) ready(o client.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if key := client.ObjectKeyFromObject(o); w.took[key] == 0 {
		w.took[key] = time.Since(w.begun[key])
	}
}

// wait returns when so many objects are Ready. Its patience ends when for a minute none became so.
func (w *readiness) wait(ctx context.Context, c *child, total int) error {
	before, since := 0, time.Now()
	for {
		w.mu.Lock()
		now := len(w.took)
		w.mu.Unlock()
		switch {
		case now >= total:
			return nil
		case now > before:
			before, since = now, time.Now()
		case time.Since(since) > time.Minute:
			return fmt.Errorf("%d of %d objects are Ready, and for a minute no other became so; one that is not: %s", now, total, w.laggard())
		}
		select {
		case err := <-w.failed:
			return err
		default:
		}
		if err := c.pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// laggard says about one object that is not Ready what its conditions say.
func (w *readiness) laggard() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.begun {
		if w.took[key] == 0 {
			return fmt.Sprintf("%s %+v", key, w.last[key])
		}
	}
	return "none"
}

// times returns the times to Ready of a group's objects, sorted.
func (w *readiness) times(g *group) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var times []time.Duration
	for key, took := range w.took {
		if key.Namespace == g.namespace() {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	return times
}
