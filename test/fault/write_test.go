package fault

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// An outcome is what a phase of a lifecycle without faults looks like.
type outcome struct {
	writes    []call         // to Kubernetes and to the cloud
	committed map[string]int // in the cloud
	status    string
}

// creates are the operations of which there must be exactly one in a lifecycle.
var creates = append(system.Calls(func(o system.Operations) string { return o.Create }), "CreateDBSnapshot", "Backups.CreateBackup", "RestoreDBInstanceFromDBSnapshot", "instances.restoreBackup",
	"RestoreDBInstanceToPointInTime", "instances.clone",
	"CreateDBInstanceReadReplica", "PromoteReadReplica", "instances.promoteReplica", "CreateBlueGreenDeployment", "SwitchoverBlueGreenDeployment")

// A matrix is each write of each target's lifecycle, by what becomes of it.
type matrix struct {
	kinds []localcloud.FaultKind
	// parallel is how many lifecycles are led at once.
	parallel int
	// manage starts a manager for a lifecycle that needs one of its own.
	manage func(t *testing.T, l *lifecycle)
	// only is the one phase in which something goes wrong, between the creation and the deletion of a Database; empty for each phase of each target.
	only phase
}

// phases returns the phases of a target's lifecycles; none if it has none here.
func (m matrix) phases(s system.Target) []phase {
	switch {
	case m.only == "":
		return phasesOf(s)
	case s.Kind == "Database" && (m.only != beside && m.only != revival || s.Cloud == "aws"):
		return []phase{creation, m.only, deletion}
	}
	return nil
}

// targets are those of which there are lifecycles, by their place in system.Targets.
func (m matrix) targets() map[int]system.Target {
	all := map[int]system.Target{}
	for i, s := range system.Targets {
		if len(m.phases(s)) > 0 {
			all[i] = s
		}
	}
	return all
}

// TestWrites goes through a lifecycle's writes one by one: whatever becomes of one of them, the lifecycle goes on as if
// nothing had happened. TestRefusedWrites loses the
// first request of each write that every lifecycle has.
func TestWrites(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	w.sweep(t, matrix{
		kinds:    []localcloud.FaultKind{localcloud.ResponseLost, localcloud.Conflict, localcloud.RequestLost},
		parallel: 48, manage: func(*testing.T, *lifecycle) {},
	})
}

// TestKilled is TestWrites with the process killed in the moment in which the write is committed. Another one
// follows, which remembers nothing.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.sweep(t, matrix{
		kinds:    []localcloud.FaultKind{killed},
		parallel: 24, manage: func(t *testing.T, l *lifecycle) { l.kill = w.process(t, nil, l.name).kill },
	})
}

// sweepPhase goes through the writes of one phase as TestWrites and TestKilled do through those of all.
func sweepPhase(t *testing.T, only phase) {
	t.Parallel()
	t.Run("writes", func(t *testing.T) {
		t.Parallel()
		w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
		w.run(t, timeout)
		w.sweep(t, matrix{
			kinds:    []localcloud.FaultKind{localcloud.ResponseLost, localcloud.Conflict, localcloud.RequestLost},
			parallel: 24, manage: func(*testing.T, *lifecycle) {}, only: only,
		})
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
		w.sweep(t, matrix{
			kinds:    []localcloud.FaultKind{killed},
			parallel: 12, manage: func(t *testing.T, l *lifecycle) { l.kill = w.process(t, nil, l.name).kill }, only: only,
		})
	})
}

// sweep leads all the lifecycles of a matrix.
func (w *environment) sweep(t *testing.T, m matrix) {
	plain := make([]map[phase]outcome, len(system.Targets))
	var first sync.WaitGroup
	for i, s := range m.targets() {
		first.Go(func() { t.Run(s.String()+"/no fault", func(t *testing.T) { plain[i] = w.withoutFaultTwice(t, m, s) }) })
	}
	first.Wait()
	if t.Failed() {
		return
	}
	var cases, untested atomic.Int32
	rare := rareWrites{all: map[*chance]*rareWrite{}}
	var all sync.WaitGroup
	places := make(chan struct{}, m.parallel)
	for i, s := range m.targets() {
		for n, faults := range m.lifecycles(s, plain[i]) {
			cases.Add(int32(len(faults)))
			all.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				t.Run(fmt.Sprintf("%s/%d", s, n+1), func(t *testing.T) {
					lead := func(t *testing.T, faults injectedFaults) (missed injectedFaults) {
						return w.untilHit(t, m, s, faults, plain[i])
					}
					missed := lead(t, faults)
					untested.Add(int32(len(missed)))
					rare.note(faults, missed, lead)
				})
			})
		}
	}
	all.Wait()
	t.Logf("%d of %d cases did not occur", untested.Load(), cases.Load())
	rare.verify(t)
}

// injectedFaults are what goes wrong in a lifecycle: one fault in a phase. At the end of a phase everything has to be as it would be without
// the fault, so that the next phase begins as ever, and has another one.
type injectedFaults map[phase]injectedFault

// lifecycles returns the faults of each lifecycle, in which each write of each phase goes wrong once in each way. A write to Kubernetes goes wrong
// in each way for one cloud, and for the others in one way after the other, as in phases of updates, which write what the phases before them write.
func (m matrix) lifecycles(s system.Target, plain map[phase]outcome) (all []injectedFaults) {
	for _, p := range m.phases(s) {
		if m.only != "" && p != m.only {
			continue
		}
		n := 0
		for i, c := range plain[p].writes {
			kinds := m.kinds
			if c.side == kubernetes && (!standsForClouds(s) || slices.Contains(updates, p)) {
				kinds = m.kinds[i%len(m.kinds):][:1]
			}
			for _, kind := range kinds {
				if kind == localcloud.RequestLost && c.n == 1 && excuse(p, c) == nil && m.only == "" {
					continue
				}
				if n == len(all) {
					all = append(all, injectedFaults{})
				}
				all[n][p] = injectedFault{phase: p, call: c, kind: kind}
				n++
			}
		}
	}
	return all
}

// leftToOthers reports whether a write is left to other test cases: those of a provider config are the same whatever kind of
// object uses it.
func leftToOthers(s system.Target, c call) bool {
	ofConfig := strings.Contains(c.name, "providerconfigs") || strings.Contains(c.name, "copy of credentials")
	return ofConfig && !standsForClouds(s)
}

// standsForClouds reports whether what Kubernetes does is tested with a target, for its kind in all clouds: each kind has one, in a cloud of its own.
func standsForClouds(s system.Target) bool {
	return s.String() == "aws/Bucket" || s.String() == "gcp/Database"
}

// needed returns the phases that a lifecycle goes through: up to the last one that has a fault, or that the fault in its end needs, and then its end.
func needed[F interface{ at() call }](all []phase, faults map[phase]F) []phase {
	var before phase
	if f, faulty := faults[deletion]; faulty {
		before = comesWith[f.at().name]
	}
	last := 0
	for i, p := range all[:len(all)-1] {
		if _, faulty := faults[p]; faulty || before == p {
			last = i
		}
	}
	return append(all[:last+1:last+1], deletion)
}

// withoutFaultTwice returns what two lifecycles without a fault look like, with the writes of both.
func (w *environment) withoutFaultTwice(t *testing.T, m matrix, s system.Target) map[phase]outcome {
	t.Helper()
	plain, again := w.withoutFault(t, m, s, m.phases(s)), w.withoutFault(t, m, s, m.phases(s))
	for p, o := range plain {
		for _, c := range again[p].writes {
			if !slices.Contains(o.writes, c) {
				o.writes = append(o.writes, c)
			}
		}
		o.writes = slices.DeleteFunc(o.writes, func(c call) bool { return leftToOthers(s, c) || ofPeople(p, c) })
		plain[p] = o
		t.Logf("writes of %s: %v", p, o.writes)
	}
	return plain
}

// withoutFault goes through phases of a lifecycle in which nothing goes wrong, and writes down what happened.
func (w *environment) withoutFault(t *testing.T, m matrix, s system.Target, phases []phase) map[phase]outcome {
	t.Helper()
	l := w.prepared(t, s)
	m.manage(t, l)
	plain := map[phase]outcome{}
	for _, p := range phases {
		l.enterPhase(p)
		l.perform(t, p)
		c := outcome{committed: l.committed(), writes: l.written()}
		for name, n := range c.committed {
			for i := range n {
				c.writes = append(c.writes, call{cloud, name, i + 1})
			}
		}
		if p != deletion {
			c.status = l.summary(l.get(t))
		}
		l.verify(t, p)
		plain[p] = c
	}
	return plain
}

// ofUsers is the write of who uses a provider config.
const ofUsers = "patch providerconfigs/status"

// untilHit leads lifecycles until each fault was run into, and returns those that were not. A write without an excuse must occur in one of five,
// one with an excuse has two.
func (w *environment) untilHit(t *testing.T, m matrix, s system.Target, faults injectedFaults, plain map[phase]outcome) (missed injectedFaults) {
	missed = maps.Clone(faults)
	certain := func() (n int) {
		for p, f := range missed {
			if excuse(p, f.call) == nil {
				n++
			}
		}
		return n
	}
	for try := 1; try <= 2 || try <= 5 && certain() > 0; try++ {
		hits := w.withFaults(t, m, s, needed(m.phases(s), missed), missed, plain)
		if t.Failed() {
			return nil
		}
		maps.DeleteFunc(missed, func(p phase, _ injectedFault) bool { return hits[p] > 0 })
		if len(missed) == 0 {
			return nil
		}
	}
	for _, f := range missed {
		if e := excuse(f.phase, f.call); e != nil {
			t.Logf("%s did not occur: %s", f, e.why)
			continue
		}
		t.Errorf("%s: the write did not occur again, so that nothing was tested; if chance decides about it, say why in byChance", f)
	}
	return missed
}

// withFaults goes through phases of a lifecycle with faults in it, and compares it with one that had none. It returns how often each phase ran into
// its own.
func (w *environment) withFaults(
	t *testing.T, m matrix, s system.Target, phases []phase, faults injectedFaults, plain map[phase]outcome,
) (hits map[phase]int) {
	l := w.newLifecycle(s)
	l.faults = faults // before anybody else knows of the lifecycle
	l.prepare(t)
	m.manage(t, l)
	defer l.logIfFailed(t)
	hits = map[phase]int{}
	total := map[string]int{}
	for _, p := range phases {
		l.enterPhase(p)
		before := l.hitCount()
		l.perform(t, p)
		committed := l.committed()
		l.verify(t, p)
		for op, n := range committed {
			total[op] += n
		}
		if extra := beyond(committed, plain[p].committed); extra > allowance(faults[p]) {
			t.Errorf("%s: the cloud was changed by %v, and by %v without the fault", p, committed, plain[p].committed)
		}
		verifyActions(t, p, committed, plain[p].committed)
		if p != deletion {
			if diff := cmp.Diff(plain[p].status, l.summary(l.get(t))); diff != "" {
				t.Errorf("%s: status without the fault (-), and with it (+):\n%s", p, diff)
			}
		}
		if hits[p] = l.hitCount() - before; t.Failed() {
			t.Fatalf("in %s; the faults of the lifecycle are %v", p, faults)
		}
	}
	for _, op := range creates {
		most := 1
		if op == "instances.insert" && m.only == following || op == "RestoreDBInstanceToPointInTime" && m.only == revival { // the replica as well; and two restores, one after the other
			most = 2
		}
		if total[op] > most {
			t.Errorf("%s: %d times", op, total[op])
		}
	}
	return hits
}

// allowance is how many writes may be repeated: one, if nobody could know that the first was committed.
func allowance(f injectedFault) int {
	if f.kind == localcloud.ResponseLost || f.kind == killed {
		return 1
	}
	return 0
}

// beyond counts the writes that a phase made and that it makes not without a fault.
func beyond(have, plain map[string]int) int {
	extra := 0
	for _, op := range slices.Sorted(maps.Keys(have)) {
		if op == "instances.preCheckMajorVersionUpgrade" { // which changes nothing, and is made again if nobody knows what it found
			continue
		}
		extra += max(0, have[op]-plain[op])
	}
	return extra
}
