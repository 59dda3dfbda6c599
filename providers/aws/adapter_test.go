package aws

import (
	"slices"
	"testing"
)

// What a row fills reaches the calls that it has to reach.
func TestParametersReachTheirCalls(t *testing.T) {
	for _, problem := range slices.Concat(newBuckets(&session{}).Problems(), newDatabases(&session{}).Problems(), restoration.Problems(), recovery.Problems(), replicaCreation.Problems()) {
		t.Error(problem)
	}
}
