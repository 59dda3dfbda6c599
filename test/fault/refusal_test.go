package fault

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
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
	for _, s := range system.Targets {
		plain := w.withoutFault(t, matrix{manage: func(*testing.T, *lifecycle) {}}, s, phasesOf(s))
		for n, refused := range refusedTogether(s, plain) {
			all.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				t.Run(fmt.Sprintf("%s/%d", s, n+1), func(t *testing.T) { w.withRefusals(t, s, refused, plain) })
			})
		}
	}
	all.Wait()
}

// A refusedWrite is a write that is refused in one way after the other.
type refusedWrite struct {
	call
	ways []localcloud.FaultKind
}

func (r refusedWrite) at() call { return r.call }

// refusedTogether returns what is refused in each lifecycle: a write in each phase.
func refusedTogether(s system.Target, plain map[phase]outcome) (all []map[phase]refusedWrite) {
	for _, p := range phasesOf(s) {
		n := 0
		for _, c := range certainWrites(s, p, plain[p].writes) {
			for _, ways := range waysToRefuse(p, c) {
				if n == len(all) {
					all = append(all, map[phase]refusedWrite{})
				}
				all[n][p] = refusedWrite{c, ways}
				n++
			}
		}
	}
	return all
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

// certainWrites returns the writes that each lifecycle has, each once, as one that stands for all of its name. An action of a person is none of them: it is not sent
// again where nobody knows whether it arrived. Those to Kubernetes are refused to one
// target of each kind: the cloud makes no difference to them.
func certainWrites(s system.Target, p phase, writes []call) (certain []call) {
	for _, c := range writes {
		every := call{c.side, c.name, 0}
		if once := p == act && slices.Contains(actionCalls, c.name); once {
			continue
		}
		if excuse(p, c) == nil && (c.side == cloud || standsForClouds(s)) && !slices.Contains(certain, every) {
			certain = append(certain, every)
		}
	}
	return certain
}

// withRefusals leads a lifecycle in which writes are refused, and compares it with one that had no fault.
func (w *environment) withRefusals(t *testing.T, s system.Target, refused map[phase]refusedWrite, plain map[phase]outcome) {
	l := w.newLifecycle(s)
	l.faults = injectedFaults{} // before anybody else knows of the lifecycle
	for p, r := range refused {
		l.faults[p] = injectedFault{phase: p, call: r.call, kind: r.ways[0]}
	}
	l.prepare(t)
	defer l.logIfFailed(t)
	for _, p := range needed(phasesOf(s), refused) {
		l.enterPhase(p)
		if r, is := refused[p]; is {
			end := l.refuseInTurn(t, p, r.call, r.ways)
			l.perform(t, p)
			if tested := end(); tested < len(r.ways) {
				t.Errorf("%s was not refused in the ways %v, so nothing of them was tested", r.call, r.ways[tested:])
			}
		} else {
			l.perform(t, p)
		}
		committed := l.committed()
		if refused[p].name == "ModifyDBInstance" { // each change is then tried alone, and the group that no server has yet is filled for that one
			maps.DeleteFunc(committed, func(op string, _ int) bool { return slices.Contains(fillsGroup, op) })
		}
		if beyond(committed, plain[p].committed) > 0 {
			t.Errorf("%s: the cloud was changed by %v, and by %v without the refusals", p, committed, plain[p].committed)
		}
		l.verify(t, p)
		if p != deletion {
			if diff := cmp.Diff(plain[p].status, l.summary(l.get(t))); diff != "" {
				t.Errorf("%s: status without the refusals (-), and with them (+):\n%s", p, diff)
			}
		}
		if t.Failed() {
			t.Fatalf("in %s; what is refused in the lifecycle is %v", p, refused)
		}
	}
}

// fillsGroup are the calls that fill a DB parameter group.
var fillsGroup = []string{"ModifyDBParameterGroup", "ResetDBParameterGroup"}

// refuseInTurn refuses a write in one way after the other, each until the write was sent, and then no more. It returns what ends that, and
// returns in how many of them the write was refused.
func (l *lifecycle) refuseInTurn(t *testing.T, p phase, c call, ways []localcloud.FaultKind) (end func() (tested int)) {
	ctx, cancel := context.WithCancel(t.Context())
	tested := 0
	var turns sync.WaitGroup
	turns.Go(func() {
		defer l.inject(nil)
		for _, kind := range ways {
			l.inject(&injectedFault{phase: p, call: c, kind: kind})
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
