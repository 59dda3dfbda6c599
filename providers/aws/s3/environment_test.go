package s3_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// An environment is a local cloud, and what tests of buckets do in it.
type environment struct{ *awstest.Environment }

func newEnvironment(t *testing.T, options localcloud.Options) *environment {
	t.Helper()
	return &environment{awstest.New(t, options)}
}

func newEnvironmentIn(t *testing.T, region string, options localcloud.Options) *environment {
	t.Helper()
	return &environment{awstest.NewIn(t, region, options)}
}
