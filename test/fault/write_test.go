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
)

// A chapter is what a phase of a life without faults looks like.
type chapter struct {
	writes    []call         // to Kubernetes and to the cloud
	committed map[string]int // in the cloud
	status    string
}

// creates are the operations of which there must be exactly one in a life.
var creates = []string{"CreateBucket", "CreateDBInstance", "buckets.insert", "instances.insert"}

// A matrix is each write of each subject's life, by what becomes of it.
type matrix struct {
	kinds []localcloud.FaultKind
	// lives is how many are led at once.
	lives int
	// manage starts a manager for a life that needs one of its own.
	manage func(t *testing.T, l *life)
}

// TestWrites goes through a life's writes one by one: whatever becomes of one of them, the life goes on as if
// nothing had happened. aws/Bucket/create/patch buckets/status 1/response-lost is the name of one case.
func TestWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	w.through(t, matrix{
		kinds: []localcloud.FaultKind{localcloud.RequestLost, localcloud.ResponseLost, localcloud.Conflict},
		lives: 48, manage: func(*testing.T, *life) {},
	})
}

// TestKilled is TestWrites with the process killed in the moment in which the write is committed. Another one
// follows, which remembers nothing.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.through(t, matrix{
		kinds: []localcloud.FaultKind{killed},
		lives: 24, manage: func(t *testing.T, l *life) { l.kill = w.process(t, nil, l.name).kill },
	})
}

// A story is the part of a life that a trap is set in, with what comes before and after it.
type story struct {
	subject
	about phase
}

func (s story) String() string { return fmt.Sprintf("%s/%s", s.subject, s.about) }

func (s story) phases() []phase {
	if s.about == creation || s.about == deletion {
		return []phase{creation, deletion}
	}
	return []phase{creation, s.about, deletion}
}

func stories() (all []story) {
	for _, s := range subjects {
		for _, p := range s.phases() {
			all = append(all, story{s, p})
		}
	}
	return all
}

// byChance are the writes that not every life has, from the n-th of a phase on, and why. They are tested where they occur. A case
// of any other write that is not tested is an error.
var byChance = []struct {
	name string
	n    int
	why  string
}{
	{ofUsers, 1, "the config's controller comes to it late, and not at all if the user is gone by then; some life must have it"},
	{"patch databases/status", 3, "each state of the instance that is observed is recorded, and a busy machine observes fewer"},
	{"patch providerconfigs", 2, "the controllers of the object and of its config may both remove the config's finalizer"},
	{"delete secrets (copy of credentials)", 2, "the controllers of the object and of its config may both delete the copy"},
}

// excuse returns why a write may go untested, "" if it may not.
func excuse(c call) string {
	for _, e := range byChance {
		if c.name == e.name && c.n >= e.n {
			return e.why
		}
	}
	return ""
}

// through leads all the lives of a matrix.
func (w *world) through(t *testing.T, m matrix) {
	plain := make([]map[phase]chapter, len(stories()))
	var first sync.WaitGroup
	for i, s := range stories() {
		first.Go(func() {
			t.Run(s.String()+"/no fault", func(t *testing.T) {
				plain[i] = w.plain(t, m, s)
				c := plain[i][s.about]
				for _, again := range w.plain(t, m, s)[s.about].writes {
					if !slices.Contains(c.writes, again) {
						c.writes = append(c.writes, again)
					}
				}
				c.writes = slices.DeleteFunc(c.writes, func(c call) bool { return elsewhere(s, c) })
				plain[i][s.about] = c
				t.Logf("writes: %v", c.writes)
			})
		})
	}
	first.Wait()
	if t.Failed() {
		return
	}
	var cases, untested, rare, sprang atomic.Int32
	var all sync.WaitGroup
	places := make(chan struct{}, m.lives)
	for i, s := range stories() {
		for _, c := range plain[i][s.about].writes {
			for _, kind := range m.kinds {
				cases.Add(1)
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					t.Run(fmt.Sprintf("%s/%s/%s", s, c, kind), func(t *testing.T) {
						hit := w.until(t, m, s, trap{s.about, c, kind}, plain[i])
						if c.name == ofUsers && c.n == 1 {
							rare.Add(1)
						}
						if c.name == ofUsers && hit {
							sprang.Add(1)
						}
						if !hit {
							untested.Add(1)
							t.Skipf("%s did not occur: %s", c, excuse(c))
						}
					})
				})
			}
		}
	}
	all.Wait()
	t.Logf("%d of %d cases did not occur", untested.Load(), cases.Load())
	if rare.Load() > 0 && sprang.Load() == 0 {
		t.Errorf("no life had %q: that write was not tested at all", ofUsers)
	}
}

// elsewhere reports whether a write is left to other stories: those of a provider config are the same whatever kind of
// object uses it.
func elsewhere(s story, c call) bool {
	ofConfig := strings.Contains(c.name, "providerconfigs") || strings.Contains(c.name, "copy of credentials")
	return ofConfig && s.subject != subject{"aws", "Bucket"} && s.subject != subject{"gcp", "Database"}
}

// plain goes through a story in which nothing goes wrong, and writes down what happened.
func (w *world) plain(t *testing.T, m matrix, s story) map[phase]chapter {
	t.Helper()
	l := w.born(t, s.subject)
	m.manage(t, l)
	chapters := map[phase]chapter{}
	for _, p := range s.phases() {
		l.enter(p)
		l.do(t, p)
		c := chapter{committed: l.committed(), writes: l.written()}
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

// until leads lives until the trap was run into, five at most, and reports whether it was. A write without an excuse must occur.
func (w *world) until(t *testing.T, m matrix, s story, tr trap, plain map[phase]chapter) bool {
	for range 5 {
		if w.faulty(t, m, s, tr, plain) || t.Failed() {
			return true
		}
	}
	if excuse(tr.call) == "" {
		t.Error("the write did not occur again, so that nothing was tested; if chance decides about it, say why in byChance")
	}
	return false
}

// faulty goes through a story with a trap in it, and compares it with one that had none.
func (w *world) faulty(t *testing.T, m matrix, s story, tr trap, plain map[phase]chapter) (hit bool) {
	l := w.newLife(s.subject)
	l.trap = &tr // before anybody else knows of the life
	l.settle(t)
	m.manage(t, l)
	defer l.tellIfFailed(t)
	total := map[string]int{}
	for _, p := range s.phases() {
		l.enter(p)
		l.do(t, p)
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
func allowance(tr trap, p phase) int {
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
