package rds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A server is made in the zone that the spec names. That RDS puts it into another one later is no drift, and no edit moves it.
func TestAvailabilityZoneOfANewServer(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.AWS.AvailabilityZone = new(awstest.Region + "b") })
	w.createDatabase(&req)
	if zone := *w.instance(req.Name).AvailabilityZone; zone != awstest.Region+"b" {
		t.Fatalf("it is in %s", zone)
	}
	alone := w.database(req).Applied
	for _, in := range []*rds.ModifyDBInstanceInput{{MultiAZ: new(true)}, nil, {MultiAZ: new(false)}} { // somebody leads it through a failover
		if in != nil {
			in.DBInstanceIdentifier, in.ApplyImmediately = &req.Name, new(true)
			w.modify(in)
		} else {
			awstest.Do(t, w.RDS.RebootDBInstance, &rds.RebootDBInstanceInput{DBInstanceIdentifier: &req.Name, ForceFailover: new(true)})
		}
		w.Clock.Advance(time.Hour)
	}
	if zone := *w.instance(req.Name).AvailabilityZone; zone == awstest.Region+"b" {
		t.Fatalf("after a failover it is still in %s", zone)
	}
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 || !strings.Contains(string(seen.Mirror), `"availabilityZone":"`+awstest.Region+`a"`) {
		t.Errorf("after a failover: %v, changes %v, mirror %s", seen.State, seen.Changes, seen.Mirror)
	}
	req.Spec.AWS.AvailabilityZone = new(awstest.Region + "c")
	if seen := w.database(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Impossible || len(seen.Applied["aws.availabilityZone"]) == 0 {
		t.Errorf("an edit: %v, applied %v", seen.Changes, seen.Applied)
	}
	req.Spec.AWS.AvailabilityZone, req.Applied = new(awstest.Region+"b"), nil // a server that is taken over
	if seen := w.database(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Impossible {
		t.Errorf("taken over in another zone: %v, and it was applied as %v", seen.Changes, alone)
	}
}

// RDS chooses the zones of a server that has two: a zone beside them is refused by the names of the fields, before any call.
func TestAvailabilityZoneRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	_, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
		p.AWS.AvailabilityZone, p.Availability = new(awstest.Region+"b"), new(v1alpha1.AvailabilityMultiZone)
	}))
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.aws.availabilityZone") || !strings.Contains(err.Error(), "spec.availability") || w.Writes() != 0 {
		t.Errorf("%v, after %d writes", err, w.Writes())
	}
}
