package gcp_test

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// Random sequences of edits end as a new object with the last spec would be.
func TestSequences(t *testing.T) {
	drivertest.Sequences(t, takingTime, "Database", drivertest.Seeds(t, 100)...)
}

func takingTime(t *testing.T) drivertest.Harness {
	return harness(t, localcloud.Durations{Create: 5 * time.Minute, Modify: time.Minute, Delete: 2 * time.Minute})
}
