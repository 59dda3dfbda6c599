package rds_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A second zone shows as pending for a while. Until it is there the instance is not as declared, and nothing more is asked for. A failover
// then moves the instance to the other zone, which is no drift.
func TestDatabaseInTwoZones(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	zone := func() string {
		return *awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].AvailabilityZone
	}
	mirrored := func(seen driver.Observation) v1alpha1.Availability {
		var mirror v1alpha1.DatabaseParameters
		if err := json.Unmarshal(seen.Mirror, &mirror); err != nil || mirror.Availability == nil {
			t.Fatalf("mirror %s: %v", seen.Mirror, err)
		}
		return *mirror.Availability
	}
	if got := mirrored(w.database(req)); got != v1alpha1.AvailabilitySingleZone {
		t.Errorf("created without a word it is %s", got)
	}
	for _, to := range []v1alpha1.Availability{v1alpha1.AvailabilityMultiZone, v1alpha1.AvailabilitySingleZone, v1alpha1.AvailabilityMultiZone} {
		before := mirrored(w.database(req))
		req.Spec.Availability = &to
		seen := w.database(req)
		if len(seen.Changes) != 1 || seen.Changes[0].Field != "availability" || seen.Changes[0].Effect != driver.Online {
			t.Fatalf("changes %+v", seen.Changes)
		}
		w.updateDatabase(req, seen.Changes...)
		for _, passed := range []time.Duration{0, time.Minute} {
			w.Clock.Advance(passed)
			if seen = w.database(req); seen.State != driver.Pending || len(seen.Changes) > 0 || !seen.Available || mirrored(seen) != before {
				t.Errorf("%v after the change to %s: %v, available %t, changes %v, mirror %s", passed, to, seen.State, seen.Available, seen.Changes, mirrored(seen))
			}
		}
		w.Clock.Advance(time.Hour)
		if seen = w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 || mirrored(seen) != to {
			t.Errorf("after the change to %s: %v, changes %v, mirror %s", to, seen.State, seen.Changes, mirrored(seen))
		}
	}
	before := zone()
	awstest.Do(t, w.RDS.RebootDBInstance, &rds.RebootDBInstanceInput{DBInstanceIdentifier: &req.Name, ForceFailover: new(true)})
	w.Clock.Advance(time.Hour)
	if after := zone(); after == before {
		t.Fatalf("still in %s", after)
	}
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 {
		t.Errorf("after a failover: %v, changes %v", seen.State, seen.Changes)
	}
	writes := slices.DeleteFunc(w.Operations(), func(name string) bool { return strings.HasPrefix(name, "Describe") })
	if want := []string{"ModifyDBInstance", "ModifyDBInstance", "ModifyDBInstance", "RebootDBInstance"}; !slices.Equal(writes, want) {
		t.Errorf("the writes are %v, want %v", writes, want)
	}
}
