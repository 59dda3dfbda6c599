package aws_test

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/drivertest"
)

// Random sequences of edits end as a new object with the last spec would be.
func TestSequences(t *testing.T) {
	drivertest.Sequences(t, harness, "Database", drivertest.Seeds(t, 100)...)
}
