package aws

import (
	"testing"
)

// What a row fills reaches the calls that it has to reach.
func TestBucketParametersReachTheirCalls(t *testing.T) {
	for _, problem := range newBuckets(&session{}).Problems() {
		t.Error(problem)
	}
}
