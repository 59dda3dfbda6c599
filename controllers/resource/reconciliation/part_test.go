package reconciliation_test

import (
	"testing"

	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

func TestPartsAreCopiedWithTheirState(t *testing.T) {
	type known struct{ name string }
	part, other := reconciliation.PartOf[known]("replica"), reconciliation.PartOf[int]("restore")
	var before reconciliation.State
	if got := part.In(before.Parts); got != (known{}) {
		t.Errorf("nothing was set, and there is %v", got)
	}
	part.Set(&before.Parts, known{"orders"})
	after := before
	part.Set(&after.Parts, known{"invoices"})
	other.Set(&after.Parts, 7)
	if got := part.In(before.Parts); got != (known{"orders"}) {
		t.Errorf("the state before has %v, want what it was given", got)
	}
	if got := other.In(before.Parts); got != 0 {
		t.Errorf("the state before has %d of another feature, want nothing", got)
	}
	if got := part.In(after.Parts); got != (known{"invoices"}) || other.In(after.Parts) != 7 {
		t.Errorf("the state after has %v and %d, want what it was given", got, other.In(after.Parts))
	}
}
