package gcp

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// What a row fills reaches the calls that it has to reach.
func TestParametersReachTheirCalls(t *testing.T) {
	for _, problem := range slices.Concat(newBuckets(&session.Session{}).Problems(), newDatabases(&session.Session{}).Problems()) {
		t.Error(problem)
	}
}
