// Package tabletest holds what every field table must keep, for the tests of those who have one.
package tabletest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// An Example is a spec and a cloud object that differ in Field, and what making the object as the spec says does.
type Example[S, H any] struct {
	Field  string
	Want   S
	Have   H
	Effect driver.Effect
}

// Of returns an example.
func Of[S, H any](name string, want S, have H, effect driver.Effect) Example[S, H] {
	return Example[S, H]{Field: name, Want: want, Have: have, Effect: effect}
}

// Effects checks that the effects that a table's rows list are those that its changes have: every example has its effect,
// every effect that depends on what is changed to what has an example, and no spec of the examples on any of their objects leads to an effect that is not listed.
func Effects[S, H, P any](t testing.TB, table table.Table[S, H, P], examples []Example[S, H]) {
	t.Helper()
	listed, instead := map[string][]driver.Effect{}, map[string]string{}
	for _, d := range table.Docs() {
		for _, e := range d.Effects {
			listed[d.Field] = append(listed[d.Field], e.Effect)
			instead[key(d.Field, e.Effect)] = e.Instead
		}
	}
	reached := map[string]bool{}
	for i, e := range examples {
		others := func(name string) bool { return name != e.Field }
		changes := table.Diff(&e.Want, &e.Have, nil, others)
		if len(changes) == 1 && len(changes[0].Foreign) > 0 { // what the object of an example has the spec of before had set
			changes = table.Diff(&e.Want, &e.Have, driver.Applied{e.Field: changes[0].Foreign}, others)
		}
		if len(changes) != 1 || changes[0].Effect != e.Effect {
			t.Errorf("example %d, of %s: got %+v, want one change that is %s", i, e.Field, changes, e.Effect)
		}
		reached[key(e.Field, e.Effect)] = true
	}
	unreached(t, table, listed, reached)
	crossed(t, table, examples, func(c driver.Change) {
		if !slices.Contains(listed[c.Field], c.Effect) {
			t.Errorf("%s from %q to %q is %s, which its row does not list", c.Field, c.From, c.To, c.Effect)
		}
		if c.Effect == driver.Impossible && c.Why == "" {
			t.Errorf("%s from %q to %q is Impossible, and nothing says why and what to do instead", c.Field, c.From, c.To)
		}
		if advice := instead[key(c.Field, c.Effect)]; !strings.Contains(c.Why, advice) {
			t.Errorf("%s from %q to %q is %s because %q, and its row advises %q: say the same", c.Field, c.From, c.To, c.Effect, c.Why, advice)
		}
	})
}

// unreached reports the effects that depend on what is changed to what, and that no example has.
func unreached[S, H, P any](t testing.TB, table table.Table[S, H, P], listed map[string][]driver.Effect, reached map[string]bool) {
	t.Helper()
	for name, effects := range listed {
		if table.Constant(name) {
			continue
		}
		for _, effect := range effects {
			if !reached[key(name, effect)] {
				t.Errorf("%s lists %s, and no example has that effect: take it out, or add an example", name, effect)
			}
		}
	}
}

func key(name string, effect driver.Effect) string { return fmt.Sprintf("%s %s", name, effect) }

// crossed calls f for each change that any spec of the examples makes on any of their objects, whatever was applied before.
func crossed[S, H, P any](t testing.TB, table table.Table[S, H, P], examples []Example[S, H], f func(driver.Change)) {
	t.Helper()
	applied := driver.Applied{}
	for _, row := range table {
		applied[row.Name()] = []string{}
	}
	n := 0
	for _, spec := range examples {
		for _, object := range examples {
			for _, c := range table.Diff(&spec.Want, &object.Have, applied, nil) {
				f(c)
				n++
			}
		}
	}
	if n == 0 {
		t.Error("no example changes anything")
	}
}
