package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A value that is too long for the status is recorded in part, and known again: an approval and a time that is due stay with it. Another value of the same
// length and ends is another one.
func TestALongValueIsRecordedInPartAndKnownAgain(t *testing.T) {
	long := func(middle string) string {
		return strings.Repeat("a", 600_000) + middle + strings.Repeat("z", 600_000)
	}
	change := driver.Change{Field: "cors", From: long("1"), To: long("2"), Effect: driver.Interrupts}
	first := PendingChanges(View{}, []driver.Change{change})
	if n := len(first[0].From) + len(first[0].To); n > 2*longestRecorded {
		t.Fatalf("it takes %d bytes", n)
	}
	if inStatus(first[0].To) != first[0].To {
		t.Error("what is recorded is cut again")
	}
	first[0].Approved = true
	whole := first[0]
	whole.From, whole.To = change.From, change.To // as an earlier release recorded it
	other := change
	other.To = long("3")
	for name, tt := range map[string]struct {
		waits v1alpha1.PendingChange
		is    driver.Change
		want  bool
	}{
		"the same": {first[0], change, true},
		"the same, recorded by an earlier release": {whole, change, true},
		"another":         {first[0], other, false},
		"the same, brief": {brief(first[0]), change, true},
		"another, brief":  {brief(first[0]), other, false},
	} {
		if got := PendingChanges(View{Waiting: []v1alpha1.PendingChange{tt.waits}}, []driver.Change{tt.is}); got[0].Approved != tt.want {
			t.Errorf("%s: it is approved: %v, want %v", name, got[0].Approved, tt.want)
		}
	}
	if planHash(View{}, []driver.Change{change}) == planHash(View{}, []driver.Change{other}) {
		t.Error("an approval of one is one of the other")
	}
}

// A message lists changes by their fields, each value in part, and does not grow with the spec.
func TestAListOfChangesDoesNotGrowWithTheSpec(t *testing.T) {
	var changes []driver.Change
	for range 200 {
		changes = append(changes, driver.Change{Field: "cors", From: strings.Repeat("a", 1e5), To: strings.Repeat("b", 1e5), Effect: driver.Interrupts, Why: strings.Repeat("c", 1e5)})
	}
	if text := ListChanges(changes); len(text) > 40_000 || !strings.HasSuffix(text, ", and 180 more, which status.pendingChanges lists") {
		t.Errorf("it has %d bytes, and ends with %s", len(text), text[len(text)-60:])
	}
	if text := impossible(changes); len(text) > 5_000 {
		t.Errorf("it has %d bytes", len(text))
	}
}

// brief is a change as an object without room lists it.
func brief(p v1alpha1.PendingChange) v1alpha1.PendingChange {
	p.From, p.To = Brief(Brief(p.From)), Brief(Brief(p.To))
	return p
}
