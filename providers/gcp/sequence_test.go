package gcp_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/fieldedit"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// fieldsOf are the servers that sequences of edits begin with, by their engines.
var fieldsOf = map[string]func(location string) fieldedit.Kind[v1alpha1.DatabaseParameters]{
	"mysql": fieldedit.GCPMySQL, "postgres": fieldedit.GCPDatabase,
}

// Random sequences of edits end as a new object with the last spec would be. Each engine has a part of the seeds.
func TestSequences(t *testing.T) {
	t.Parallel()
	all := slices.Sorted(maps.Keys(fieldsOf))
	for i, seeds := range drivertest.Shares(drivertest.Seeds(t, 100), len(all)) {
		t.Run(all[i], func(t *testing.T) {
			t.Parallel()
			drivertest.Sequences(t, func(t *testing.T) drivertest.Harness { return takingTime(t, fieldsOf[all[i]]) }, "Database", seeds...)
		})
	}
}

// takingTime is the harness of a cloud that takes its time, with other fields of databases.
func takingTime(t *testing.T, of func(location string) fieldedit.Kind[v1alpha1.DatabaseParameters]) drivertest.Harness {
	return harnessWith(t, localcloud.Durations{Create: 5 * time.Minute, Modify: time.Minute, Delete: 2 * time.Minute}, func(c *cloud) []drivertest.Trial {
		kind := databaseKind(c)
		kind.Full, kind.Fields = of(location).Full, of(location).Fields
		if full := kind.Full(); *full.Engine == v1alpha1.EngineMySQL {
			flags := kind.Cloud.Entries["parameters"]
			flags.Other, flags.Theirs = "slow_query_log", "on"
			kind.Cloud.Entries["parameters"] = flags
		}
		return []drivertest.Trial{kind}
	})
}
