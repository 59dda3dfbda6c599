package aws_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// A databaseEnvironment is a local cloud, and what tests of databases do in it.
type databaseEnvironment struct{ *environment }

func newDatabaseEnvironment(t *testing.T, options localcloud.Options) *databaseEnvironment {
	t.Helper()
	return &databaseEnvironment{newEnvironment(t, options)}
}
