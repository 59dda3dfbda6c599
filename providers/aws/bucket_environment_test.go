package aws_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A bucketEnvironment is a local cloud, and what tests of buckets do in it.
type bucketEnvironment struct{ *awstest.Environment }

func newBucketEnvironment(t *testing.T, options localcloud.Options) *bucketEnvironment {
	t.Helper()
	return &bucketEnvironment{awstest.New(t, options)}
}

func newBucketEnvironmentIn(t *testing.T, region string, options localcloud.Options) *bucketEnvironment {
	t.Helper()
	return &bucketEnvironment{awstest.NewIn(t, region, options)}
}
