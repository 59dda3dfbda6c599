package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Problems returns mistakes in the adapter's configuration. It finds rows that fill no parameter, and parameters that
// no call takes or that no row fills. It finds fields that can change but are in no part's call. The drivers' tests
// require that there are no problems, so that no change is dropped silently.
func (a *Adapter[S, H, P]) Problems() []string {
	var all []string
	filled := map[string]bool{}
	for _, row := range a.Table {
		names := a.fills(row.Name())
		for _, name := range names {
			filled[name] = true
		}
		all = append(all, a.rowProblems(row, names)...)
	}
	all = append(all, a.unfilled(filled)...)
	takers := []Taker{a.Taken}
	for _, part := range a.Parts {
		takers = append(takers, part.Taken)
	}
	for _, taker := range takers {
		all = append(all, taker.Problems()...)
	}
	for name := range a.Unsent {
		if !slices.ContainsFunc(a.Table, func(row Row[S, H, P]) bool { return row.Name() == name }) {
			all = append(all, fmt.Sprintf("Unsent names %s, which has no row", name))
		}
	}
	for _, w := range a.Refusals.Words {
		if !slices.ContainsFunc(a.Table, func(row Row[S, H, P]) bool { return of(w.Field, row.Name()) }) {
			all = append(all, fmt.Sprintf("Refusals name %s, which has no row", w.Field))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// rowProblems says which parameters of a row do not reach the calls that they have to reach.
func (a *Adapter[S, H, P]) rowProblems(row Row[S, H, P], names []string) (all []string) {
	why, unsent := a.Unsent[row.Name()]
	switch {
	case unsent && (len(names) > 0 || why == ""):
		return []string{fmt.Sprintf("%s: Unsent names it, but the row fills %v or there is no reason", row.Name(), names)}
	case unsent:
		return nil
	case len(names) == 0:
		return []string{fmt.Sprintf("%s: the row fills no parameter: have it fill one, or say in Unsent why it needs none", row.Name())}
	}
	part := a.partOf(row.Name())
	changes := slices.ContainsFunc(row.Doc().Effects, func(e driver.PossibleEffect) bool { return e.Effect != driver.Impossible })
	for _, name := range names {
		changed := part != nil && part.Taken.Takes(name)
		if changes && !changed {
			all = append(all, fmt.Sprintf("%s: the row fills %s, and the call that changes the field does not take it", row.Name(), name))
		}
		follows := changed && (part.Later || a.New != nil && part.afterwards())
		if !a.Taken.Takes(name) && !follows {
			all = append(all, fmt.Sprintf("%s: the row fills %s, and the creation does not take it", row.Name(), name))
		}
	}
	return all
}

// unfilled says which parameters nothing fills.
func (a *Adapter[S, H, P]) unfilled(filled map[string]bool) (all []string) {
	var params P
	a.addMark(&params, driver.Mark{})
	if a.Password != nil {
		a.Password(&params, "x")
	}
	if a.Manage != nil {
		a.Manage(&params, true)
	}
	for name := range set(&params) {
		filled[name] = true
	}
	for f := range reflect.TypeFor[P]().Fields() {
		if !filled[f.Name] {
			all = append(all, fmt.Sprintf("no row fills the parameter %s", f.Name))
		}
	}
	return all
}

// fills returns the parameters that a row fills, for a spec that declares its field and nothing else.
func (a *Adapter[S, H, P]) fills(name string) []string {
	for _, value := range []any{"x", 1, true, map[string]string{"x": "x"}, []string{"x"}, []any{map[string]any{}}} {
		var tree = value
		for _, step := range slices.Backward(strings.Split(name, ".")) {
			tree = map[string]any{step: tree}
		}
		raw, err := json.Marshal(tree)
		if err != nil {
			continue
		}
		var spec S
		var params P
		if json.Unmarshal(raw, &spec) == nil && a.Table.Fill(&spec, &params) == nil {
			return slices.Sorted(maps.Keys(set(&params)))
		}
	}
	return nil
}

// set returns the names of the parameters that are set.
func set[P any](params *P) map[string]bool {
	names := map[string]bool{}
	v := reflect.ValueOf(params).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names[v.Type().Field(i).Name] = true
		}
	}
	return names
}
