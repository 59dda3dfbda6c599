package fault

import (
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestStaleReads has the cloud show, after each write and for a moment, what was there before it. The moment is shorter
// than Mooring takes for the longest; what it shows is no reason to write anything again, or to think that anything
// vanished.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	const moment = 400 * time.Millisecond
	w.settle = 3 * moment // a busy machine may take long to see that the moment is over
	w.run(t, timeout)
	each(t, func(t *testing.T, _ int, s system.Target) {
		plain := w.withoutFault(t, matrix{manage: func(*testing.T, *lifecycle) {}}, testCase{s, edit})
		untested := map[phase]bool{creation: true, edit: true, deletion: true}
		for range 4 { // on a busy machine a moment may pass before anything is read
			if len(untested) == 0 || t.Failed() {
				break
			}
			for _, p := range w.withStaleReads(t, s, moment, plain) {
				delete(untested, p)
			}
		}
		if len(untested) > 0 {
			t.Errorf("nothing stale was read, so nothing was tested: %v", untested)
		}
	})
}

// withStaleReads leads a lifecycle in which reads are stale after each write, and returns the phases in which some were.
func (w *environment) withStaleReads(t *testing.T, s system.Target, moment time.Duration, plain map[phase]outcome) (tested []phase) {
	t.Helper()
	l := w.prepared(t, s)
	defer l.logIfFailed(t)
	stalled := l.watchStalled(t)
	hits := l.staleAfterWrites(moment)
	for _, p := range (testCase{s, edit}).phases() {
		l.enterPhase(p)
		before := hits.Load()
		l.perform(t, p)
		if hits.Load() > before {
			tested = append(tested, p)
		}
		time.Sleep(moment) // the test itself is to see how things are
		if got, want := l.committed(), plain[p].committed; !maps.Equal(got, want) {
			t.Errorf("%s: the cloud was changed by %v, and by %v without stale reads", p, got, want)
		}
		l.verify(t, p)
	}
	if said := stalled(); said != "" {
		t.Errorf("a person was asked for, because of what was stale: %s", said)
	}
	return tested
}

// staleAfterWrites has reads of the lifecycle's account be stale for a moment after each write, and counts those.
func (l *lifecycle) staleAfterWrites(moment time.Duration) (hits *atomic.Int32) {
	hits = &atomic.Int32{}
	l.Cloud.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Account: l.account, Write: localcloud.Writes}, Kind: localcloud.Latency, // of nothing: what counts is the moment
		Hook: func(localcloud.Call) {
			lift := l.Cloud.Faults.Add(localcloud.Fault{
				Filter: localcloud.Filter{Account: l.account, Write: localcloud.Reads}, Kind: localcloud.Stale,
				Hook: func(localcloud.Call) { hits.Add(1) },
			})
			time.AfterFunc(moment, lift)
		},
	})
	return hits
}

// watchStalled returns what says how the lifecycle's object was stalled at any time from now on, "" if it was not.
func (l *lifecycle) watchStalled(t *testing.T) func() string {
	t.Helper()
	informer, err := l.cache.GetInformer(t.Context(), l.target.New())
	l.must(t, err)
	var mu sync.Mutex
	said := ""
	look := func(o any) {
		object, ok := o.(client.Object)
		if !ok || object.GetName() != l.name {
			return
		}
		if c := meta.FindStatusCondition(system.StatusOf(object).Conditions, v1alpha1.ConditionStalled); c != nil {
			mu.Lock()
			defer mu.Unlock()
			said = c.Reason + ": " + c.Message
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, o any) { look(o) }})
	l.must(t, err)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}
}
