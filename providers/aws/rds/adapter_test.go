package rds

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/aws/session"
)

// What a row fills reaches the calls that it has to reach.
func TestDatabaseParametersReachTheirCalls(t *testing.T) {
	for _, problem := range slices.Concat(newInstances(&session.Session{}).Problems(), restoration.Problems(), recovery.Problems(), replicaCreation.Problems()) {
		t.Error(problem)
	}
}
