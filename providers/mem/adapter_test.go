package mem

import (
	"slices"
	"testing"
)

// What a row fills reaches the calls that it has to reach.
func TestParametersReachTheirCalls(t *testing.T) {
	s := session{cloud: New(Options{})}
	for _, problem := range slices.Concat(newBuckets(s).Problems(), newDatabases(s).Problems()) {
		t.Error(problem)
	}
}
