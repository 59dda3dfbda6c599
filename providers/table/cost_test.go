package table_test

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A server is in one zone, or in two.
type server struct{ twoZones bool }

func (s *server) InTwoZones() bool { return s.twoZones }

// A change says what it brings about, and what that costs an object with a standby or without.
func TestCost(t *testing.T) {
	field := func() *table.Scalar[thingSpec, server, call, string] {
		return table.Field("class", func(s *thingSpec) *string { return s.Class }, func(*server) *string { return new("a") }, func(*call, string) {})
	}
	because := func(why string, e driver.Effect) *table.Scalar[thingSpec, server, call, string] {
		return field().EffectOf(func(*string, string, *server) (driver.Effect, string) { return e, why },
			driver.PossibleEffect{Effect: driver.Online, When: "it rains"}, driver.PossibleEffect{Effect: driver.Restarts, When: "it snows", Cost: away})
	}
	entries := table.Entries("class", func(s *thingSpec) map[string]string { return map[string]string{"class": *s.Class} },
		func(*server) map[string]string { return nil }, func(*call, table.Delta) {}).
		EffectOf(func(table.Delta, *server) (driver.Effect, string) { return driver.Restarts, "" }, table.AlwaysRestarts(away)...)
	for _, tt := range []struct {
		name     string
		row      table.Row[thingSpec, server, call]
		twoZones bool
		want     string
	}{
		{"always the same", field().Restarts(away), false, "it is away for a minute"},
		{"with a standby", field().Restarts(away), true, "it is away for a second"},
		{"with a standby that makes no difference", field().Restarts(driver.Cost{Text: "a minute"}), true, "a minute"},
		{"and why", because("it moves", driver.Restarts), false, "it moves; it is away for a minute"},
		{"another effect of the row", because("it moves", driver.Online), false, "it moves"},
		{"entries of a map", entries, true, "it is away for a second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, spec := table.Table[thingSpec, server, call]{tt.row}, thingSpec{Class: new("b")}
			have := &server{twoZones: tt.twoZones}
			for call, changes := range map[string][]driver.Change{
				"Diff": rows.Diff(&spec, have, nil, nil), "Preview": rows.Preview(&thingSpec{Class: new("a")}, &spec, nil, have),
			} {
				if len(changes) != 1 || changes[0].Why != tt.want {
					t.Errorf("%s: %+v, want why %q", call, changes, tt.want)
				}
			}
		})
	}
}
