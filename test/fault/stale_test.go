package fault

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// staleFor is how many observations in a row are stale after a write.
const staleFor = 2

// changed are the phases of a lifecycle whose password stays.
var changed = []phase{creation, edit, deletion}

// TestStaleReads has the cloud show, after each write and for some observations, what was there before it. By the controllers' clock that
// is shorter than Mooring takes for the longest; what it shows is no reason to write anything again, or to think that anything vanished.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	each(t, func(t *testing.T, _ int, s system.Target) {
		plain := w.withoutFault(t, matrix{manage: func(t *testing.T, l *lifecycle) { w.process(t, nil, l.name) }}, s, changed)
		w.withStaleReads(t, s, plain)
	})
}

// withStaleReads leads a lifecycle in which reads are stale after each write, and compares it with one that had none.
func (w *environment) withStaleReads(t *testing.T, s system.Target, plain map[phase]outcome) {
	t.Helper()
	l := w.prepared(t, s)
	defer l.logIfFailed(t)
	stalled := l.watchStalled(t)
	behind := l.staleAfterWrites()
	life := &system.KillSwitch{}
	m, err := w.launch(t.Context(), controllers.Options{Drivers: w.Drivers(life, timeout), Now: behind.now}, life, nil, l.name)
	l.must(t, err)
	t.Cleanup(m.Kill)
	for _, p := range changed {
		l.enterPhase(p)
		before := behind.observed()
		l.perform(t, p)
		if p != deletion { // what is observed in the end is fresh, and what was decided by stale reads was done
			await(t, l.name+": the cloud catches up", func() string {
				if beyond(l.committed(), plain[p].committed) > 0 {
					return "" // it may never: each write has it lag again
				}
				return behind.lags()
			})
			l.awaitReads(t, s.Observe, 2)
		} else {
			behind.end() // nobody observes any more, and what is left is counted
		}
		if n := behind.observed() - before; n < staleFor {
			t.Errorf("%s: %d observations were stale, so nothing was tested", p, n)
		}
		if got, want := l.committed(), plain[p].committed; !maps.Equal(got, want) {
			t.Errorf("%s: the cloud was changed by %v, and by %v without stale reads", p, got, want)
		}
		l.verify(t, p)
	}
	if said := stalled(); len(said) > 0 {
		t.Errorf("a person was asked for, because of what was stale: %s", said)
	}
}

// A delay has a lifecycle's cloud lag behind its writes. It lasts for a number of observations and not for a time, so that it is the same
// on every machine.
type delay struct {
	l     *lifecycle
	began time.Time

	mu    sync.Mutex
	left  int    // how many observations are still stale
	lift  func() // ends what is in force, nil if nothing is
	stale int    // how many observations were stale
}

// staleAfterWrites has all reads of the lifecycle's account be stale after each write, until it was observed as often as staleFor says.
func (l *lifecycle) staleAfterWrites() *delay {
	d := &delay{l: l, began: time.Now()}
	l.Cloud.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Account: l.account, Write: localcloud.Writes}, Kind: localcloud.Latency, // of nothing: what counts is the moment
		Hook: func(localcloud.Call) { d.begin() },
	})
	return d
}

func (d *delay) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.observations()
	if len(seen) > 0 && seen[len(seen)-1].Fault == localcloud.Stale {
		return // what was decided by a stale read may be refused, as by the generation of a bucket, and must not have the cloud lag for good
	}
	if d.left = staleFor; d.lift == nil {
		d.lift = d.l.Cloud.Faults.Add(localcloud.Fault{
			Filter: localcloud.Filter{Account: d.l.account, Write: localcloud.Reads}, Kind: localcloud.Stale, Hook: d.count,
		})
	}
}

// end ends what is in force.
func (d *delay) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lift != nil {
		d.lift()
		d.lift = nil
	}
}

// count counts the observations among the reads that were stale, and ends the delay with the last one.
func (d *delay) count(c localcloud.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.observes(c) {
		return
	}
	d.stale++
	if d.left--; d.left == 0 {
		d.lift()
		d.lift = nil
	}
}

// ofSnapshots are the reads by which the object is observed that a deleted database leaves.
var ofSnapshots = []string{"DescribeDBSnapshots", "Backups.ListBackups", "Backups.GetBackup"}

// observes reports whether a call is an observation: of the object, and once that is gone of the snapshot that it left.
func (d *delay) observes(c localcloud.Call) bool {
	return c.Operation == d.l.target.Observe || d.l.removed.Load() && slices.Contains(ofSnapshots, c.Operation)
}

// observations returns those of the lifecycle's account.
func (d *delay) observations() []localcloud.Call {
	return slices.DeleteFunc(d.l.Cloud.Ledger.Calls(localcloud.Filter{Account: d.l.account}), func(c localcloud.Call) bool { return !d.observes(c) })
}

// observed returns how many observations were stale.
func (d *delay) observed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stale
}

// lags says that the cloud still shows what is stale, "" if it does not.
func (d *delay) lags() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lift == nil {
		return ""
	}
	return fmt.Sprintf("%d observations are to be stale", d.left)
}

// now is the controllers' clock: each observation that is fresh takes a quarter of the time for which they expect the cloud to lag, and those
// that are stale take none. A write is made after one observation, so that what is stale is never older than that.
func (d *delay) now() time.Time {
	fresh := 0
	for _, c := range d.observations() {
		if c.Fault != localcloud.Stale {
			fresh++
		}
	}
	return d.began.Add(time.Duration(fresh) * settle / 4)
}

// watchStalled returns what says how the lifecycle's object was stalled at any time from now on: the messages, by reason.
func (l *lifecycle) watchStalled(t *testing.T) func() map[string]string {
	t.Helper()
	informer, err := l.cache.GetInformer(t.Context(), l.target.New())
	l.must(t, err)
	var mu sync.Mutex
	said := map[string]string{}
	look := func(o any) {
		object, ok := o.(client.Object)
		if !ok || object.GetName() != l.name {
			return
		}
		if c := meta.FindStatusCondition(system.StatusOf(object).Conditions, v1alpha1.ConditionStalled); c != nil {
			mu.Lock()
			defer mu.Unlock()
			said[c.Reason] = c.Message
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, o any) { look(o) }})
	l.must(t, err)
	return func() map[string]string {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(said)
	}
}
