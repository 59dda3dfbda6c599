package drivertest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// Leaves checks that a field table has a row, or a named exemption with its reason, for every leaf of S, and
// that rows and exemptions name leaves.
func Leaves[S any](t testing.TB, docs []field.Doc, exempt map[string]string) {
	t.Helper()
	leaves := field.Leaves(reflect.TypeFor[S]())
	var rows []string
	for _, d := range docs {
		if slices.Contains(rows, d.Field) {
			t.Errorf("two rows for %q: only one can decide", d.Field)
		}
		rows = append(rows, d.Field)
		if !slices.Contains(leaves, d.Field) && d.Field != driver.FieldUsername {
			t.Errorf("a row for %q, which is no leaf of %T", d.Field, *new(S))
		}
		if d.Effect == "" {
			t.Errorf("the row for %q does not say what changing it does", d.Field)
		}
	}
	for _, leaf := range leaves {
		reason, exempted := exempt[leaf]
		switch {
		case !exempted && !slices.Contains(rows, leaf):
			t.Errorf("no row for %q: it would be accepted and never applied. Add a row, or an exemption that says why not", leaf)
		case exempted && slices.Contains(rows, leaf):
			t.Errorf("%q has a row and an exemption", leaf)
		case exempted && reason == "":
			t.Errorf("the exemption of %q gives no reason", leaf)
		}
	}
	for leaf := range exempt {
		if !slices.Contains(leaves, leaf) {
			t.Errorf("an exemption for %q, which is no leaf of %T", leaf, *new(S))
		}
	}
}
