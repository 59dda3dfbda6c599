package rds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func (w *environment) instance(name string) rdstypes.DBInstance {
	w.T.Helper()
	return awstest.Do(w.T, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name}).DBInstances[0]
}

// An edit of several fields changes the network type last, and alone. It is announced as it will be once the server has its second zone.
func TestNetworkTypeChangesAlone(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	req.Spec.AWS.NetworkType, req.Spec.Availability = new("DUAL"), new(v1alpha1.AvailabilityMultiZone)
	seen := w.database(req)
	for _, c := range seen.Changes {
		if want := map[string]driver.Effect{"aws.networkType": driver.Restarts, "availability": driver.Online}[c.Field]; c.Effect != want {
			t.Errorf("%s is %s, want %s", c.Field, c.Effect, want)
		}
	}
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.networkType" || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Fatalf("update: %v, failed %v; want the network type later", err, result.Failed)
	}
	result, err = drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "spec.availability") || w.Writes() != 1 {
		t.Fatalf("while the zone waits: %v, failed %v, after %d writes", err, result.Failed, w.Writes())
	}
	w.Clock.Advance(time.Hour)
	zone := *w.instance(req.Name).AvailabilityZone
	w.updateDatabase(req, w.database(req).Changes...)
	if seen = w.database(req); seen.State != driver.Pending {
		t.Errorf("while it changes the state is %v", seen.State)
	}
	w.Clock.Advance(time.Hour)
	now := w.instance(req.Name)
	if seen = w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 || *now.NetworkType != "DUAL" || *now.AvailabilityZone == zone || w.Writes() != 2 {
		t.Errorf("in the end: %v, changes %v, %s in %s after %d writes", seen.State, seen.Changes, *now.NetworkType, *now.AvailabilityZone, w.Writes())
	}
}

// Where a server moves to another DB subnet group, its addresses change in the same call: the group that it leaves may have none of IPv6.
func TestNetworkTypeMovesWithTheSubnetGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
		p.AWS.DBSubnetGroupName, p.AWS.NetworkType = new("pay-ipv4"), new("IPV4")
	})
	w.createDatabase(&req)
	for _, to := range []struct{ group, kind string }{{"shop", "DUAL"}, {"pay-ipv4", "IPV4"}} {
		req.Spec.AWS.DBSubnetGroupName, req.Spec.AWS.NetworkType = &to.group, &to.kind
		w.Ledger.Reset()
		w.updateDatabase(req, w.database(req).Changes...)
		w.Clock.Advance(time.Hour)
		if now := w.instance(req.Name); *now.NetworkType != to.kind || *now.DBSubnetGroup.DBSubnetGroupName != to.group || w.Writes() != 1 || len(w.database(req).Changes) > 0 {
			t.Errorf("%s in %s after %d writes, want %+v after one", *now.NetworkType, *now.DBSubnetGroup.DBSubnetGroupName, w.Writes(), to)
		}
	}
}

// A subnet group without IPv6 addresses is refused with the fields that help, and the server stays as it is.
func TestNetworkTypeRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	refused := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "spec.aws.dbSubnetGroupName") && strings.Contains(err.Error(), "spec.aws.networkType")
	}
	dual := func(p *v1alpha1.DatabaseParameters) {
		p.AWS.DBSubnetGroupName, p.AWS.NetworkType = new("pay-ipv4"), new("DUAL")
	}
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-orders", dual)); !refused(err) {
		t.Errorf("create: %v", err)
	}
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.AWS.DBSubnetGroupName = new("pay-ipv4") })
	w.createDatabase(&req)
	dual(&req.Spec)
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || !refused(result.Failed[0].Err) {
		t.Errorf("update: %v, failed %v", err, result.Failed)
	}
	req.Spec.AWS.NetworkType = new("IPV4")
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 {
		t.Errorf("back again: %v, changes %v", seen.State, seen.Changes)
	}
}
