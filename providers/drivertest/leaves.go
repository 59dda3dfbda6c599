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
		effects(t, d)
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

// effects checks that a row says what changing its field does, and when it does that.
func effects(t testing.TB, d field.Doc) {
	t.Helper()
	if len(d.Effects) == 0 {
		t.Errorf("the row for %q does not say what changing it does", d.Field)
	}
	for i, e := range d.Effects {
		switch {
		case !slices.Contains(field.Effects, e.Effect):
			t.Errorf("the row for %q lists %q, which is no effect", d.Field, e.Effect)
		case (e.When == "") != (len(d.Effects) == 1):
			t.Errorf("the row for %q lists %d effects, and says of %s that it happens when %q: one of several needs a condition, a single one has none", d.Field, len(d.Effects), e.Effect, e.When)
		case (e.Instead != "") != (e.Effect == field.Impossible):
			t.Errorf("the row for %q says of %s what to do instead: %q; that is for Impossible, and needed there", d.Field, e.Effect, e.Instead)
		case i > 0 && d.Effects[i-1].Effect.Compare(e.Effect) >= 0:
			t.Errorf("the row for %q lists %s after %s: the harmless come first, and none twice", d.Field, e.Effect, d.Effects[i-1].Effect)
		}
	}
}
