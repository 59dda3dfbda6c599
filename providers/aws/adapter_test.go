package aws

import "testing"

// What a row fills reaches the calls that it has to reach.
func TestParametersReachTheirCalls(t *testing.T) {
	for _, problem := range newDatabases(&session{}).Problems() {
		t.Error(problem)
	}
}
