package aws_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A databaseEnvironment is a local cloud, and what tests of databases do in it.
type databaseEnvironment struct{ *awstest.Environment }

func newDatabaseEnvironment(t *testing.T, options localcloud.Options) *databaseEnvironment {
	t.Helper()
	return &databaseEnvironment{awstest.New(t, options)}
}
