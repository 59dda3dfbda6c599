package gcp_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/drivertest"
)

// No edit of any field restarts, stops or moves a server without a preview that says so: the ledger tells which calls do.
func TestEveryInterruptionIsAnnounced(t *testing.T) {
	for _, engine := range slices.Sorted(maps.Keys(fieldsOf)) {
		t.Run(engine, func(t *testing.T) {
			drivertest.Announced(t, func(t *testing.T) drivertest.Harness { return takingTime(t, fieldsOf[engine]) }, "Database")
		})
	}
}
