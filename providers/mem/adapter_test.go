package mem

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What a row fills reaches the calls that it has to reach.
func TestParametersReachTheirCalls(t *testing.T) {
	s := session{cloud: New(Options{})}
	for _, problem := range slices.Concat(newBuckets(s).Problems(), newDatabases(s).Problems(), newUsers(s, driver.OwnedByRegistry).Problems()) {
		t.Error(problem)
	}
}
