package sql

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// What a row fills reaches the calls that it has to reach.
func TestParametersOfInstancesReachTheirCalls(t *testing.T) {
	for _, problem := range newAdapter(&session.Session{}).Problems() {
		t.Error(problem)
	}
}
