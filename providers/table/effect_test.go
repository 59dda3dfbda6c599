package table_test

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

type example = tabletest.Example[thingSpec, thing]

// examples reach every effect of table.
func examples() []example {
	return []example{
		tabletest.Of("place", thingSpec{Place: new("b")}, thing{Place: new("a")}, driver.Impossible),
		tabletest.Of("size", thingSpec{Size: new(2)}, thing{Size: new(1)}, driver.Online),
		tabletest.Of("class", thingSpec{Class: new("b")}, thing{Class: new("a")}, driver.Restarts),
		tabletest.Of("access", thingSpec{Access: new("open")}, thing{Access: new("closed")}, driver.Online),
		tabletest.Of("password", thingSpec{Password: new("b")}, thing{Password: new("a")}, driver.Online),
		tabletest.Of("inner.days", thingSpec{Inner: &inner{Days: new(3)}}, thing{Days: new(1)}, driver.Online),
		tabletest.Of("inner.days", thingSpec{Inner: &inner{Days: new(1)}}, thing{Days: new(3)}, driver.Irreversible),
		tabletest.Of("tags", thingSpec{Tags: map[string]string{"a": "1"}}, thing{}, driver.Online),
	}
}

func TestListedEffects(t *testing.T) {
	tabletest.Effects(t, things, examples())
}

// What tabletest.Effects is for, it finds.
func TestEffectsAreHeldToTheirList(t *testing.T) {
	class := func() *table.Scalar[thingSpec, thing, call, string] {
		return table.Field("class", func(s *thingSpec) *string { return s.Class }, func(h *thing) *string { return h.Class }, func(*call, string) {})
	}
	risky := func(from *string, _ string, _ *thing) (driver.Effect, string) {
		if from == nil {
			return driver.Online, ""
		}
		return driver.Restarts, ""
	}
	online, restarts := driver.PossibleEffect{Effect: driver.Online, When: "it is new"}, driver.PossibleEffect{Effect: driver.Restarts, When: "it is not"}
	first := tabletest.Of("class", thingSpec{Class: new("a")}, thing{}, driver.Online)
	later := tabletest.Of("class", thingSpec{Class: new("b")}, thing{Class: new("a")}, driver.Restarts)
	size := table.Field("size", func(s *thingSpec) *int { return s.Size }, func(h *thing) *int { return h.Size }, func(*call, int) {})
	other := tabletest.Of("size", thingSpec{Size: new(2)}, thing{Size: new(1), Class: new("z")}, driver.Online)
	for _, tt := range []struct {
		name     string
		row      *table.Scalar[thingSpec, thing, call, string]
		examples []example
		finds    bool
	}{
		{"listed and reached", class().EffectOf(risky, online, restarts), []example{first, later}, false},
		{"a constant effect needs no example", class().Restarts(driver.Cost{}), nil, false},
		{"one function of from and to needs one, whatever it lists", class().EffectOf(risky, online), nil, true},
		{"an effect that is not listed", class().EffectOf(risky, online), []example{first, later}, true},
		{"an effect that no example names", class().EffectOf(risky, online, restarts), []example{first}, true},
		{"one that is not listed, of a spec and an object of two examples", class().EffectOf(risky, online), []example{first}, true},
		{"an example with another effect", class().EffectOf(risky, online, restarts), []example{first, tabletest.Of("class", later.Want, later.Have, driver.Online), later}, true},
		{"an Impossible change without a way out", class().EffectOf(func(*string, string, *thing) (driver.Effect, string) { return driver.Impossible, "" },
			driver.PossibleEffect{Effect: driver.Impossible, Instead: "make another"}), []example{tabletest.Of("class", thingSpec{Class: new("a")}, thing{}, driver.Impossible)}, true},
		{"an Impossible change with other advice than its row's", class().EffectOf(func(*string, string, *thing) (driver.Effect, string) { return driver.Impossible, "make a third" },
			driver.PossibleEffect{Effect: driver.Impossible, Instead: "make another"}), []example{tabletest.Of("class", thingSpec{Class: new("a")}, thing{}, driver.Impossible)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{TB: t}
			tabletest.Effects(r, table.Table[thingSpec, thing, call]{tt.row, size}, append(tt.examples, other))
			if r.failed != tt.finds {
				t.Errorf("failed %t, want %t", r.failed, tt.finds)
			}
		})
	}
}

// recorder takes the place of a test that may fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Error(...any)          { r.Errorf("") }
