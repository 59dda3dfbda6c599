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
var creates = system.Calls(func(o system.Operations) string { return o.Create })

// A matrix is each write of each target's lifecycle, by what becomes of it.
type matrix struct {
	kinds []localcloud.FaultKind
	// parallel is how many lifecycles are led at once.
	parallel int
	// manage starts a manager for a lifecycle that needs one of its own.
	manage func(t *testing.T, l *lifecycle)
}

// TestWrites goes through a lifecycle's writes one by one: whatever becomes of one of them, the lifecycle goes on as if
// nothing had happened. aws/Bucket/create/patch buckets/status 1/response-lost is the name of one case. TestRefusedWrites loses the
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

// A testCase is the part of a lifecycle that a fault is set in, with what comes before and after it.
type testCase struct {
	target system.Target
	phase  phase
}

func (s testCase) String() string { return fmt.Sprintf("%s/%s", s.target, s.phase) }

func (s testCase) phases() []phase {
	if s.phase == creation || s.phase == deletion {
		return []phase{creation, deletion}
	}
	return []phase{creation, s.phase, deletion}
}

func testCases() (all []testCase) {
	for _, s := range system.Targets {
		for _, p := range phasesOf(s) {
			all = append(all, testCase{s, p})
		}
	}
	return all
}

// sweep leads all the lifecycles of a matrix.
func (w *environment) sweep(t *testing.T, m matrix) {
	plain := make([]map[phase]outcome, len(testCases()))
	var first sync.WaitGroup
	for i, s := range testCases() {
		first.Go(func() {
			t.Run(s.String()+"/no fault", func(t *testing.T) {
				plain[i] = w.withoutFault(t, m, s)
				c := plain[i][s.phase]
				for _, again := range w.withoutFault(t, m, s)[s.phase].writes {
					if !slices.Contains(c.writes, again) {
						c.writes = append(c.writes, again)
					}
				}
				c.writes = slices.DeleteFunc(c.writes, func(c call) bool { return leftToOthers(s, c) })
				plain[i][s.phase] = c
				t.Logf("writes: %v", c.writes)
			})
		})
	}
	first.Wait()
	if t.Failed() {
		return
	}
	var cases, untested atomic.Int32
	rare := rareWrites{all: map[*chance]*rareWrite{}}
	var all sync.WaitGroup
	places := make(chan struct{}, m.parallel)
	for i, s := range testCases() {
		for _, c := range plain[i][s.phase].writes {
			for _, kind := range m.kinds {
				if kind == localcloud.RequestLost && c.n == 1 && excuse(s.phase, c) == nil {
					continue
				}
				cases.Add(1)
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					t.Run(fmt.Sprintf("%s/%s/%s", s, c, kind), func(t *testing.T) {
						lead := func(t *testing.T) bool { return w.untilHit(t, m, s, injectedFault{s.phase, c, kind}, plain[i]) }
						hit, excused := lead(t), excuse(s.phase, c)
						rare.note(excused, hit, lead)
						if !hit && excused != nil {
							untested.Add(1)
							t.Skipf("%s did not occur: %s", c, excused.why)
						}
					})
				})
			}
		}
	}
	all.Wait()
	t.Logf("%d of %d cases did not occur", untested.Load(), cases.Load())
	rare.verify(t)
}

// leftToOthers reports whether a write is left to other test cases: those of a provider config are the same whatever kind of
// object uses it.
func leftToOthers(s testCase, c call) bool {
	ofConfig := strings.Contains(c.name, "providerconfigs") || strings.Contains(c.name, "copy of credentials")
	return ofConfig && s.target.String() != "aws/Bucket" && s.target.String() != "gcp/Database"
}

// withoutFault goes through a test case in which nothing goes wrong, and writes down what happened.
func (w *environment) withoutFault(t *testing.T, m matrix, s testCase) map[phase]outcome {
	t.Helper()
	l := w.prepared(t, s.target)
	m.manage(t, l)
	chapters := map[phase]outcome{}
	for _, p := range s.phases() {
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
		chapters[p] = c
	}
	return chapters
}

// ofUsers is the write of who uses a provider config.
const ofUsers = "patch providerconfigs/status"

// untilHit leads lifecycles until the fault was run into, five at most, and reports whether it was. A write without an excuse must occur.
func (w *environment) untilHit(t *testing.T, m matrix, s testCase, tr injectedFault, plain map[phase]outcome) bool {
	for range 5 {
		if w.withFault(t, m, s, tr, plain) || t.Failed() {
			return true
		}
	}
	if excuse(tr.phase, tr.call) == nil {
		t.Error("the write did not occur again, so that nothing was tested; if chance decides about it, say why in byChance")
	}
	return false
}

// withFault goes through a test case with a fault in it, and compares it with one that had none.
func (w *environment) withFault(t *testing.T, m matrix, s testCase, tr injectedFault, plain map[phase]outcome) (hit bool) {
	l := w.newLifecycle(s.target)
	l.injected = &tr // before anybody else knows of the lifecycle
	l.prepare(t)
	m.manage(t, l)
	defer l.logIfFailed(t)
	total := map[string]int{}
	for _, p := range s.phases() {
		l.enterPhase(p)
		l.perform(t, p)
		committed := l.committed()
		l.verify(t, p)
		for op, n := range committed {
			total[op] += n
		}
		if extra := beyond(committed, plain[p].committed); extra > allowance(tr, p) {
			t.Errorf("%s: the cloud was changed by %v, and by %v without the fault", p, committed, plain[p].committed)
		}
		if p == deletion {
			break
		}
		if diff := cmp.Diff(plain[p].status, l.summary(l.get(t))); diff != "" {
			t.Errorf("%s: status without the fault (-), and with it (+):\n%s", p, diff)
		}
	}
	for _, op := range creates {
		if total[op] > 1 {
			t.Errorf("%s: %d times", op, total[op])
		}
	}
	return l.hitCount() > 0
}

// allowance is how many writes may be repeated: one, if nobody could know that the first was committed.
func allowance(tr injectedFault, p phase) int {
	if tr.phase == p && (tr.kind == localcloud.ResponseLost || tr.kind == killed) {
		return 1
	}
	return 0
}

// beyond counts the writes that a phase made and that it makes not without a fault.
func beyond(have, plain map[string]int) int {
	extra := 0
	for _, op := range slices.Sorted(maps.Keys(have)) {
		extra += max(0, have[op]-plain[op])
	}
	return extra
}
