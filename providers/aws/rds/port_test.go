package rds_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The endpoint has another port only once the server is there, and what waits is asked for once.
func TestPort(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.AWS.Port = new(int32(5433)) })
	result, err := drivertest.Databases(w.Session).Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if seen := w.database(req); len(seen.Changes) > 0 || seen.Endpoint.Port != 0 {
		t.Errorf("before it has an endpoint: changes %v, endpoint %+v", seen.Changes, seen.Endpoint)
	}
	w.Clock.Advance(time.Hour)
	req.ID = result.ID
	if seen := w.database(req); seen.Endpoint.Port != 5433 || len(seen.Changes) > 0 {
		t.Fatalf("it is at %+v, changes %v", seen.Endpoint, seen.Changes)
	}
	host := w.database(req).Endpoint.Host
	req.Spec.AWS.Port = new(int32(6543))
	seen := w.database(req)
	if len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Restarts {
		t.Fatalf("changes %+v", seen.Changes)
	}
	w.Ledger.Reset()
	w.updateDatabase(req, seen.Changes...)
	for _, passed := range []time.Duration{0, time.Minute} {
		w.Clock.Advance(passed)
		if seen = w.database(req); seen.State != driver.Pending || len(seen.Changes) > 0 || seen.Endpoint.Port != 5433 {
			t.Errorf("%v after the change: %v, changes %v, at port %d", passed, seen.State, seen.Changes, seen.Endpoint.Port)
		}
	}
	w.Clock.Advance(time.Hour)
	if seen = w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 || seen.Endpoint.Port != 6543 || seen.Endpoint.Host != host || w.Writes() != 1 {
		t.Errorf("in the end: %v, changes %v, at %+v after %d writes", seen.State, seen.Changes, seen.Endpoint, w.Writes())
	}
	req.Spec.AWS.Port = nil
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DBPortNumber: new(int32(7654))})
	req.Spec.DeletionProtection = new(true)
	for _, c := range w.database(req).Changes { // RDS would make both, and restart the server
		if c.Effect != driver.Restarts {
			t.Errorf("beside a port that waits: %+v", c)
		}
	}
}
