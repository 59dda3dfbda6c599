package aws_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

// engines are the servers that sequences of edits begin with, by their engines.
var engines = map[string]func(region string) fieldedit.Kind[v1alpha1.DatabaseParameters]{
	"mariadb": fieldedit.AWSMariaDB, "mysql": fieldedit.AWSMySQL, "postgres": fieldedit.AWSDatabase,
}

// Random sequences of edits end as a new object with the last spec would be. Each engine has a part of the seeds.
func TestSequences(t *testing.T) {
	t.Parallel()
	all := slices.Sorted(maps.Keys(engines))
	for i, seeds := range drivertest.Shares(drivertest.Seeds(t, 120), len(all)) {
		t.Run(all[i], func(t *testing.T) {
			t.Parallel()
			drivertest.Sequences(t, func(t *testing.T) drivertest.Harness { return harnessOf(t, engines[all[i]]) }, "Database", seeds...)
		})
	}
}
