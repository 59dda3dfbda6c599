package s3

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/aws/session"
)

// What a row fills reaches the calls that it has to reach.
func TestBucketParametersReachTheirCalls(t *testing.T) {
	for _, problem := range newBuckets(&session.Session{}).Problems() {
		t.Error(problem)
	}
}
