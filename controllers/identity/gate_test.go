package identity

import (
	"slices"
	"testing"
	"time"
)

// visitors come to a gate, and note the order in which they are called.
type visitors struct {
	t      *testing.T
	gates  *gates
	gate   *Entrance // where they come
	now    time.Time
	called []string
	leave  map[string]func(bool)
}

func newVisitors(t *testing.T, widest int) *visitors {
	v := &visitors{t: t, now: time.Unix(0, 0), leave: map[string]func(bool){}}
	v.gates = newGates(widest, func() time.Time { return v.now })
	v.gate = v.gates.entrance(Key{}, "aws", gateKey{})
	return v
}

func (v *visitors) enter(who string, rank Rank) bool {
	leave := v.gate.Enter(who, rank, func() { v.called = append(v.called, who) })
	v.leave[who] = leave
	return leave != nil
}

// enters and waits demand that somebody gets in, or does not.
func (v *visitors) enters(who string, rank Rank) {
	v.t.Helper()
	if !v.enter(who, rank) {
		v.t.Fatalf("%s finds no place", who)
	}
}

func (v *visitors) waits(who string, rank Rank) {
	v.t.Helper()
	if v.enter(who, rank) {
		v.t.Fatalf("%s gets in", who)
	}
}

// areCalled demands that just these were called since it was last asked.
func (v *visitors) areCalled(want ...string) {
	v.t.Helper()
	if !slices.Equal(v.called, want) {
		v.t.Fatalf("called are %v, want %v", v.called, want)
	}
	v.called = nil
}

func TestGateCallsInOrder(t *testing.T) {
	v := newVisitors(t, 1)
	v.enters("a", Routine)
	v.waits("b", Routine)
	v.waits("c", Routine)
	v.waits("edited", Wanted)
	v.waits("begun", UnderWay)
	v.areCalled()
	for _, next := range []string{"begun", "edited", "b", "c"} {
		v.leave["a"](true)
		v.areCalled(next)
		v.enters(next, Routine)
		v.leave["a"] = v.leave[next]
	}
}

func TestGateKeepsThePlaceOfWhoWasCalled(t *testing.T) {
	v := newVisitors(t, 1)
	v.enters("a", Routine)
	v.waits("b", Routine)
	v.leave["a"](true)
	v.areCalled("b")
	v.waits("c", Routine)
	v.waits("edited", Wanted)
	v.enters("b", Routine)
	v.leave["b"](true)
	v.areCalled("edited")
}

func TestGateGivesUpWhoDoesNotCome(t *testing.T) {
	v := newVisitors(t, 1)
	v.enters("a", Routine)
	v.waits("deleted", Routine)
	v.waits("b", Routine)
	v.leave["a"](true)
	v.areCalled("deleted")
	v.now = v.now.Add(patience)
	v.waits("c", Routine) // b is ahead, and is called now
	v.areCalled("b")
	v.enters("b", Routine)
}

func TestGateLinesUpEachOnce(t *testing.T) {
	v := newVisitors(t, 1)
	v.enters("a", Routine)
	v.waits("b", Routine)
	v.waits("c", Routine)
	v.waits("c", Wanted) // edited while it waited
	v.leave["a"](true)
	v.areCalled("c")
	v.enters("c", Wanted)
	v.leave["c"](true)
	v.areCalled("b")
	v.enters("b", Routine)
	v.leave["b"](true)
	v.areCalled()
}

func TestGateNarrowsWithoutAnswers(t *testing.T) {
	v := newVisitors(t, 4)
	for _, who := range []string{"a", "b", "c", "d"} {
		v.enters(who, Routine)
	}
	for _, who := range []string{"e", "f", "g", "h"} {
		v.waits(who, Routine)
	}
	v.leave["a"](false)
	v.leave["b"](false)
	v.leave["c"](false)
	v.areCalled()
	v.leave["d"](false)
	v.areCalled("e")
	v.enters("e", Routine)
	v.leave["e"](true)
	v.areCalled("f", "g")
	v.enters("f", Routine)
	v.enters("g", Routine)
	v.leave["f"](true)
	v.areCalled("h")
}

// How long somebody waited is told when they get in: from when they first came, however often they came since.
func TestGateTellsHowLongSomebodyWaited(t *testing.T) {
	v := newVisitors(t, 1)
	var told []time.Duration
	v.gates.waited = func(provider string, wait time.Duration) {
		if provider != "aws" {
			t.Errorf("it is told of %q", provider)
		}
		told = append(told, wait)
	}
	v.enters("a", Routine)
	v.waits("b", Routine)
	v.now = v.now.Add(10 * time.Second)
	v.waits("b", Routine) // by itself
	v.now = v.now.Add(10 * time.Second)
	v.leave["a"](true)
	v.areCalled("b")
	v.now = v.now.Add(time.Second / 2)
	v.enters("b", Routine)
	if want := []time.Duration{0, 20*time.Second + time.Second/2}; !slices.Equal(told, want) {
		t.Errorf("told are %v, want %v", told, want)
	}
}
