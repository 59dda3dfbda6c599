package aws_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/drivertest"
)

// No edit of any field restarts, stops or moves a server, or breaks its connections, without a preview that says so: the ledger tells which calls do.
func TestEveryInterruptionIsAnnounced(t *testing.T) {
	for _, engine := range slices.Sorted(maps.Keys(engines)) {
		t.Run(engine, func(t *testing.T) {
			drivertest.Announced(t, func(t *testing.T) drivertest.Harness { return harnessOf(t, engines[engine]) }, "Database")
		})
	}
}
