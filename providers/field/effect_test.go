package field_test

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/field"
	"github.com/mooring-dev/mooring/providers/field/fieldtest"
)

type example = fieldtest.Example[spec, thing]

// examples reach every effect of table.
func examples() []example {
	return []example{
		fieldtest.Of("place", spec{Place: new("b")}, thing{Place: new("a")}, field.Impossible),
		fieldtest.Of("size", spec{Size: new(2)}, thing{Size: new(1)}, field.Online),
		fieldtest.Of("class", spec{Class: new("b")}, thing{Class: new("a")}, field.Restarts),
		fieldtest.Of("access", spec{Access: new("open")}, thing{Access: new("closed")}, field.Online),
		fieldtest.Of("password", spec{Password: new("b")}, thing{Password: new("a")}, field.Online),
		fieldtest.Of("inner.days", spec{Inner: &inner{Days: new(3)}}, thing{Days: new(1)}, field.Online),
		fieldtest.Of("inner.days", spec{Inner: &inner{Days: new(1)}}, thing{Days: new(3)}, field.Irreversible),
		fieldtest.Of("tags", spec{Tags: map[string]string{"a": "1"}}, thing{}, field.Online),
	}
}

func TestListedEffects(t *testing.T) {
	fieldtest.Effects(t, table, examples())
}

// What fieldtest.Effects is for, it finds.
func TestEffectsAreHeldToTheirList(t *testing.T) {
	class := func() *field.Scalar[spec, thing, call, string] {
		return field.Of("class", func(s *spec) *string { return s.Class }, func(h *thing) *string { return h.Class }, func(*call, string) {})
	}
	risky := func(from *string, _ string, _ *thing) (field.Effect, string) {
		if from == nil {
			return field.Online, ""
		}
		return field.Restarts, ""
	}
	online, restarts := field.PossibleEffect{Effect: field.Online, When: "it is new"}, field.PossibleEffect{Effect: field.Restarts, When: "it is not"}
	first := fieldtest.Of("class", spec{Class: new("a")}, thing{}, field.Online)
	later := fieldtest.Of("class", spec{Class: new("b")}, thing{Class: new("a")}, field.Restarts)
	size := field.Of("size", func(s *spec) *int { return s.Size }, func(h *thing) *int { return h.Size }, func(*call, int) {})
	other := fieldtest.Of("size", spec{Size: new(2)}, thing{Size: new(1), Class: new("z")}, field.Online)
	for _, tt := range []struct {
		name     string
		row      *field.Scalar[spec, thing, call, string]
		examples []example
		finds    bool
	}{
		{"listed and reached", class().EffectOf(risky, online, restarts), []example{first, later}, false},
		{"a constant effect needs no example", class().Effect(field.Restarts), nil, false},
		{"one function of from and to needs one, whatever it lists", class().EffectOf(risky, online), nil, true},
		{"an effect that is not listed", class().EffectOf(risky, online), []example{first, later}, true},
		{"an effect that no example names", class().EffectOf(risky, online, restarts), []example{first}, true},
		{"one that is not listed, of a spec and an object of two examples", class().EffectOf(risky, online), []example{first}, true},
		{"an example with another effect", class().EffectOf(risky, online, restarts), []example{first, fieldtest.Of("class", later.Want, later.Have, field.Online), later}, true},
		{"an Impossible change without a way out", class().EffectOf(func(*string, string, *thing) (field.Effect, string) { return field.Impossible, "" },
			field.PossibleEffect{Effect: field.Impossible, Instead: "make another"}), []example{fieldtest.Of("class", spec{Class: new("a")}, thing{}, field.Impossible)}, true},
		{"an Impossible change with other advice than its row's", class().EffectOf(func(*string, string, *thing) (field.Effect, string) { return field.Impossible, "make a third" },
			field.PossibleEffect{Effect: field.Impossible, Instead: "make another"}), []example{fieldtest.Of("class", spec{Class: new("a")}, thing{}, field.Impossible)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{TB: t}
			fieldtest.Effects(r, field.Table[spec, thing, call]{tt.row, size}, append(tt.examples, other))
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
