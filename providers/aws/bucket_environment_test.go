package aws_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// A bucketEnvironment is a local cloud, and what tests of buckets do in it.
type bucketEnvironment struct{ *environment }

func newBucketEnvironment(t *testing.T, options localcloud.Options) *bucketEnvironment {
	t.Helper()
	return &bucketEnvironment{newEnvironment(t, options)}
}

func newBucketEnvironmentIn(t *testing.T, region string, options localcloud.Options) *bucketEnvironment {
	t.Helper()
	return &bucketEnvironment{newEnvironmentIn(t, region, options)}
}
