package rds_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// An environment is a local cloud, and what tests of databases do in it.
type environment struct{ *awstest.Environment }

func newEnvironment(t *testing.T, options localcloud.Options) *environment {
	t.Helper()
	return &environment{awstest.New(t, options)}
}
