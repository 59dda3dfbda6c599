package debt_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/debt"
)

// Figures fall and never rise, and what the rule allows is no debt.
func TestDebtsOnlyFall(t *testing.T) {
	d := debt.Debts{"fell": {60, "a"}, "rose": {50, "b"}, "paid": {50, "c"}, "gone": {70, "d"}, "same": {55, "e"}}
	figures := map[string]int{"fell": 45, "rose": 51, "paid": 40, "same": 55, "new": 90}
	allowed := func(string) int { return 40 }
	if got := d.Fallen(figures, allowed); len(got) != 3 {
		t.Errorf("got complaints %q, want one of fell, paid and gone each", got)
	}
	for name, want := range map[string]int{"rose": 50, "new": 40, "fell": 60} {
		if got := d.Most(name, 40); got != want {
			t.Errorf("%s may have %d, want %d", name, got, want)
		}
	}
	d.Lower(figures, allowed)
	want := debt.Debts{"fell": {45, "a"}, "rose": {50, "b"}, "same": {55, "e"}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("debts (-want +got):\n%s", diff)
	}
}

// What is written is read again, with a reason of several words and without one.
func TestDebtsAreStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "debts.txt")
	want := debt.Debts{"a/b.C": {45, "for a reason"}, "a/b.d()": {61, ""}}
	want.Write(t, path)
	if diff := cmp.Diff(want, debt.Read(t, path)); diff != "" {
		t.Errorf("debts (-written +read):\n%s", diff)
	}
}
