package imports

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// debts are the types and functions that are larger than TestShape allows, by their names.
type debts map[string]debt

// A debt is how large something is today, and why.
type debt struct {
	figure int
	reason string
}

const debtFile = "testdata/debts.txt"

func readDebts(t *testing.T) debts {
	t.Helper()
	text, err := os.ReadFile(debtFile)
	if err != nil {
		t.Fatal(err)
	}
	read := debts{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var d debt
		figure, reason, _ := strings.Cut(rest, " ")
		if _, err := fmt.Sscan(figure, &d.figure); err != nil || reason == "" {
			t.Fatalf("%s: %q is no name, figure and reason", debtFile, line)
		}
		d.reason = reason
		if most, _ := limit(name); d.figure <= most {
			t.Errorf("%s: %s has %d, which is allowed: run this test with -update", debtFile, name, d.figure)
		}
		read[name] = d
	}
	return read
}

// lower takes over what has fallen, and removes what is paid. Nothing rises.
func (d debts) lower(sizes map[string]int) {
	for name, owed := range maps.Clone(d) {
		owed.figure = min(owed.figure, sizes[name])
		d[name] = owed
		if most, _ := limit(name); owed.figure <= most {
			delete(d, name)
		}
	}
}

func (d debts) write(t *testing.T) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintf(&text, "%s %d %s\n", name, d[name].figure, d[name].reason)
	}
	if err := os.WriteFile(debtFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDebtsOnlyFall shows what -update does.
func TestDebtsOnlyFall(t *testing.T) {
	d := debts{"p.fell": {60, "a"}, "p.rose": {50, "b"}, "p.paid": {50, "c"}, "p.gone()": {70, "d"}}
	d.lower(map[string]int{"p.fell": 45, "p.rose": 55, "p.paid": maxSize, "p.new": 90})
	want := debts{"p.fell": {45, "a"}, "p.rose": {50, "b"}}
	if diff := cmp.Diff(want, d, cmp.AllowUnexported(debt{})); diff != "" {
		t.Errorf("debts (-want +got):\n%s", diff)
	}
}
