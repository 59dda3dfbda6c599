package debt

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Debts are what is over a rule, by name. A name has no spaces.
type Debts map[string]Debt

// A Debt is a figure that is over a rule, and why it is.
type Debt struct {
	Figure int
	Reason string
}

// Read returns the debts in a file.
func Read(t testing.TB, path string) Debts {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := Debts{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		figure, reason, _ := strings.Cut(rest, " ")
		owed := Debt{Reason: reason}
		if _, err := fmt.Sscan(figure, &owed.Figure); err != nil {
			t.Fatalf("%s: %q has no figure: %v", path, line, err)
		}
		read[name] = owed
	}
	return read
}

// Most returns how large the figure of a name may be, where the rule allows so much.
func (d Debts) Most(name string, allowed int) int { return max(allowed, d[name].Figure) }

// Fallen returns a sentence for each debt that is less today, or that the rule allows.
func (d Debts) Fallen(figures map[string]int, allowed func(name string) int) (complaints []string) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if now := figures[name]; now < d[name].Figure || now <= allowed(name) {
			complaints = append(complaints, fmt.Sprintf("%s owes %d by the record, and has %d, of which %d are allowed: run this test with -update", name, d[name].Figure, now, allowed(name)))
		}
	}
	return complaints
}

// Lower takes over what has fallen, and removes what is allowed. Nothing rises.
func (d Debts) Lower(figures map[string]int, allowed func(name string) int) {
	for name, owed := range maps.Clone(d) {
		owed.Figure = min(owed.Figure, figures[name])
		d[name] = owed
		if owed.Figure <= allowed(name) {
			delete(d, name)
		}
	}
}

// Write stores debts in a file, in their order.
func (d Debts) Write(t testing.TB, path string) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintln(&text, strings.TrimSpace(fmt.Sprintf("%s %d %s", name, d[name].Figure, d[name].Reason)))
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
