package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// window is how long re-checks are watched.
const window = 10 * time.Second

// restart starts the controller anew. It looks at each object exactly once then, so that calls divided by
// objects are the cost of one re-check, whatever the machine's speed.
func restart(ctx context.Context, s *environment, r *results) error {
	s.cloud.Ledger.Reset()
	mark, err := s.cluster.Audit().Mark()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.run(ctx, quiet); err != nil {
		return err
	}
	if err := s.allLooked(ctx); err != nil {
		return err
	}
	r.restart = time.Since(began)
	if err := s.child.pause(ctx, 3*time.Second); err != nil {
		return err
	}
	requests, err := s.requests(mark)
	if err != nil {
		return err
	}
	for _, g := range s.groups {
		if g.count == 0 {
			continue
		}
		m, n := r.of(g), float64(g.count)
		m.checkReads, m.checkCalls = s.calls(g)
		m.kubernetesWrites = float64(requests.Count(kubernetesWrites, in(g))) / n
		m.firstReads = float64(requests.Count(kubernetesReads, in(g)))/n + s.vaultReads(requests.Count(kubernetesReads, inVault), g, s.databases)
	}
	return nil
}

// vaultReads is the share of a database, or of one of its re-checks, in the reads of databases' passwords.
func (s *environment) vaultReads(reads int, g *group, of int) float64 {
	if g.isBucket() {
		return 0
	}
	return float64(reads) / float64(max(1, of))
}

// databaseChecks returns how many re-checks of databases were counted.
func (s *environment) databaseChecks(r *results) (checks int) {
	for _, g := range s.groups {
		if !g.isBucket() {
			checks += r.of(g).checks
		}
	}
	return checks
}

// allLooked returns when each object was looked at since the ledger was reset.
func (s *environment) allLooked(ctx context.Context) error {
	for _, g := range s.groups {
		for {
			seen := map[string]bool{}
			for _, c := range s.cloud.Ledger.Calls(localcloud.Filter{Service: g.service, Operation: g.look}) {
				seen[c.Resource] = true
			}
			if len(seen) >= g.count {
				break
			}
			if err := s.child.pause(ctx, 50*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

// recheck restarts the controller with a sync period so short that re-checks never pause, and measures what
// they cost and how long an edit takes meanwhile.
func recheck(ctx context.Context, s *environment, r *results) error {
	s.cloud.Ledger.Reset()
	if err := s.run(ctx, s.syncPeriod); err != nil {
		return err
	}
	if err := s.allLooked(ctx); err != nil {
		return err
	}
	s.cloud.Ledger.Reset()
	mark, err := s.cluster.Audit().Mark()
	if err != nil {
		return err
	}
	s.cpuProfile(ctx, "recheck")
	pid := s.child.cmd.Process.Pid
	before, err := processorTime(pid)
	if err != nil {
		return err
	}
	if err := s.child.pause(ctx, window); err != nil {
		return err
	}
	after, err := processorTime(pid)
	if err != nil {
		return err
	}
	for _, g := range s.groups {
		r.of(g).checks = s.cloud.Ledger.Count(localcloud.Filter{Service: g.service, Operation: g.look})
		r.of(g).driftWrites = s.cloud.Ledger.Count(localcloud.Filter{Service: g.service, Write: localcloud.Writes})
	}
	r.checkCPU = after - before
	requests, err := s.requests(mark)
	if err != nil {
		return err
	}
	r.convergedWrites = requests.Count(kubernetesWrites)
	for _, g := range s.groups {
		m := r.of(g)
		m.kubernetesReads = float64(requests.Count(kubernetesReads, in(g)))/float64(max(1, m.checks)) +
			s.vaultReads(requests.Count(kubernetesReads, inVault), g, s.databaseChecks(r))
	}
	if r.edits, err = s.edit(ctx); err != nil {
		return err
	}
	if err := s.save(ctx, "heap-recheck.pprof", "heap"); err != nil {
		return err
	}
	r.busy, err = resident(pid)
	return err
}

// edit edits objects, one after another, and returns how long each edit took to reach the cloud, sorted.
func (s *environment) edit(ctx context.Context) ([]time.Duration, error) {
	var times []time.Duration
	groups := slices.DeleteFunc(slices.Clone(s.groups), func(g *group) bool { return g.count == 0 })
	for i := range s.edits {
		g := groups[i%len(groups)]
		took, err := s.editOne(ctx, g, g.name(i%g.count), fmt.Sprintf("edit-%d", i))
		if err != nil {
			return nil, err
		}
		times = append(times, took)
		if err := s.child.pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
	slices.Sort(times)
	return times, nil
}

// editOne changes a tag. All is converged, so the group's next write in the cloud is the edit's.
func (s *environment) editOne(ctx context.Context, g *group, name, value string) (time.Duration, error) {
	reached := make(chan time.Time, 1)
	lift := s.cloud.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Service: g.service, Write: localcloud.Writes},
		Kind:   localcloud.Latency, Times: 1, // a latency of zero: only its hook is of use
		Hook: func(localcloud.Call) { reached <- time.Now() },
	})
	defer lift()
	o := g.object(name)
	o.SetNamespace(g.namespace())
	stored := o.DeepCopyObject().(client.Object)
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		o.Spec.Tags = map[string]v1alpha1.TagValue{"bench": v1alpha1.TagValue(value)}
	case *v1alpha1.Database:
		o.Spec.Tags = map[string]v1alpha1.TagValue{"bench": v1alpha1.TagValue(value)}
	}
	began := time.Now()
	if err := s.client.Patch(ctx, o, client.MergeFrom(stored)); err != nil {
		return 0, err
	}
	select {
	case at := <-reached:
		return at.Sub(began), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(time.Minute):
		return 0, errors.New("an edit did not reach the cloud within a minute")
	}
}
