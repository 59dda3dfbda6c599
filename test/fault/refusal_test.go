package fault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// refusedWrites are the ways in which a write can be refused, or not arrive. The first one meets the first write of its name, the others only
// what is sent again: so a creation is lost of which nothing is known yet.
var refusedWrites = []localcloud.FaultKind{localcloud.RequestLost, localcloud.Denied, localcloud.Throttled, localcloud.ServerError}

// TestRefusedWrites has each write of a lifecycle refused in each way, one after the other and each time that it is sent. What was refused is
// sent again until it is taken, nothing else is changed meanwhile, and in the end all is as if nothing had happened.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	var all sync.WaitGroup
	places := make(chan struct{}, 32)
	for _, s := range testCases() {
		plain := w.withoutFault(t, matrix{manage: func(*testing.T, *lifecycle) {}}, s)
		for _, c := range certainWrites(s, plain[s.phase].writes) {
			for _, ways := range waysToRefuse(s.phase, c) {
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					t.Run(fmt.Sprintf("%s/%s/%s", s, c, ways[0]), func(t *testing.T) { w.withRefusals(t, s, c, ways, plain) })
				})
			}
		}
	}
	all.Wait()
}

// waysToRefuse returns in which ways a write is refused in one lifecycle, for each lifecycle. A deletion does not wait for its status to be
// written, and may be over before that was refused a second time.
func waysToRefuse(p phase, c call) (lifecycles [][]localcloud.FaultKind) {
	if p == deletion && strings.HasSuffix(c.name, "/status") {
		for _, kind := range refusedWrites {
			lifecycles = append(lifecycles, []localcloud.FaultKind{kind})
		}
		return lifecycles
	}
	return [][]localcloud.FaultKind{refusedWrites}
}

// certainWrites returns the writes that each lifecycle has, each once, as one that stands for all of its name.
func certainWrites(s testCase, writes []call) (certain []call) {
	for _, c := range writes {
		every := call{c.side, c.name, 0}
		if excuse(s.phase, c) == nil && !leftToOthers(s, c) && !slices.Contains(certain, every) {
			certain = append(certain, every)
		}
	}
	return certain
}

// withRefusals leads a lifecycle in which a write is refused, and compares it with one that had no fault.
func (w *environment) withRefusals(t *testing.T, s testCase, c call, ways []localcloud.FaultKind, plain map[phase]outcome) {
	l := w.newLifecycle(s.target)
	l.injected = &injectedFault{s.phase, c, ways[0]} // before anybody else knows of the lifecycle
	l.prepare(t)
	defer l.logIfFailed(t)
	for _, p := range s.phases() {
		l.enterPhase(p)
		if p == s.phase {
			end := l.refuseInTurn(t, p, c, ways)
			l.perform(t, p)
			if tested := end(); tested < len(ways) {
				t.Errorf("%s was not refused in the ways %v, so nothing of them was tested", c, ways[tested:])
			}
		} else {
			l.perform(t, p)
		}
		if committed := l.committed(); beyond(committed, plain[p].committed) > 0 {
			t.Errorf("%s: the cloud was changed by %v, and by %v without the refusals", p, committed, plain[p].committed)
		}
		l.verify(t, p)
		if p == deletion {
			return
		}
		if diff := cmp.Diff(plain[p].status, l.summary(l.get(t))); diff != "" {
			t.Errorf("%s: status without the refusals (-), and with them (+):\n%s", p, diff)
		}
	}
}

// refuseInTurn refuses a write in one way after the other, each until the write was sent, and then no more. It returns what ends that, and
// returns in how many of them the write was refused.
func (l *lifecycle) refuseInTurn(t *testing.T, p phase, c call, ways []localcloud.FaultKind) (end func() (tested int)) {
	ctx, cancel := context.WithCancel(t.Context())
	tested := 0
	var turns sync.WaitGroup
	turns.Go(func() {
		defer l.inject(nil)
		for _, kind := range ways {
			l.inject(&injectedFault{p, c, kind})
			for l.hitCount() == 0 {
				select {
				case <-ctx.Done():
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
			tested++
		}
	})
	return func() int {
		cancel()
		turns.Wait()
		return tested
	}
}
