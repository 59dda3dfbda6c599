package class

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

func TestWidth(t *testing.T) {
	for users, want := range map[int]int{0: 5, 1: 5, 50: 5, 51: 6, 200: 20, 1000: 100} {
		if got := RolloutWidth(users); got != want {
			t.Errorf("of %d users %d change at once, want %d", users, got, want)
		}
	}
}

func TestRollouts(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &Rollouts{Idle: time.Hour, Now: func() time.Time { return now }}
	var called []string
	enter := func(generation int64, name string) bool {
		return r.Enter("standard", generation, 2, types.UID(name), func() { called = append(called, name) })
	}
	expect := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	expect("two enter", []bool{enter(1, "a"), enter(1, "b")}, []bool{true, true})
	expect("who is inside enters again", enter(1, "a"), true)
	expect("two wait", []bool{enter(1, "c"), enter(1, "d"), enter(1, "c")}, []bool{false, false, false})
	expect("that is told", r.Progress(), []telemetry.Rollout{{Class: "standard", Changing: 2, Waiting: 2}})
	r.Leave("x-of-no-class")
	expect("who is not inside frees no place", called, []string(nil))
	r.Leave("a")
	expect("the first is called", called, []string{"c"})
	expect("and enters", []bool{enter(1, "c"), enter(1, "d")}, []bool{true, false})
	expect("another class is apart", r.Enter("premium", 1, 2, "x", nil), true)

	expect("a new generation begins anew", []bool{enter(2, "d"), enter(2, "e"), enter(2, "f")}, []bool{true, true, false})
	now = now.Add(50 * time.Minute)
	expect("heard of again", enter(2, "d"), true)
	now = now.Add(20 * time.Minute)
	expect("who was not heard of loses its place", []bool{enter(2, "f"), len(r.all["standard"].inside) == 2}, []bool{true, true})
	for _, uid := range []types.UID{"d", "f", "e"} {
		r.Leave(uid)
	}
	expect("nobody is left", len(r.all), 1)

	expect("two more, and one waits", []bool{enter(3, "a"), enter(3, "b"), enter(3, "gone"), enter(3, "c")}, []bool{true, true, false, false})
	called = nil
	r.Leave("gone") // it was deleted, and waits no longer
	r.Leave("a")
	expect("who waits still is called", called, []string{"c"})
}
